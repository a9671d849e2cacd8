import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import { driveTerminal, hasTerminal } from "../launcher/drive-terminal.ts";
import { buildProgram, LaunchMachine } from "../launcher/launch-machine.ts";
import { recordCall } from "./agent-call.ts";
import { newUserInside } from "./run-command.ts";
import { hasShell, type TestedShell } from "./shells.ts";

const program = buildProgram();
const END = "end-of-the-answer";

/** How to ask each shell what it would offer for the words typed so far, the last of them unfinished. */
const ASK: Readonly<Record<TestedShell, Asking>> = {
  bash: {
    options: ["--norc"],
    begin: script => `set -u; source ${script}`,
    ask: words => `COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}
COMPREPLY=(); _amplihack; printf '%s\\n' "\${COMPREPLY[@]-}"`,
  },
  zsh: {
    options: ["-f"],
    begin: script => `autoload -Uz compinit && compinit -D -u; source ${script}
[[ $_comps[amplihack] == _amplihack ]] || exit 9
compadd() { shift; print -rl -- "$@" }
_describe() { print -rl -- "\${(P@)2}" }
_files() { print -r -- "files $*" }`,
    ask: words => `words=(${quoted(words)}); CURRENT=${words.length}; _amplihack`,
  },
  fish: {
    options: ["--no-config"],
    begin: script => `source ${script}`,
    ask: words => `complete -C "${words.join(" ")}"`,
  },
};

interface Asking {
  readonly options: readonly string[];
  begin(script: string): string;
  ask(words: readonly string[]): string;
}

const quoted = (words: readonly string[]): string => words.map(word => `"${word}"`).join(" ");

