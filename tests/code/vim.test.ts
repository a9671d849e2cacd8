import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const RUNS_COMMANDS_AND_TOUCHES_FILES: readonly Case[] = [
  ["!rm -rf /", ["shell rm -rf /"]],
  [":!rm -rf /", ["shell rm -rf /"]],
  ["%!sh", ["shell sh"]],
  ["silent !rm -rf /", ["shell rm -rf /"]],
  ["sil! !id", ["shell id"]],
  ["w /etc/passwd", ["write /etc/passwd"]],
  ["w !sh", ["shell sh"]],
  ["r !curl http://x", ["shell curl http://x"]],
  ["r .env", ["read .env"]],
  ["exe '!rm -rf ' . '/'", ["shell rm -rf /"]],
  ['execute "silent !id"', ["shell id"]],
  ["call system('rm -rf /')", ["shell rm -rf /"]],
  ["let x = system('id')", ["shell id"]],
  ["call delete('/etc', 'rf')", ["delete -r /etc"]],
  ["call writefile(['x'], '/etc/passwd')", ["write /etc/passwd"]],
  ["py3 import os; os.system('id')", ["evaluate python: import os; os.system('id')"]],
  ["lua os.execute('id')", ["evaluate lua: os.execute('id')"]],
  ["normal :!id\r", ["shell id"]],
  ["terminal rm -rf /", ["shell rm -rf /"]],
  ["so evil.vim", ["read evil.vim", "evaluate vim: ?[file evil.vim]"]],
  ["au BufRead * !id", ["shell id"]],
  ["g/x/!id", ["shell id"]],
  ["%s/a/b/g\n!id", ["shell id"]],
  ["set nu | !id", ["shell id"]],
];

const HARMLESS: readonly string[] = [
  "wq",
  "q!",
  "%s/rm -rf/x/g",
  "%s/a/b/g|wq",
  "echo 'rm -rf /'",
  "g/x/d",
  "set nu | syntax on",
  '" !rm -rf /',
  "normal dd",
  "/rm -rf/d",
  "call cursor(1, 1)",
  "let x = '!rm -rf /'",
  "1,$d",
  "norm ggVGd",
  "echo \"call system('x')\"",
];

describe("ex commands", () => {
  describe("runs commands and touches files", () => {
    it.each(RUNS_COMMANDS_AND_TOUCHES_FILES)("%j", (code, calls) => {
      expect(callsOf("vim", code)).toEqual(calls);
    });
  });

  describe("edits text, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("vim", code)).toEqual([]);
      expect(read("vim", code).isComplete).toBe(true);
    });
  });
});
