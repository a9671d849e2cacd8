import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { driveTerminal, hasTerminal } from "../launcher/drive-terminal.ts";
import { agentCall } from "./agent-call.ts";
import { AMPLIHACK, newUser } from "./run-command.ts";

it.skipIf(!hasTerminal)("at a terminal an undo asks first, and a diff goes through the pager", async () => {
  const user = newUser();
  const file = join(user.project, "notes.txt");
  writeFileSync(file, "call Ada\n");
  const call = { command: "rm notes.txt", targets: ["notes.txt"], how: "delete" as const };
  const id = await agentCall(user, call, () => rmSync(file));
  const amplihack = AMPLIHACK.join(" ");
  const script = [
    `${amplihack} undo; echo "first ended with $?"`,
    `PAGER="sed s/^/paged:/" ${amplihack} history show ${id}`,
    `PAGER=no-such-pager-anywhere ${amplihack} history show ${id} --stat`,
    `${amplihack} undo; echo "second ended with $?"`,
  ].join("\n");
  const env = { PATH: process.env["PATH"] ?? "", HOME: user.home, TERM: "xterm" };
  const shown = await driveTerminal(["bash", "--norc", "-c", script], { cwd: user.project, env }, [
    { expect: "Take this back? [y/N] " },
    { send: "n\n" },
    { expect: "Nothing was changed." },
    { expect: "first ended with 1" },
    { expect: "paged:" },
    { expect: "-call Ada" },
    { expect: "deleted" },
    { expect: "Take this back? [y/N] " },
    { send: "y\n" },
    { expect: "To reverse this: amplihack redo" },
    { expect: "second ended with 0" },
  ]);
  expect(shown).toContain("1 file comes back");
  expect(shown).toContain("\u001b[31m-call Ada");
  expect(existsSync(file)).toBe(true);
});

it.skipIf(!hasTerminal)(
  "at a terminal the change to undo is chosen from a list, by the name of a file",
  async () => {
    const user = newUser();
    const names = ["first.txt", "second.txt", "third.txt"];
    for (const name of names) {
      const file = join(user.project, name);
      writeFileSync(file, `text of ${name}\n`);
      await agentCall(user, { command: `rm ${name}`, targets: [name], how: "delete" }, () => rmSync(file));
    }
    const amplihack = AMPLIHACK.join(" ");
    const script = `${amplihack} undo; echo "one ended with $?"; ${amplihack} undo; echo "two ended with $?"`;
    const env = { PATH: process.env["PATH"] ?? "", HOME: user.home, TERM: "xterm" };
    await driveTerminal(["bash", "--norc", "-c", script], { cwd: user.project, env }, [
      { expect: "What do you want to take back?" },
      { expect: "rm third.txt" },
      { expect: "-text of third.txt" },
      { send: "first" },
      { expect: "-text of first.txt" },
      { send: "\r" },
      { expect: "Take this back? [y/N] " },
      { send: "y\n" },
      { expect: "one ended with 0" },
      { expect: "What do you want to take back?" },
      { send: "\u001b" },
      { expect: "Nothing was changed." },
      { expect: "two ended with 1" },
    ]);
    expect(names.map(name => existsSync(join(user.project, name)))).toEqual([true, false, false]);
  },
);