/** What a shell offers for each line of words, in one run of it: starting one takes longest. */
function offered(
  shell: TestedShell,
  machine: LaunchMachine,
  lines: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const path = machine.write(
    join(machine.home, `amplihack.${shell}`),
    machine.run("completions", shell).stdout,
  );
  const { options, begin, ask } = ASK[shell];
  const questions = lines.map(words => `${ask(["amplihack", ...words])}\necho ${END}`);
  const script = [begin(path), ...questions].join("\n");
  const { status, stdout, stderr } = spawnSync(shell, [...options, "-c", script], {
    encoding: "utf8",
    cwd: machine.project,
    env: machine.env,
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const answers = stdout.split(`${END}\n`);
  return lines.map((words, index) =>
    (answers[index] ?? "")
      .split("\n")
      .map(line => line.split(/[\t:]/)[0]?.trim() ?? "")
      .filter(word => word !== "" && word.startsWith(words.at(-1) ?? ""))
      .sort(),
  );
}

function machineWithProgram(): LaunchMachine {
  const machine = new LaunchMachine(program);
  machine.script(join(machine.bin, "amplihack"), `exec ${process.execPath} ${program} "$@"`);
  return machine;
}

function writeRecipe(machine: LaunchMachine): void {
  machine.write(
    join(machine.project, ".claude/recipes/own-recipe.yaml"),
    "name: own-recipe\ndescription: d\nsteps:\n  - id: a\n    type: bash\n    command: 'true'\n",
  );
}

describe.each<TestedShell>(["bash", "zsh", "fish"])("completion in %s", shell => {
  it.skipIf(!hasShell(shell))(
    "offers commands, subcommands, flags, values, and the recipes and changes of the moment",
    async () => {
      const machine = machineWithProgram();
      writeRecipe(machine);
      const path = machine.write(join(machine.project, "notes.txt"), "call Ada");
      const call = { command: "rm notes.txt", targets: ["notes.txt"], how: "delete" as const };
      const id = await recordCall(createNodeSystem(), machine, call, () => rmSync(path));
      const wanted: readonly (readonly [readonly string[], unknown])[] = [
        [["me"], ["memory"]],
        [[""], expect.arrayContaining(["recipe"])],
        [[""], expect.not.arrayContaining(["bridge"])],
        [
          ["recipe", ""],
          [
            "approve",
            "artifacts",
            "cancel",
            "list",
            "logs",
            "resume",
            "run",
            "runs",
            "schedule",
            "show",
            "submit",
            "validate",
            "worker",
          ],
        ],
        [["claude", "--dr"], ["--dry-run"]],
        [["codex", "--skip-p"], []],
        [
          ["recipe", "list", "--format", ""],
          ["json", "table", "yaml"],
        ],
        [
          ["version", "-f", ""],
          ["json", "text"],
        ],
        [["hooks", "inspect", "--event", "PreT"], ["PreToolUse"]],
        [["hooks", "inspect", "--host", "claude"], ["claude-code"]],
        [["recipe", "run", "own"], ["own-recipe"]],
        [
          ["history", ""],
          ["clear", "list", "prune", "show", "verify"],
        ],
        [["history", "--all"], ["--all-projects"]],
        [["history", "show", ""], [id]],
        [["undo", ""], [id]],
        [["undo", "--tu"], ["--turn"]],
        [["redo", ""], []],
        [["undo", "--session", ""], ["s-1"]],
        [["undo", "--session", "--dry"], ["--dry-run"]],
        [["recipe", "run", "own-recipe", "--resume", "l"], ["last"]],
        [["guard", "why", "git.pu"], ["git.push"]],
        [["guard", "log", "--rule", "git.pu"], ["git.push"]],
        [["config", "set", "guard.lev"], ["guard.level"]],
        [["config", "get", "guard.rules.git.pu"], ["guard.rules.git.push"]],
        [["parts", "--off", "work"], ["workflow"]],
        [["parts", "off", "work"], ["workflow"]],
        [["doctor", "--host", "claude"], ["claude-code"]],
      ];
      const answers = offered(
        shell,
        machine,
        wanted.map(([words]) => words),
      );
      expect(wanted.map(([words], index) => [words, answers[index]])).toEqual(wanted);
    },
  );
});

describe.each([
  ["bash", ["--norc", "--noprofile", "-i"], "source <(amplihack completions bash)"],
  ["zsh", ["-f", "-i"], "autoload -Uz compinit && compinit -D -u; source <(amplihack completions zsh)"],
] as const)("the tabulator key in %s", (shell, words, load) => {
  it.skipIf(!hasTerminal || !hasShell(shell))("completes a command, a recipe and an event", async () => {
    const machine = machineWithProgram();
    writeRecipe(machine);
    const env = { ...machine.env, PS1: "READY> ", TERM: "dumb" };
    await driveTerminal([shell, ...words], { cwd: machine.project, env }, [
      { expect: "READY> " },
      { send: `${load}; echo lo""aded\n` },
      { expect: "loaded" },
      { expect: "READY> " },
      { send: "amplihack reci\t" },
      { expect: "amplihack recipe " },
      { send: "\u0015amplihack recipe run ow\t" },
      { expect: "amplihack recipe run own-recipe" },
      { send: "\u0015amplihack hooks inspect --event PreT\t" },
      { expect: "--event PreToolUse" },
      { send: "\u0015exit\n" },
    ]);
  });
});

describe("the table that the build writes beside the commands", () => {
  const built = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

  it.each([["--help"], ["completions", "bash"], ["completions", "zsh"], ["completions", "fish"]])(
    "says what the commands themselves say: %s %s",
    (...words) => {
      expect(existsSync(join(dirname(built), "../commands/table.json"))).toBe(true);
      const bySource = new LaunchMachine(program).run(...words);
      expect(new LaunchMachine(built).run(...words)).toEqual(bySource);
      expect(bySource.stdout).not.toBe("");
    },
  );
});

describe("amplihack complete", () => {
  it("prints the names of the moment, and none that a shell could take for more than a word", async () => {
    const user = newUserInside();
    const recipe = (name: string) => `name: "${name}"\ndescription: d\nsteps: [{id: a, command: "true"}]\n`;
    mkdirSync(join(user.project, ".claude/recipes"));
    for (const [index, name] of ["fine-one", "$(touch owned)", "`x`", "a;b", "-rf"].entries())
      writeFileSync(join(user.project, `.claude/recipes/${index}.yaml`), recipe(name));
    const names = async (kind: string) =>
      (await user.type(["complete", kind])).stdout.split("\n").slice(0, -1);
    expect(await names("recipe")).toEqual(expect.arrayContaining(["fine-one", "hello"]));
    expect((await names("recipe")).join("\n")).toMatch(/^[a-z0-9\n-]+$/);
    expect(await names("recipe")).not.toContain("-rf");
    await user.type(["recipe", "run", "fine-one"]);
    expect(await names("run")).toEqual(["last", expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    for (const kind of ["session", "change", "undoable", "redoable"]) expect(await names(kind)).toEqual([]);
    const wrong = await user.type(["complete", "chnge"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("did you mean change?")]);
  });
});

describe("amplihack completions", () => {
  it.each(["bash", "zsh", "fish", "powershell"])("prints the same script for %s every time", shell => {
    const machine = new LaunchMachine(program);
    const { code, stdout } = machine.run("completions", shell);
    expect(code).toBe(0);
    expect(stdout).toContain("validate");
    expect(machine.run("completions", shell).stdout).toBe(stdout);
  });

  it("names the nearest shell", () => {
    const { code, stderr } = new LaunchMachine(program).run("completions", "bsh");
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean bash?");
  });
});
