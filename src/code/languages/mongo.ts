import { createBudget } from "../../shell/budget.ts";
import type { Value } from "../../shell/value.ts";
import { text } from "../../shell/value.ts";
import type { FunctionCall, LanguageDefinition, LibraryFunction } from "../meaning/context.ts";
import { createContext } from "../meaning/context.ts";
import type { Datum } from "../meaning/datum.ts";
import { knownTextOf } from "../meaning/datum.ts";
import { runProgram } from "../meaning/evaluate.ts";
import { passes } from "../meaning/models.ts";
import { createReadingBudget } from "../syntax/reading-budget.ts";
import { sourceOf } from "../syntax/source.ts";
import { parseJavaScript } from "./javascript/parse.ts";

/** Something that mongosh code destroys as a whole. */
export interface MongoLoss {
  readonly kind: "database" | "collection" | "documents";
  /** The road to it as written: `db.users`. */
  readonly target: string;
  readonly at: number;
}

export interface MongoReading {
  readonly losses: readonly MongoLoss[];
  readonly isComplete: boolean;
}

const MAX_STEPS = 20_000_000;

/** Read mongosh code for drops and for deletions without a condition. Never throws, linear. */
export function readMongo(code: Value): MongoReading {
  const losses: MongoLoss[] = [];
  const source = sourceOf(code);
  const budget = createReadingBudget(source.text.length, createBudget(MAX_STEPS));
  const inputs = {
    cwd: text("."),
    home: "",
    tmpdir: "",
    user: undefined,
    arguments: [],
    stdin: undefined,
    environment: () => undefined,
    budget: budget.total,
  };
  const context = createContext(mongoLibrary(losses), source, inputs, 0, budget);
  runProgram(context, parseJavaScript(source.text, budget));
  return { losses, isComplete: !budget.isCutShort };
}

function mongoLibrary(losses: MongoLoss[]): LanguageDefinition {
  const notes = (kind: MongoLoss["kind"], isLoss: (call: FunctionCall) => boolean): LibraryFunction => {
    return call => {
      const target = targetOf(call);
      if (target !== undefined && isLoss(call)) losses.push({ kind, target, at: call.at });
      return undefined;
    };
  };
  const always = (): boolean => true;
  return {
    id: "javascript",
    parse: parseJavaScript,
    functions: new Map([["String", passes()]]),
    methods: new Map<string, LibraryFunction>([
      ["dropDatabase", notes("database", always)],
      ["drop", notes("collection", always)],
      ["deleteMany", notes("documents", call => isEmptyFilter(call.positional[0]))],
      ["remove", notes("documents", call => isEmptyFilter(call.positional[0]))],
      ["runCommand", notes("database", call => namesDrop(call.positional[0]))],
      ["adminCommand", notes("database", call => namesDrop(call.positional[0]))],
    ]),
    constants: new Map(),
    properties: new Map(),
    canonical: path => path,
    environments: new Set(),
    returnsLast: false,
  };
}

/** Only what hangs on a database handle counts: `array.remove()` is something else. */
function targetOf(call: FunctionCall): string | undefined {
  const road = call.name.slice(0, call.name.lastIndexOf("."));
  return /^(?:db|conn|client|connection|mongo|Mongo)\b/.test(road) ? road : undefined;
}

function isEmptyFilter(filter: Datum | undefined): boolean {
  return filter === undefined || (filter.kind === "record" && filter.fields.size === 0);
}

function namesDrop(command: Datum | undefined): boolean {
  if (command?.kind === "record") return command.fields.has("dropDatabase") || command.fields.has("drop");
  return /^drop/.test(knownTextOf(command) ?? "");
}
