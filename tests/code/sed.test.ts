import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const RUNS_COMMANDS_AND_TOUCHES_FILES: readonly Case[] = [
  ["1e rm -rf /", ["shell rm -rf /"]],
  ["e rm -rf /", ["shell rm -rf /"]],
  ["$e id", ["shell id"]],
  ["/x/e id", ["shell id"]],
  ["s/.*/rm -rf \\//e", ["shell rm -rf /"]],
  ["s/^.*$/id/e", ["shell id"]],
  ["s/x/rm -rf/e", ["shell ?rm -rf?[input]"]],
  ["s,.*,rm -rf /,e", ["shell rm -rf /"]],
  ["s/a/b/w /etc/passwd", ["write /etc/passwd"]],
  ["s/a/b/gw out", ["write out"]],
  ["/foo/w out.txt", ["write out.txt"]],
  ["1,3w a\nd", ["write a"]],
  ["r .env", ["read .env"]],
  ["/a/,/b/{s/c/d/;e id\n}", ["shell id"]],
  ["y/abc/def/;e ls", ["shell ls"]],
  ["5q;e", ["shell ?[input]"]],
  ["W first.txt", ["write first.txt"]],
];

const HARMLESS: readonly string[] = [
  "s/a/b/g",
  "/rm -rf/d",
  "s/e rm -rf/x/",
  "s/x/e rm -rf \\//",
  "a\\\ne rm -rf /\nd",
  "i e rm -rf /",
  "c\\\nw /etc/passwd",
  "# e rm\np",
  "$!{h;d};x;G",
  ":a;N;$!ba;s/\\n/ /g",
  "\\,e rm,d",
  "s|w /etc|r .env|2p",
  "/[/e]rm/d",
  "1~2p",
  "s/\\(e\\) rm/\\1/",
];

describe("sed scripts", () => {
  describe("runs commands and touches files", () => {
    it.each(RUNS_COMMANDS_AND_TOUCHES_FILES)("%j", (code, calls) => {
      expect(callsOf("sed", code)).toEqual(calls);
    });
  });

  describe("edits text, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("sed", code)).toEqual([]);
      expect(read("sed", code).isComplete).toBe(true);
    });
  });
});
