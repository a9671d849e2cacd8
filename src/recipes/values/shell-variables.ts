import { Buffer } from "node:buffer";
import type { JsonObject } from "../../protocol/index.ts";
import { createMirror, type Mirror, variableName } from "./recipe-context.ts";
import { valueAtPath, valueText } from "./value.ts";

/** Variables of one shell script: those its environment can carry, and those its preamble has to load. */
interface ShellVariables {
  readonly exported: Readonly<Record<string, string>>;
  readonly deferred: ReadonlyMap<string, string>;
  /** names that must not come through from outside */
  readonly removed: readonly string[];
  readonly missing: readonly string[];
}

/** Chooses a variable for each placeholder of a script while it is rendered, and remembers what they need. */
interface VariableChooser {
  readonly variableFor: (path: string) => string;
  readonly chosen: () => {
    readonly extra: ReadonlyMap<string, string>;
    readonly missing: ReadonlyMap<string, string>;
  };
}

/** A longer value does not fit into one environment string everywhere. */
const MAX_VALUE_BYTES = 96 * 1024;
/** Left for what the step itself adds before it starts programs. */
const HEADROOM_BYTES = 128 * 1024;
/** What one variable costs besides its text. */
const ENTRY_BYTES = 2 + 8;
const ESSENTIAL =
  /^RECIPE_VAR_(?:task_description|repo_path|existing_branch|should_\w*)$|^(?:TASK_DESCRIPTION|REPO_PATH|EXISTING_BRANCH|SHOULD_\w*)$/;

export function chooseVariables(context: JsonObject): VariableChooser {
  const { variables } = createMirror(context);
  const extra = new Map<string, string>();
  const missing = new Map<string, string>();
  const names = new Map<string, string>();

  function choose(path: string): string {
    const value = valueAtPath(context, path.split("."));
    const usual = variableName(path);
    const owner = variables.get(usual);
    if (owner?.keys === path.replaceAll(".", "\0")) return usual;
    // Another value stands under the usual name, so this placeholder gets one of its own.
    const name = owner === undefined && !extra.has(usual) ? usual : `RECIPE_VALUE_${names.size}`;
    if (value === undefined) missing.set(name, path);
    else extra.set(name, valueText(value).replaceAll("\0", ""));
    return name;
  }

  return {
    variableFor(path) {
      const name = names.get(path) ?? choose(path);
      names.set(path, name);
      return name;
    },
    chosen: () => ({ extra, missing }),
  };
}

interface EnvironmentBudget {
  /** bytes that the rest of the environment takes */
  readonly usedBytes: number;
  /** the max that programs may be given, arguments included; asked only when it matters */
  readonly argumentLimit: () => number;
  /** bytes for context values, instead of what the limit leaves */
  readonly override: number | undefined;
}

/** No system gives programs less than this. */
const MIN_ARGUMENT_BYTES = 128 * 1024;

/** Splits the variables into what the environment carries, smallest first, and what is loaded by the script. */
export function allotVariables(
  context: JsonObject,
  chooser: VariableChooser,
  budget: EnvironmentBudget,
): ShellVariables {
  const { extra, missing } = chooser.chosen();
  const all = new Map<string, string>();
  const mirror: Mirror = createMirror(context);
  for (const [name, value] of mirror.aliases) all.set(name, value);
  for (const [name, { value }] of mirror.variables) all.set(name, value);
  for (const [name, value] of extra) all.set(name, value);

  const sized = [...all].map(([name, value]) => ({ name, value, bytes: entryBytes(name, value) }));
  const total = sized.reduce((sum, entry) => sum + entry.bytes, 0);
  const exported: Record<string, string> = {};
  const deferred = new Map<string, string>();
  const limit = budget.override ?? roomFor(total, budget);
  const isRoomy = total <= limit && sized.every(({ value }) => value.length * 3 <= MAX_VALUE_BYTES);
  let used = 0;
  for (const { name, value, bytes } of isRoomy ? sized : sized.sort(byImportance)) {
    // Who lowers the budget still gets the values every recipe relies on, as far as the machine has room.
    const max = ESSENTIAL.test(name) ? Math.max(limit, roomFor(total, budget)) : limit;
    if (isRoomy || (used + bytes <= max && Buffer.byteLength(value) <= MAX_VALUE_BYTES)) {
      exported[name] = value;
      used += bytes;
    } else deferred.set(name, value);
  }
  return {
    exported,
    deferred,
    removed: [...missing.keys(), ...deferred.keys()],
    missing: [...missing.values()],
  };
}

function roomFor(total: number, budget: EnvironmentBudget): number {
  if (budget.usedBytes + total <= MIN_ARGUMENT_BYTES / 2) return total;
  return Math.max(0, budget.argumentLimit() - HEADROOM_BYTES - budget.usedBytes);
}

interface Sized {
  readonly name: string;
  readonly bytes: number;
}

function byImportance(a: Sized, b: Sized): number {
  const rank = ({ name }: Sized) => (ESSENTIAL.test(name) ? 0 : 1);
  return rank(a) - rank(b) || a.bytes - b.bytes;
}

function entryBytes(name: string, value: string): number {
  return Buffer.byteLength(name) + Buffer.byteLength(value) + ENTRY_BYTES;
}

export function environmentBytes(environment: Readonly<Record<string, string>>): number {
  return Object.entries(environment).reduce((sum, [name, value]) => sum + entryBytes(name, value), 0);
}
