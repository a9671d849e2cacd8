import { describe, expect, it } from "vitest";
import { calls, read } from "./reading.ts";

describe("files that a variable names", () => {
  it.each([
    "echo 'rm -rf /a' > x.sh; BASH_ENV=x.sh bash -c ls",
    "echo 'rm -rf /a' > x.sh; SOME_UNKNOWN_HOOK=$PWD/x.sh program",
    "echo 'rm -rf /a' > x.sh; export ANY_HOOK=./x.sh; program",
    "mkdir bin; echo 'rm -rf /a' > bin/ls; PATH=$PWD/bin:$PATH ls",
    "mkdir d; echo 'rm -rf /a' > d/.zshenv; ZDOTDIR=d zsh -c date",
    'echo \'require("child_process").execSync("rm -rf /a")\' > x.cjs; NODE_OPTIONS=--require=./x.cjs npm test',
    "mkdir d; echo 'import os; os.system(\"rm -rf /a\")' > d/sitecustomize.py; PYTHONPATH=d python3 -c 1",
    "mkdir d; echo 'system(\"rm -rf /a\")' > d/Init.pm; PERL5OPT='-Id -MInit' perl -v",
    "printf '[alias]\\n  st = !rm -rf /a\\n' > x.cfg; GIT_CONFIG_GLOBAL=x.cfg git st",
    "printf 'all:\\n\\trm -rf /a\\n' > x.mk; MAKEFILES=x.mk make",
    "LESSOPEN='|rm -rf /a' less x",
    "LUA_INIT='os.execute(\"rm -rf /a\")' lua -v",
    "set -a; HOOK=x.sh; echo 'rm -rf /a' > x.sh; program",
    "mkdir -p h/git; printf '[alias]\\n  x = !rm -rf /a\\n' > h/git/config; XDG_CONFIG_HOME=h git x",
  ])("run: %s", command => {
    expect(calls(command, "rm")).toContain("rm -rf /a");
  });

  it("run once, however many programs find the variable", () => {
    const command = "echo 'rm -rf /a' > x.sh; export HOOK=./x.sh; one; two; three";
    expect(calls(command, "rm")).toEqual(["rm -rf /a"]);
  });

  it.each([
    ["no variable names them", "echo 'rm -rf /a' > x.sh; HOOK=./y.sh program"],
    ["the variable is not exported", "echo 'rm -rf /a' > x.sh; HOOK=./x.sh; program"],
    ["the value is a sentence", "MESSAGE='removed rm -rf from docs' program"],
  ])("do not run when %s", (_, command) => {
    expect(calls(command, "rm")).toEqual([]);
  });
});

describe("scripts of the same command that are named by a pattern or a search", () => {
  it.each([
    "bash ./*.sh",
    "sh $(ls *.sh)",
    ". ./*.sh",
    "find . -name '*.sh' -exec sh {} \\;",
    "ls *.sh | xargs -n1 bash",
    'for f in *.sh; do bash "$f"; done',
    "grep -v '^#' a.sh | sh",
    "while read l; do $l; done < a.sh",
  ])("run: %s", command => {
    expect(calls(`echo 'rm -rf /a' > a.sh; ${command}`, "rm")).toContain("rm -rf /a");
  });

  it("are no others", () => {
    expect(calls("echo 'rm -rf /a' > a.txt; bash ./*.sh", "rm")).toEqual([]);
  });
});

describe("work that is used up", () => {
  const arms = (count: number): string =>
    `case $x in\n${Array.from({ length: count }, (_, at) => `a${at}) rm -rf d${at};;`).join("\n")}\nesac`;

  it("is said once for a text, whatever follows", () => {
    const { unexamined } = read(arms(2000));
    expect(unexamined.map(({ reason }) => reason)).toEqual(["nesting"]);
    expect(unexamined[0]?.criticalWords).toContain("rm");
  });

  it("grows with the text, not faster", () => {
    const [small, large] = [read(arms(200)).steps, read(arms(400)).steps];
    expect(large).toBeLessThan(small * 2.5);
  });
});
