import type { Value } from "../../shell/index.ts";
import { type Datum, knownDatumText } from "../meaning/datum.ts";
import { runInDatabase, standaloneBudget } from "../meaning/evaluate.ts";
import type { FunctionCall, LanguageDefinition, LibraryFunction } from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { createSource } from "../syntax/source.ts";
import { parseJavaScript } from "./javascript/syntax.ts";

/** Something that mongosh code destroys as a whole. */
interface MongoLoss {
  readonly kind: "database" | "collection" | "documents" | "rights";
  /** Its name as written: `db.users`. */
  readonly target: string;
  readonly at: number;
}

interface MongoReading {
  readonly losses: readonly MongoLoss[];
  readonly isComplete: boolean;
}

/** Read mongosh code for drops and for deletions without a condition. Never throws, linear. */
export function readMongo(code: Value): MongoReading {
  const losses: MongoLoss[] = [];
  const source = createSource(code);
  const budget = standaloneBudget(source.text.length);
  runInDatabase(mongoLanguage(losses), source, budget);
  return { losses, isComplete: !budget.isCutShort };
}

function mongoLanguage(losses: MongoLoss[]): LanguageDefinition {
  const loses = (
    kind: MongoLoss["kind"],
    isLoss: (argument: Datum | undefined) => boolean,
  ): LibraryFunction => {
    return call => {
      const target = findTarget(call);
      if (target !== undefined && isLoss(call.positional[0])) losses.push({ kind, target, at: call.at });
      return undefined;
    };
  };
  return defineLanguage({
    id: "javascript",
    parse: parseJavaScript,
    functions: () => [["String", "gives", "0"]],
    methods: () => [
      ["dropDatabase", loses("database", () => true)],
      ["drop", loses("collection", () => true)],
      ["deleteMany remove updateMany replaceMany", loses("documents", isEmptyFilter)],
      ["shutdownServer", loses("database", () => true)],
      ["runCommand adminCommand", loses("database", namesDrop)],
      ["grantRolesToUser grantPrivilegesToRole grantRolesToRole createUser", loses("rights", () => true)],
    ],
  });
}

/** Only what hangs on a database handle counts: `array.remove()` is something else. */
function findTarget(call: FunctionCall): string | undefined {
  const name = call.name.slice(0, call.name.lastIndexOf("."));
  return /^(?:db|conn|client|connection|mongo|Mongo)\b/.test(name) ? name : undefined;
}

function isEmptyFilter(filter: Datum | undefined): boolean {
  return filter === undefined || (filter.kind === "record" && filter.fields.size === 0);
}

function namesDrop(command: Datum | undefined): boolean {
  if (command?.kind === "record") return command.fields.has("dropDatabase") || command.fields.has("drop");
  return /^drop/.test(knownDatumText(command) ?? "");
}
