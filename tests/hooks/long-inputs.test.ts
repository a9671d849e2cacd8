import { describe, expect, it } from "vitest";
import { readJsonc } from "../../src/config/jsonc.ts";
import { extractRequest } from "../../src/hooks/stock/original-request.ts";
import { forbidsMergeWithoutPermission } from "../../src/hooks/stock/preferences.ts";
import {
  isBarePush,
  isCommit,
  isPreCommitPass,
  isPush,
  isPushToMain,
} from "../../src/hooks/stock/stop/power-steering/commands.ts";
import { listWrites, readTodos } from "../../src/hooks/stock/stop/power-steering/source.ts";
import { HOSTS } from "../../src/hosts/descriptors.ts";
import { deriveFacts } from "../../src/hosts/facts.ts";
import { parseShell } from "../../src/shell/syntax/parse.ts";

// A hook that takes longer than its host waits decides nothing, so no text may make one slow. Each of these took
// minutes or more when a pattern tried every way of dividing it; now the test ends at once.

const LONG = 200_000;
const repeat = (text: string) => text.repeat(Math.floor(LONG / text.length));

describe("a long text that fits no pattern is read once", () => {
  it.each<[string, () => unknown, unknown]>([
    ["options of git", () => isCommit(`git ${repeat("--a ")}x`), false],
    ["options of git that take values", () => isPush(`git ${repeat("-c ")}x`), false],
    ["dots before a result", () => isPreCommitPass(`${repeat(".")}\nFailed`), false],
    ["repeated talk of a tool", () => isPreCommitPass(repeat("pre-commit ")), false],
    ["blank lines in a prompt", () => extractRequest(repeat("\n\t"), "s", "t").requirements, []],
    ["blank lines in a list of todos", () => readTodos({ todos: repeat("\n\t") }), []],
    [
      "comment marks",
      () => listWrites("Write", { file_path: "a.py", content: repeat("#") })[0]?.hasShortcut,
      false,
    ],
    [
      "a preference without its object",
      () => forbidsMergeWithoutPermission(repeat("never merge without ")),
      false,
    ],
    [
      "a string that never closes",
      () => readJsonc(`{"a": // x\n "${repeat('\\"')}`),
      { ok: false, problem: "malformed" },
    ],
    [
      "a string that ends in a backslash",
      () => readJsonc(`{/**/"${repeat('\\"')}\\`),
      { ok: false, problem: "malformed" },
    ],
    [
      "a line of blanks in a patch",
      () =>
        deriveFacts(HOSTS["claude-code"], "Edit", "Edit", `*** Add File: x${repeat(" ")}y\n`).paths.length,
      1,
    ],
    ["a wall of errors", () => parseShell(`ls\n${repeat(">")}`).problems.length < 100, true],
  ])("%s", (_, read, result) => {
    expect(read()).toEqual(result);
  });
});

describe("git in a command line", () => {
  it.each([
    ["git commit -m x", true],
    ["git -c a=b -C dir --no-pager commit", true],
    ["cd x && /usr/bin/git commit", true],
    ["$(git commit)", true],
    ["bash -c 'git commit -m x'", true],
    ["git commit-tree x", false],
    ["git -c commit status", false],
    ["legit commit", false],
  ])("commits in %j: %s", (command, isOne) => {
    expect(isCommit(command)).toBe(isOne);
  });

  it.each([
    ["git push origin main", true, false],
    ["git push -u origin HEAD:main", true, false],
    ["git push origin +master", true, false],
    ["git push origin refs/heads/main", true, false],
    ["git push origin feature", false, false],
    ["git push origin maintenance", false, false],
    ["git push", false, true],
    ["git push --force origin", false, true],
    ["ls; git push && ls", false, true],
  ])("pushes in %j: to the main branch %s, the current one %s", (command, toMain, isBare) => {
    expect([isPush(command), isPushToMain(command), isBarePush(command)]).toEqual([true, toMain, isBare]);
  });
});
