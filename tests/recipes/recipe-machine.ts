import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rememberRefusal } from "../../src/hooks/index.ts";
import type { JsonObject } from "../../src/protocol/index.ts";
import type { RunEvent } from "../../src/recipes/logs/events.ts";
import type { RunOutcome, StepResult } from "../../src/recipes/run/result.ts";
import { runRecipe } from "../../src/recipes/run/run-recipe.ts";
import type { RunRequest } from "../../src/recipes/run/run-request.ts";
import { sha256Hex } from "../../src/system/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { type System, SystemError } from "../../src/system/system.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** A home and a project of its own for one test; everything else is the real machine. */
export interface RecipeMachine {
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string>;
  readonly system: System;
  /** what happened, without the output of steps */
  readonly events: RunEvent[];
  write(path: string, content: string, mode?: number): string;
  run(request: Partial<RunRequest> & { readonly recipe: string }): Promise<RanRecipe>;
  /** writes the text as `recipe.yaml` of the project and runs it */
  runText(text: string, request?: Partial<RunRequest>): Promise<RanRecipe>;
}

export interface RanRecipe extends RunOutcome {
  readonly steps: Readonly<Record<string, StepResult>>;
  readonly results: readonly StepResult[];
  readonly context: JsonObject;
}

export function recipeMachine(env: Record<string, string> = {}): RecipeMachine {
  const root = temporaryDirectory();
  const home = join(root, "home");
  const project = join(root, "project");
  for (const directory of [home, project, join(root, "tmp")]) mkdirSync(directory);
  const variables: Record<string, string> = {
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    TMPDIR: join(root, "tmp"),
    LC_ALL: "C.UTF-8",
    ...env,
  };
  const node = createNodeSystem();
  const system: System = {
    ...node,
    files: {
      ...node.files,
      workingDirectory: () => project,
      // Whether an agent runs the tests must not matter: nothing above this process is seen.
      read: (path, limit) => {
        if (/^\/proc\/\d+\/(stat|environ|cmdline)$/.test(path)) throw new SystemError("ENOENT", "read", path);
        return node.files.read(path, limit);
      },
    },
    processes: { ...node.processes, list: () => new Map() },
    env: { get: name => variables[name], names: () => Object.keys(variables) },
  };
  const events: RunEvent[] = [];
  const machine: RecipeMachine = {
    home,
    project,
    env: variables,
    system,
    events,
    write(path, content, mode = 0o644) {
      const file = path.startsWith("/") ? path : join(project, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      chmodSync(file, mode);
      return file;
    },
    async run(request) {
      const note = (event: RunEvent): void => {
        if (event.kind !== "output") events.push(event);
      };
      const outcome = await runRecipe({ observer: note, ...request }, system);
      const document = outcome.document as JsonObject;
      const results = (document["step_results"] ?? []) as unknown as StepResult[];
      return {
        ...outcome,
        results,
        steps: Object.fromEntries(results.map(result => [result.step_id, result])),
        context: (document["context"] ?? {}) as JsonObject,
      };
    },
    runText(text, request = {}) {
      return machine.run({ recipe: machine.write("recipe.yaml", text), ...request });
    },
  };
  return machine;
}

/** As after a question about a command that runs a file of this text. */
export function askAbout({ system, home }: RecipeMachine, ...texts: readonly string[]): void {
  rememberRefusal(system, join(home, ".amplihack"), {
    code: "ABCDEF",
    command: "amplihack recipe run recipe.yaml",
    cwd: "/",
    rules: [],
    files: texts.map((text, index) => ({
      path: `/file-${index}`,
      sha256: sha256Hex(system.text.encode(text)),
    })),
    refusedMs: system.clock.nowMs(),
  });
}

/** A launcher that records how it was called and answers with what `script` prints. */
export function scriptedAgent(machine: RecipeMachine, script: string): string {
  const path = machine.write(
    join(machine.home, "agent"),
    `#!/bin/bash
n=$(($(cat "$HOME/calls" 2>/dev/null || echo 0) + 1)); echo $n > "$HOME/calls"
printf '%s\\0' "$@" > "$HOME/argv.$n"; cat > "$HOME/stdin.$n"; env -0 > "$HOME/env.$n"; pwd > "$HOME/cwd.$n"
${script}
`,
    0o755,
  );
  machine.env["AMPLIHACK_LAUNCHER_BINARY"] = path;
  return path;
}

/** An agent that knows by a phrase of the prompt what it is asked; the last word of its arguments is not the prompt. */
export function agentThat(machine: RecipeMachine, answers: Readonly<Record<string, string>>): void {
  const cases = Object.entries(answers).map(
    ([phrase, script]) => `*${JSON.stringify(phrase)}*) ${script} ;;`,
  );
  scriptedAgent(
    machine,
    `asked="$* $(cat "$HOME/stdin.$n")"\ncase "$asked" in\n${cases.join("\n")}\n*) echo "unexpected: $asked" >&2; exit 9 ;;\nesac`,
  );
}
