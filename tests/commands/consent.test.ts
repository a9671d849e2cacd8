import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentAbove } from "../../src/hooks/program/process-tree.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { runProgram } from "../hooks/executable.ts";
import { driveTerminal, hasTerminal, type Step } from "../launcher/drive-terminal.ts";
import { AMPLIHACK, newUser, type User } from "./run-command.ts";

const HOOKS = [AMPLIHACK[0] ?? "", (AMPLIHACK[1] ?? "").replace("amplihack.cjs", "amplihack-hooks.cjs")];
const PHRASE = 'Type "([a-z ]+)" to permit';
/** An agent may be running these tests, too: then nobody here is a person. */
const isPossible = hasTerminal && agentAbove(createNodeSystem(), undefined) === undefined;

/** The code that comes with the refusal of a command; its host has ended before a person types it. */
async function refusedCode(user: User, command: string): Promise<string> {
  const payload = {
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    cwd: user.project,
  };
  const host = join(user.home, "host-that-ends.sh");
  writeFileSync(host, '"$@"\nexit 0\n');
  const { stdout } = await runProgram(["bash", host, ...HOOKS], ["pre-tool-use"], {
    home: user.home,
    cwd: user.project,
    input: JSON.stringify(payload),
    env: {},
  });
  return /allow-once (\w{6})/.exec(stdout)?.[1] ?? "";
}

function environment(user: User, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: user.home, TERM: "xterm", ...more };
}

function atTerminal(user: User, argv: readonly string[], steps: readonly Step[]): Promise<string> {
  return driveTerminal(argv, { cwd: user.project, env: environment(user) }, steps);
}

