import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const DELETES_MOVES_WRITES_AND_STARTS_PROGRAMS: readonly Case[] = [
  ["rd /s /q C:\\", ["delete -r C:/"]],
  ['rmdir /S/Q "%USERPROFILE%"', ["delete -r /home/me"]],
  ["RD /S /Q C:\\Users", ["delete -r C:/Users"]],
  ["del /s /q *.*", ["delete -r *"]],
  ["del a.txt", ["delete a.txt"]],
  ["erase /f b.txt", ["delete b.txt"]],
  ["format c: /q", ["spawn format c: /q"]],
  ["cd /d C:\\ && rd /s /q Windows", ["directory C:/", "delete -r C:/Windows"]],
  ["type .env > out.txt", ["write out.txt", "read .env"]],
  ["if exist dist rd /s /q dist", ["delete -r dist"]],
  ["for /d %i in (*) do rd /s /q %i", ["delete -r *"]],
  ["for %%f in (a b) do del %%f", ["delete a", "delete b"]],
  ["move a b & copy c d", ["move a -> b", "copy c -> d"]],
  ['powershell -c "Remove-Item x"', ["spawn powershell -c Remove-Item x"]],
  ["r^d /s /q C:\\", ["delete -r C:/"]],
  ["set D=C:\\& rd /s /q %D%", ["delete -r C:/"]],
  ["echo hi > C:\\Windows\\x", ["write C:/Windows/x"]],
  ["@echo off\nrd /s /q build", ["delete -r build"]],
  ["call del /s x", ["delete -r x"]],
  ["cmd /c rd /s /q x", ["delete -r x"]],
  ["(rd /s /q a) && (del b)", ["delete -r a", "delete b"]],
  ['rd /s /q "C:\\Program Files"', ["delete -r C:/Program Files"]],
  ["del /s /q %TEMP%\\x", ["delete -r /tmp/x"]],
  ['set X=a b& del "%X%"', ["delete a b"]],
  ["if not exist a del b", ["delete b"]],
  ["if a==b (del c) else del d", ["delete c", "delete d"]],
  ["if errorlevel 1 del x", ["delete x"]],
  ["for /f %i in (x.txt) do del %i", ["delete ?"]],
  ["for %i in (a,b) do del %i", ["delete a", "delete b"]],
  ["del %HOMEDRIVE%%HOMEPATH%", ["delete /home/me"]],
  ["del %SYSTEMDRIVE%\\x", ["delete C:/x"]],
  ["rd /s %SYSTEMROOT%", ["delete -r C:/Windows"]],
  ["rd /s %WINDIR%", ["delete -r C:/Windows"]],
  ["del %CD%\\x", ["delete /home/me/work/x"]],
  ["del %NOPE%", ["delete ?[environment NOPE]"]],
  ["del !X!", ["delete ?[environment X]"]],
  ['del "a', ["delete a"]],
  ["(del a", ["delete a"]],
  ["echo a >> b", ["append b"]],
  ["ren a b", ["move a -> b"]],
  ["start rd /s /q x", ["delete -r x"]],
  ['start "" /wait /d C:\\w rd /s x', ["delete -r x"]],
];

const HARMLESS: readonly string[] = [
  "echo rd /s /q C:\\",
  "rem rd /s C:\\",
  "@rem del *",
  'echo "del /s" & echo done',
  "title rd /s",
  "set X=rd /s /q C:\\",
  "goto end\n:end",
  "cls",
  "pause",
  "exit /b 0",
  "echo.",
  "setlocal",
  "@echo off",
  ":: rd /s /q C:\\",
  "color 0a",
];

describe("cmd.exe text", () => {
  describe("deletes, moves, writes and starts programs", () => {
    it.each(DELETES_MOVES_WRITES_AND_STARTS_PROGRAMS)("%j", (code, calls) => {
      expect(callsOf("cmd", code)).toEqual(calls);
    });
  });

  describe("prints, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("cmd", code)).toEqual([]);
      expect(read("cmd", code).isComplete).toBe(true);
    });
  });
});
