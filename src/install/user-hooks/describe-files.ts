import { type BuiltHook, parseHook } from "../../hooks/index.ts";
import { errorText, type Json, memberAt, numberAt, readJson, stringAt } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { runProgram } from "../run-program.ts";

const TIMEOUT_MS = 10_000;

export type Described =
  | { readonly ok: true; readonly hooks: readonly BuiltHook[] }
  | { readonly ok: false; readonly problem: string };

/** Loads compiled files in a child and asks which hooks they export: what a file does when it is loaded stays there. */
export async function describeFiles(
  system: System,
  runner: readonly string[],
  paths: readonly string[],
): Promise<readonly Described[]> {
  const [node, ...script] = runner;
  if (node === undefined || paths.length === 0) return [];
  const mark = `amplihack-hook-${system.random.hex(32)}`;
  const input = JSON.stringify({ mark, describe: paths });
  const { stdout, stderr, end } = await runProgram(system, [node, ...script], {
    timeoutMs: TIMEOUT_MS,
    input,
    cwd: "/",
  });
  const answers = new Map<number, Described>();
  for (const line of stdout.split("\n")) {
    const read = line.startsWith(mark) ? readJson(line.slice(mark.length)) : undefined;
    const index = read?.ok === true ? numberAt(read.value, "index") : undefined;
    if (read?.ok === true && index !== undefined) answers.set(index, toDescribed(read.value));
  }
  const known = paths.map((_, index) => answers.get(index));
  const broken = known.indexOf(undefined);
  if (broken < 0) return known.filter(one => one !== undefined);
  const said = stderr.trim().split("\n").at(-1) ?? "";
  const problem =
    end.kind === "timeout"
      ? `loading it did not end within ${TIMEOUT_MS} ms`
      : `loading it ended Node ${said}`;
  // The files behind the one that took the process with it are asked again.
  const rest = await describeFiles(system, runner, paths.slice(broken + 1));
  return [...known.slice(0, broken).filter(one => one !== undefined), { ok: false, problem }, ...rest];
}

function toDescribed(answer: Json): Described {
  const problem = stringAt(answer, "problem");
  if (problem !== undefined) return { ok: false, problem };
  const hooks = memberAt(answer, "hooks");
  try {
    if (!Array.isArray(hooks)) throw new TypeError("its hooks were not understood");
    if (hooks.length === 0)
      return { ok: false, problem: "it exports no hook; export what defineHook returns" };
    return { ok: true, hooks: hooks.map((hook: Json, index) => parseHook(hook, `hooks[${index}]`)) };
  } catch (error) {
    return { ok: false, problem: errorText(error) };
  }
}
