import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { driveTerminal, hasTerminal } from "../launcher/drive-terminal.ts";
import { buildProgram, LaunchMachine } from "../launcher/launch-machine.ts";
import { ensureShell, type TestedShell } from "./shells.ts";

const program = buildProgram();

/** How to ask each shell what it would offer for the words typed so far, the last of them unfinished. */
const ASK: Readonly<Record<TestedShell, (script: string, words: readonly string[]) => readonly string[]>> = {
  bash: (script, words) => [
    "--norc",
    "-c",
    `set -u; source ${script}
COMP_WORDS=(${words.map(word => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}
_amplihack; printf '%s\\n' "\${COMPREPLY[@]-}"`,
  ],
  zsh: (script, words) => [
    "-f",
    "-c",
    `autoload -Uz compinit && compinit -D -u; source ${script}
[[ $_comps[amplihack] == _amplihack ]] || exit 9
compadd() { shift; print -rl -- "$@" }
_describe() { print -rl -- "\${(P@)2}" }
_files() { print -r -- "files $*" }
words=(${words.map(word => `"${word}"`).join(" ")}); CURRENT=${words.length}
_amplihack`,
  ],
  fish: (script, words) => ["--no-config", "-c", `source ${script}; complete -C "${words.join(" ")}"`],
};

/** What `amplihack completions` printed, by shell: it is the same for everybody. */
const scripts = new Map<TestedShell, string>();

function offered(shell: TestedShell, machine: LaunchMachine, ...words: readonly string[]): readonly string[] {
  const script = scripts.get(shell) ?? machine.run("completions", shell).stdout;
  scripts.set(shell, script);
  const path = machine.write(join(machine.home, `amplihack.${shell}`), script);
  const { status, stdout, stderr } = spawnSync(shell, ASK[shell](path, ["amplihack", ...words]), {
    encoding: "utf8",
    cwd: machine.project,
    env: machine.env,
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const typed = words.at(-1) ?? "";
  return stdout
    .split("\n")
    .map(line => line.split(/[\t:]/)[0]?.trim() ?? "")
    .filter(word => word !== "" && word.startsWith(typed))
    .sort();
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
  const hasShell = ensureShell(shell);

  it.skipIf(!hasShell)("offers commands", () => {
    expect(offered(shell, machineWithProgram(), "me")).toEqual(["memory"]);
    expect(offered(shell, machineWithProgram(), "")).toContain("recipe");
    expect(offered(shell, machineWithProgram(), "")).not.toContain("bridge");
  });

  it.skipIf(!hasShell)("offers subcommands", () => {
    const words = offered(shell, machineWithProgram(), "recipe", "");
    expect(words).toEqual(["list", "run", "show", "validate"]);
  });

  it.skipIf(!hasShell)("offers flags of the command at hand", () => {
    expect(offered(shell, machineWithProgram(), "claude", "--dr")).toEqual(["--dry-run"]);
    expect(offered(shell, machineWithProgram(), "codex", "--skip-p")).toEqual([]);
  });

  it.skipIf(!hasShell)("offers the values of a flag", () => {
    const words = offered(shell, machineWithProgram(), "recipe", "list", "--format", "");
    expect(words).toEqual(["json", "table", "yaml"]);
    expect(offered(shell, machineWithProgram(), "version", "-f", "")).toEqual(["json", "text"]);
  });

  it.skipIf(!hasShell)("offers hook events and hosts", () => {
    const machine = machineWithProgram();
    expect(offered(shell, machine, "hooks", "inspect", "--event", "PreT")).toEqual(["PreToolUse"]);
    expect(offered(shell, machine, "hooks", "inspect", "--host", "claude")).toEqual(["claude-code"]);
  });

  it.skipIf(!hasShell)("offers the recipes that are there at that moment", () => {
    const machine = machineWithProgram();
    writeRecipe(machine);
    expect(offered(shell, machine, "recipe", "run", "own")).toEqual(["own-recipe"]);
  });
});

describe.each([
  ["bash", ["--norc", "--noprofile", "-i"], "source <(amplihack completions bash)"],
  ["zsh", ["-f", "-i"], "autoload -Uz compinit && compinit -D -u; source <(amplihack completions zsh)"],
] as const)("the tabulator key in %s", (shell, words, load) => {
  it.skipIf(!hasTerminal || !ensureShell(shell))("completes a command, a recipe and an event", async () => {
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
