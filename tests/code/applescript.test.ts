import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const RUNS_COMMANDS: readonly Case[] = [
  ['do shell script "rm -rf /"', ["shell rm -rf /"]],
  ['set x to "rm -rf "\ndo shell script x & "/"', ["shell rm -rf /"]],
  ['tell application "Terminal" to do script "rm -rf ~"', ["shell rm -rf ~"]],
  [
    'do shell script "rm -rf " & quoted form of (POSIX path of (path to home folder))',
    ["shell rm -rf /home/me"],
  ],
  ['do shell script "rm -rf /" with administrator privileges', ["shell rm -rf /"]],
  ['set out to do shell script "id"', ["shell id"]],
  ['if true then\n do shell script "id"\nend if', ["shell id"]],
  ['try\n\tdo shell script "id"\nend try', ["shell id"]],
  ['Do Shell Script "id"', ["shell id"]],
  ['run script "do shell script \\"id\\""', ["shell id"]],
  ['tell application "Terminal"\n do script "ls"\n activate\nend tell', ["shell ls"]],
  ['do shell script ("echo " & "hi")', ["shell echo hi"]],
  ['set cmd to "id"\ndo shell script cmd', ["shell id"]],
  ['return do shell script "id"', ["shell id"]],
  ['repeat 2 times\ndo shell script "id"\nend repeat', ["shell id"]],
];

const HARMLESS: readonly string[] = [
  'display dialog "do shell script rm -rf /"',
  '-- do shell script "rm -rf /"\nbeep',
  '(* do shell script "x" *) activate',
  '# do shell script "x"\nbeep',
  'set x to "do shell script \\"rm -rf /\\""',
  'say "rm -rf slash"',
  'tell application "Finder" to activate',
  'log "do shell script"',
  'return "rm -rf /"',
  'display notification "rm -rf /" with title "do script"',
  "set script to 1",
  'tell application "System Events" to keystroke "a"',
  "do",
  'set shell to "do shell script"',
  "1 + 1",
];

describe("AppleScript", () => {
  describe("runs commands", () => {
    it.each(RUNS_COMMANDS)("%j", (code, calls) => {
      expect(callsOf("applescript", code)).toEqual(calls);
    });
  });

  describe("says and shows, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("applescript", code)).toEqual([]);
      expect(read("applescript", code).isComplete).toBe(true);
    });
  });
});
