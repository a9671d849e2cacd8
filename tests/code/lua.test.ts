import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const STARTS_PROCESSES_DELETES_AND_WRITES: readonly Case[] = [
  ['os.execute("rm -rf /")', ["shell rm -rf /"]],
  ["os.execute 'rm -rf /'", ["shell rm -rf /"]],
  ["os.execute [[rm -rf /]]", ["shell rm -rf /"]],
  ['io.popen("rm -rf /"):read("*a")', ["shell rm -rf /"]],
  ['os.remove("a")', ["delete a"]],
  ["os.rename('a', 'b')", ["move a -> b"]],
  ['local d = os.getenv("HOME"); os.execute("rm -rf " .. d)', ["shell rm -rf /home/me"]],
  ['for _, f in ipairs({"a", "/"}) do os.execute("rm -rf " .. f) end', ["shell rm -rf a", "shell rm -rf /"]],
  ['local x = os.execute; x("rm -rf /")', ["shell rm -rf /"]],
  ['_G["os"]["execute"]("rm -rf /")', ["shell rm -rf /"]],
  ['os["exe" .. "cute"]("rm -rf /")', ["shell rm -rf /"]],
  ["load(\"os.execute('rm -rf /')\")()", ["shell rm -rf /"]],
  ['local function f(p) os.remove(p) end f("/x")', ["delete /x"]],
  ['if x then os.remove("a") else os.remove("b") end', ["delete a", "delete b"]],
  [
    'local f = io.open("/etc/passwd", "w"); f:write("x"); f:close()',
    ["write /etc/passwd", "append /etc/passwd = x"],
  ],
  ['os.execute(("rm -rf %s"):format("/"))', ["shell rm -rf /"]],
  ['while true do os.execute("ls") end', ["shell ls"]],
  ['repeat os.remove("a") until os.execute("id")', ["delete a", "shell id"]],
  ["os.execute(table.concat({'rm', '-rf', '/'}, ' '))", ["shell rm -rf /"]],
  ["os.execute('\\114\\109 -rf /')", ["shell rm -rf /"]],
  ["print(io.open('.env'):read('*a'))", ["read .env"]],
];

const HARMLESS: readonly string[] = [
  "print(\"os.execute('rm -rf /')\")",
  '-- os.execute("rm -rf /")\nprint(1)',
  '--[[ os.execute("rm -rf /") ]] print(1)',
  "--[==[\nos.remove('a')\n]==]\nprint(1)",
  "local s = 'rm -rf /' print(s)",
  "local t = { execute = 'rm -rf /' } print(t.execute)",
  'print([[os.execute("x")]])',
  "local os_execute = 1",
  "print(#'os.remove(\"a\")')",
  "assert(judge('rm -rf /') == 'deny')",
  "print(('os.execute'):len())",
  "local function execute() return 'rm' end execute()",
  "goto done ::done:: print('os.remove')",
  "return 'os.execute(\"x\")'",
  "print(os.time(), os.date())",
];

describe("Lua code", () => {
  describe("starts processes, deletes and writes", () => {
    it.each(STARTS_PROCESSES_DELETES_AND_WRITES)("%j", (code, calls) => {
      expect(callsOf("lua", code)).toEqual(calls);
    });
  });

  describe("prints and stores dangerous words, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("lua", code)).toEqual([]);
      expect(read("lua", code).isComplete).toBe(true);
    });
  });
});
