import { Buffer } from "node:buffer";
import type { JsonObject } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import type { RecipeRun } from "../run/run.ts";
import { renderShell } from "../shell-text/render-shell.ts";
import { mirrorOf } from "../values/context-mirror.ts";
import { allotVariables, chooseVariables } from "../values/shell-variables.ts";
import { describeMissing } from "../values/template.ts";

/** A shell script with everything it needs to run; `dispose` removes its files. */
export interface PreparedShell {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  dispose(): void;
}

/** Fed by a socket and without `SHLVL`, bash takes itself for a remote shell and would read `~/.bashrc`. */
const BASH = ["/bin/bash", "--norc"] as const;
/** A longer script is given as a file. */
const SCRIPT_BYTES = 64 * 1024;

/** Renders shell text for a context. Throws `ShellNestingError`. */
export function prepareShell(
  run: RecipeRun,
  context: JsonObject,
  source: string,
  stepVariables: Readonly<Record<string, string>>,
): PreparedShell {
  const { environment } = run;
  for (const warning of mirrorOf(context).warnings) run.warn(warning);
  const chooser = chooseVariables(context);
  const { script } = renderShell(source, chooser.variableFor);
  const variables = allotVariables(context, chooser, {
    usedBytes: environment.bytes,
    argumentLimit: environment.argumentLimit,
    override: environment.budgetOverride,
  });
  const env: Record<string, string> = {
    ...environment.inherited,
    PATH: environment.pathFor(source),
    ...variables.exported,
  };
  for (const name of variables.removed) delete env[name];
  Object.assign(env, environment.engine, stepVariables);

  const files = new StepFiles(run);
  try {
    const loads = [...variables.deferred]
      .filter(([name]) => !Object.hasOwn(environment.engine, name) && !Object.hasOwn(stepVariables, name))
      .map(([name, value]) => `IFS= read -r -d '' ${name} <'${files.write(value)}' || :; `);
    if (loads.length > 0) env["AMPLIHACK_CONTEXT_FILE"] = files.write(JSON.stringify(context));
    const whole = loads.join("") + script;
    const isLong = Buffer.byteLength(whole) > SCRIPT_BYTES;
    return {
      argv: isLong ? [...BASH, files.write(whole)] : [...BASH, "-c", whole],
      env,
      warnings: describeMissing(variables.missing),
      dispose: () => files.removeAll(),
    };
  } catch (error) {
    files.removeAll();
    throw error;
  }
}

/** Private files that live as long as one step. */
class StepFiles {
  private readonly run: RecipeRun;
  private readonly paths: string[] = [];

  constructor(run: RecipeRun) {
    this.run = run;
  }

  write(content: string): string {
    const { system, runtimeRoot, counter } = this.run;
    const path = join(runtimeRoot, `.step-${++counter.files}`);
    system.files.append(path, system.text.encode(content), 0o600);
    this.paths.push(path);
    return path;
  }

  removeAll(): void {
    for (const path of this.paths) removeQuietly(this.run.system, path);
  }
}

function removeQuietly({ files }: System, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The whole private directory goes at the end of the run; a leftover there is reported then.
  }
}
