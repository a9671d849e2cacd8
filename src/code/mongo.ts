import { createBudget } from "../shell/budget.ts";
import type { Value } from "../shell/value.ts";
import { text } from "../shell/value.ts";
import { effortFor } from "./effort.ts";
import { parseJavaScript } from "./javascript/parse.ts";
import type { Datum } from "./meaning/datum.ts";
import { knownTextOf } from "./meaning/datum.ts";
import { runProgram } from "./meaning/evaluate.ts";
import { passes } from "./meaning/models.ts";
import type { Call, Library, Model } from "./meaning/run.ts";
import { createRun } from "./meaning/run.ts";
import { sourceOf } from "./source.ts";

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

const MOST_STEPS = 20_000_000;

/** Read mongosh code for drops and for deletions without a condition. Never throws, linear. */
export function readMongo(code: Value): MongoReading {
  const losses: MongoLoss[] = [];
  const source = sourceOf(code);
  const effort = effortFor(source.text.length, createBudget(MOST_STEPS));
  const context = {
    cwd: text("."),
    home: "",
    tmpdir: "",
    user: undefined,
    arguments: [],
    stdin: undefined,
    environment: () => undefined,
    budget: effort.budget,
  };
  const run = createRun(mongoLibrary(losses), source, context, 0, effort);
  runProgram(run, parseJavaScript(source.text, effort));
  return { losses, isComplete: !effort.isCutShort };
}

function mongoLibrary(losses: MongoLoss[]): Library {
  const notes = (kind: MongoLoss["kind"], isLoss: (call: Call) => boolean): Model => {
    return call => {
      const target = targetOf(call);
      if (target !== undefined && isLoss(call)) losses.push({ kind, target, at: call.at });
      return undefined;
    };
  };
  const always = (): boolean => true;
  return {
    language: "javascript",
    parse: parseJavaScript,
    models: new Map([["String", passes()]]),
    methods: new Map<string, Model>([
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
function targetOf(call: Call): string | undefined {
  const road = call.path.slice(0, call.path.lastIndexOf("."));
  return /^(?:db|conn|client|connection|mongo|Mongo)\b/.test(road) ? road : undefined;
}

function isEmptyFilter(filter: Datum | undefined): boolean {
  return filter === undefined || (filter.kind === "record" && filter.fields.size === 0);
}

function namesDrop(command: Datum | undefined): boolean {
  if (command?.kind === "record") return command.fields.has("dropDatabase") || command.fields.has("drop");
  return /^drop/.test(knownTextOf(command) ?? "");
}
