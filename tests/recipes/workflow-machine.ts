import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentThat, type RecipeMachine, recipeMachine } from "./recipe-machine.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

/** A task that would do harm if any of it were run as shell. */
export const TASK = "Add two numbers; it's \"easy\" $(touch harm) `touch harm` & 'quotes'";

/** Stands in for the forge's program: records how it is called, remembers what it made. CI wants a file `ci.txt`. */
const GH = `#!/bin/bash
printf '%s\\n' "$*" >> "$HOME/gh.log"
body() { while [ $# -gt 0 ]; do [ "$1" = --body-file ] && cat "$2"; shift; done; }
case "$1 $2" in
  "api "*/protection) echo "gh: Not Found (HTTP 404)" >&2; exit 1 ;;
  "api "*/rules/*) cat "$HOME/rules" 2>/dev/null || echo '[]' ;;
  "api "*) echo '{"protected": true}' ;;
  "repo view") echo main ;;
  "issue list") cat "$HOME/issue" 2>/dev/null ;;
  "issue create") body "$@" > "$HOME/issue.md"; echo 7 > "$HOME/issue"; echo https://forge.test/o/r/issues/7 ;;
  "pr list") cat "$HOME/pr" 2>/dev/null ;;
  "pr create") body "$@" > "$HOME/pr.md"; echo https://forge.test/o/r/pull/8 | tee "$HOME/pr" ;;
  "pr checks")
    for ref in $(git --git-dir "$HOME/remote.git" for-each-ref --format='%(refname)'); do
      git --git-dir "$HOME/remote.git" cat-file -e "$ref:ci.txt" 2>/dev/null && { echo "build pass"; exit 0; }
    done
    echo "build fail"; exit 1 ;;
  "run list") echo 99 ;;
  "run view") echo "server: ci.txt is missing" ;;
  "pr view") cat "$HOME/state" 2>/dev/null || echo OPEN ;;
  "pr merge") echo MERGED > "$HOME/state" ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
`;

export const UNDERSTOOD = {
  kind: "feature",
  title: "Add numbers",
  goal: "Numbers can be added.",
  done_when: ["2 and 3 are 5"],
};

export const say = (value: unknown): string => `echo '${JSON.stringify(value)}'`;

/** What an agent does that makes a mistake in each round and repairs it when told. */
export const ANSWERS: Readonly<Record<string, string>> = {
  "Read what you need": say(UNDERSTOOD),
  "Plan the smallest": "echo '1. write add.sh'",
  "Write the tests first": `echo '[ "$(bash add.sh 2 3)" = 5 ]' > test.sh; echo wrote test.sh`,
  "Carry out this plan": "echo 'echo $(($1 - $2))' > add.sh; echo wrote add.sh",
  "Repair the causes": "echo 'echo $(($1 + $2))' > add.sh; echo repaired",
  "Review the uncommitted": say({
    approved: false,
    findings: [{ file: "add.sh", problem: "p", severity: "must" }],
  }),
  "A review of your change": "touch addressed; echo done",
  "The checks on the server": "touch ci.txt; echo done",
};

export interface WorkflowMachine {
  readonly machine: RecipeMachine;
  git(...words: readonly string[]): string;
  /** how the forge's program was called, without what follows the first two words */
  forgeCalls(): readonly string[];
  agentCalls(): number;
  homeFile(name: string): string;
}

/** A project with one commit, a Makefile that runs its test, and on request a remote and a forge. */
export function workflowMachine(
  answers: Readonly<Record<string, string>>,
  parts: { readonly remote?: boolean; readonly forge?: boolean } = {},
): WorkflowMachine {
  const machine = recipeMachine();
  const { home, project, env } = machine;
  env["PATH"] = `${home}/bin:${env["PATH"]}`;
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-C", project, ...words], { env, encoding: "utf8" }).trim();
  mkdirSync(join(home, "bin"));
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\nname = Test\nemail = test@example.test\n[init]\ndefaultBranch = main\n",
  );
  machine.write("Makefile", "test:\n\tbash test.sh\n");
  machine.write("test.sh", "true\n");
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  if (parts.remote === true) {
    git("init", "-q", "--bare", join(home, "remote.git"));
    git("remote", "add", "origin", join(home, "remote.git"));
    git("push", "-q", "origin", "main");
  }
  if (parts.forge === true) {
    machine.write(join(home, "bin/gh"), GH, 0o755);
    machine.write(
      join(home, "bin/amplihack"),
      `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
      0o755,
    );
  }
  agentThat(machine, answers);
  const homeFile = (name: string) =>
    existsSync(join(home, name)) ? readFileSync(join(home, name), "utf8") : "";
  return {
    machine,
    git,
    homeFile,
    forgeCalls: () =>
      homeFile("gh.log")
        .split("\n")
        .filter(line => line !== "" && !line.startsWith("api "))
        .map(line => line.split(" ").slice(0, 2).join(" ")),
    agentCalls: () => Number(homeFile("calls")),
  };
}