const grantsOf = (user: User): readonly unknown[] => {
  const file = join(user.home, ".amplihack", "guard", "allow-once.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { grants: unknown[] }).grants : [];
};

describe.skipIf(!isPossible)("guard allow-once", () => {
  it("permits what a person agrees to, shown whole and with nothing hidden in it", async () => {
    const user = newUser();
    const command = `git push --force origin main # ${"x ".repeat(400)}\u202e\u200b\u001b[2K the end`;
    const code = await refusedCode(user, command);
    const shown = await atTerminal(
      user,
      [...AMPLIHACK, "guard", "allow-once", code],
      [{ expect: "to permit exactly this, once: " }, { sendShown: PHRASE }, { expect: "Permitted once" }],
    );
    expect(shown).toContain("\\u202e\\u{200b}\\u001b[2K the end");
    expect(grantsOf(user)).toHaveLength(1);
  });

  it("shows why and when it was refused, and allows it in that directory from now on", async () => {
    const user = newUser();
    const code = await refusedCode(user, "git push --force origin main");
    const why = await user.type(["guard", "why", code]);
    expect(why.stdout).toContain("git push --force origin main");
    expect(why.stdout).toContain("rewrites a published branch");
    const shown = await atTerminal(
      user,
      [...AMPLIHACK, "guard", "allow-once", code],
      [
        { expect: "from now on." },
        { expect: "once: " },
        { send: "always " },
        { sendShown: PHRASE },
        { expect: "remove the entry" },
      ],
    );
    expect(shown).toMatch(/refused at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    expect(shown).toContain("[git.push] It would overwrite or delete main on the remote");
    const config = readFileSync(join(user.home, ".amplihack", "config.jsonc"), "utf8");
    expect(config).toContain('"command": "git push --force origin main"');
    expect((await user.type(["guard", "test", "git push --force origin main"])).code).toBe(0);
    expect(grantsOf(user)).toEqual([]);
  });

  it("offers no entry for what none can stand for, and leaves a broken configuration alone", async () => {
    const user = newUser();
    const code = await refusedCode(user, "git push --force origin main; git stash drop");
    const shown = await atTerminal(
      user,
      [...AMPLIHACK, "guard", "allow-once", code],
      [{ expect: "once: " }, { send: "always " }, { sendShown: PHRASE }, { expect: "not permitted" }],
    );
    expect(shown).toContain("It can be allowed once only");
    const simple = await refusedCode(user, "git push --force origin main");
    const path = join(user.home, ".amplihack", "config.jsonc");
    writeFileSync(path, '{"guard": {', { mode: 0o600 });
    await atTerminal(
      user,
      [...AMPLIHACK, "guard", "allow-once", simple],
      [{ expect: "once: " }, { send: "always " }, { sendShown: PHRASE }, { expect: "nothing was changed" }],
    );
    expect(readFileSync(path, "utf8")).toBe('{"guard": {');
  });

  it("asks for a phrase that is new each time, and takes nothing else", async () => {
    const user = newUser();
    const code = await refusedCode(user, "git push --force origin main");
    const ask = (answer: string) =>
      atTerminal(
        user,
        [...AMPLIHACK, "guard", "allow-once", code],
        [{ expect: "to permit exactly this, once: " }, { send: `${answer}\n` }, { expect: "not permitted" }],
      );
    const first = new RegExp(PHRASE).exec(await ask("yes"))?.[1] ?? "";
    expect(first).toMatch(/^[a-z]{4}( [a-z]{4}){3}$/);
    expect(new RegExp(PHRASE).exec(await ask(first))?.[1]).not.toBe(first);
    expect(grantsOf(user)).toEqual([]);
  });

  it("refuses below an agent, in a terminal that the agent made and without its variables", async () => {
    const user = newUser();
    const code = await refusedCode(user, "git push --force origin main");
    const agent = join(user.home, "bin", "claude");
    mkdirSync(join(user.home, "bin"));
    writeFileSync(agent, '#!/bin/sh\n"$@"\nexit 0\n');
    chmodSync(agent, 0o755);
    const shown = await atTerminal(
      user,
      [agent, ...AMPLIHACK, "guard", "allow-once", code],
      [{ expect: "belongs to an agent (claude runs it" }],
    );
    expect(shown).not.toContain("Type ");
  });

  it("refuses below a process that has the variables of an agent", async () => {
    const user = newUser();
    const code = await refusedCode(user, "git push --force origin main");
    const line = `CLAUDECODE=1 sh -c 'env -u CLAUDECODE ${AMPLIHACK.join(" ")} guard allow-once ${code}; true'`;
    await atTerminal(user, ["bash", "--norc", "-c", line], [{ expect: "CLAUDECODE is set in process" }]);
    expect(grantsOf(user)).toEqual([]);
  });

  it("refuses below a process that ran a hook of ours, whatever it is called", async () => {
    const user = newUser();
    const payload = JSON.stringify({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "git push --force origin main" },
      cwd: user.project,
    });
    const host = join(user.home, "host.sh");
    const refuse = `printf %s '${payload}' | sh -c '${HOOKS.join(" ")} pre-tool-use' > answer`;
    const code = '$(sed -n "s/.*allow-once \\([A-Z0-9]*\\).*/\\1/p" answer)';
    writeFileSync(host, `${refuse}\n${AMPLIHACK.join(" ")} guard allow-once ${code}\nexit 0\n`);
    await atTerminal(user, ["bash", host], [{ expect: "belongs to an agent" }]);
    expect(grantsOf(user)).toEqual([]);
  });

  it("refuses to trust a project without the phrase", async () => {
    const user = newUser();
    mkdirSync(join(user.project, ".amplihack"));
    writeFileSync(
      join(user.project, ".amplihack", "config.jsonc"),
      '{"guard":{"rules":{"publish":"allow"}}}\n',
    );
    const shown = await atTerminal(
      user,
      [...AMPLIHACK, "guard", "init", "--trust"],
      [{ expect: "for the project: " }, { send: "yes\n" }, { expect: "not permitted" }],
    );
    expect(shown).toContain('"publish":"allow"');
  });
});
