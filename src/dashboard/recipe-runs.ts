import { numberAt, stringAt } from "../protocol/members.ts";
import { clip } from "../state/index.ts";
import { basename, join } from "../system/paths.ts";
import { hasErrorCode, type System } from "../system/system.ts";
import { parseObject } from "./entries.ts";
import { LogReader } from "./log-reader.ts";

export interface RecipeRun {
  readonly runId: string;
  readonly recipe: string;
  /** `unfinished` as long as the log has no end */
  readonly status: string;
  readonly started: string;
  readonly durationMs: number | null;
  readonly steps: readonly RecipeStep[];
}

interface RecipeStep {
  readonly path: string;
  readonly type: string;
  readonly status: string;
  readonly durationMs: number | null;
  readonly exitCode: number | null;
}

const SHOWN_RUNS = 50;
const SHOWN_STEPS = 500;
const WORD_LENGTH = 200;

/** The newest runs of recipes, from their logs. */
export function readRecipeRuns(system: System, folder: string): readonly RecipeRun[] {
  return newestLogs(system, folder).map(path => readRun(system, path));
}

function newestLogs({ files }: System, folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = files.list(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
  return names
    .filter(name => name.endsWith(".jsonl") && !name.startsWith("."))
    .map(name => join(folder, name))
    .map(path => ({ path, facts: files.inspect(path) }))
    .filter(({ facts }) => facts?.kind === "file")
    .sort((one, other) => (other.facts?.modifiedMs ?? 0) - (one.facts?.modifiedMs ?? 0))
    .slice(0, SHOWN_RUNS)
    .map(({ path }) => path);
}

function readRun(system: System, path: string): RecipeRun {
  let run = { recipe: "", status: "unfinished", started: "", durationMs: null as number | null };
  const steps = new Map<string, RecipeStep>();
  for (const { lines } of new LogReader(system, path).read()) {
    for (const line of lines) {
      const record = parseObject(line);
      if (record === undefined) continue;
      const word = (name: string): string => clip(stringAt(record, name) ?? "", WORD_LENGTH);
      const number = (name: string): number | null => numberAt(record, name) ?? null;
      const at = word("path");
      switch (word("event")) {
        case "recipe_start":
          // A recipe inside a recipe starts too; the outermost comes first.
          if (run.started === "") run = { ...run, recipe: word("recipe_name"), started: word("ts") };
          break;
        case "recipe_end":
          run = { ...run, status: word("status"), durationMs: number("duration_ms") };
          break;
        case "step_start":
        case "step_end": {
          const known = steps.get(at);
          if (known === undefined && steps.size >= SHOWN_STEPS) break;
          steps.set(at, {
            path: at,
            type: word("step_type") || (known?.type ?? ""),
            status: word("status") || "unfinished",
            durationMs: number("duration_ms"),
            exitCode: number("exit_code"),
          });
          break;
        }
      }
    }
  }
  return { runId: basename(path).slice(0, -".jsonl".length), ...run, steps: [...steps.values()] };
}
