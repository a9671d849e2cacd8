import type { SqlToken } from "./tokens.ts";

/**
 * What a statement destroys. `index` is a DROP INDEX without CONCURRENTLY; `delete-rows` and `update-rows`
 * touch every row; `other` the rest of what can be dropped (view, function, sequence …).
 */
export type SqlLoss =
  | "database"
  | "schema"
  | "table"
  | "index"
  | "user"
  | "column"
  | "partition"
  | "truncate"
  | "delete-rows"
  | "update-rows"
  | "other";

/** A bare word in capitals; nothing for names, texts and marks. */
export function keyword(token: SqlToken | undefined): string {
  return token?.kind === "word" ? token.text.toUpperCase() : "";
}

interface Loss {
  readonly loss: SqlLoss | undefined;
  readonly target: string | undefined;
}

/** The statement itself, or one inside it. */
export interface Part extends Loss {
  readonly verb: string;
}

const NO_LOSS: Loss = { loss: undefined, target: undefined };

export function partOf(tokens: readonly SqlToken[]): Part {
  const verb = keyword(tokens[0]);
  return { verb, ...(READERS.get(verb)?.(tokens) ?? NO_LOSS) };
}

type ReadLoss = (tokens: readonly SqlToken[]) => Loss;

const READERS: ReadonlyMap<string, ReadLoss> = new Map<string, ReadLoss>([
  ["DROP", readDrop],
  ["TRUNCATE", tokens => ({ loss: "truncate", target: nameAfter(tokens, 1, /^(?:TABLE|ONLY)$/) })],
  ["DELETE", tokens => readRows(tokens, "delete-rows")],
  ["UPDATE", tokens => readRows(tokens, "update-rows")],
  ["ALTER", readAlter],
]);

const DROPPED: ReadonlyMap<string, SqlLoss> = new Map<string, SqlLoss>([
  ["DATABASE", "database"],
  ["KEYSPACE", "database"],
  ["SCHEMA", "schema"],
  ["TABLE", "table"],
  ["COLLECTION", "table"],
  ["INDEX", "index"],
  ["USER", "user"],
  ["ROLE", "user"],
  ["LOGIN", "user"],
  ["OWNED", "schema"],
  ["TABLESPACE", "database"],
]);

/** Prepared statements, cursors and temporary tables hold no data of their own. */
const HARMLESS_DROPS = new Set(["TEMPORARY", "TEMP", "PREPARE", "STATISTICS"]);

function readDrop(tokens: readonly SqlToken[]): Loss {
  const words = tokens.slice(1, 6).map(keyword);
  const first = words.find(word => !/^(?:MATERIALIZED|FOREIGN|EXTERNAL|UNIQUE|CLUSTERED)$/.test(word)) ?? "";
  if (HARMLESS_DROPS.has(first)) return NO_LOSS;
  const loss = DROPPED.get(first) ?? "other";
  const objectAt = tokens.findIndex(token => keyword(token) === first);
  const target = nameAfter(tokens, objectAt + 1, /^(?:IF|EXISTS|CONCURRENTLY|BY)$/);
  const isConcurrent = loss === "index" && words.includes("CONCURRENTLY");
  return { loss: isConcurrent ? undefined : loss, target };
}

/** Every row, unless a condition at the same level says which. */
function readRows(tokens: readonly SqlToken[], loss: "delete-rows" | "update-rows"): Loss {
  const where = tokens.findIndex(token => keyword(token) === "WHERE");
  const target = nameAfter(tokens, 1, /^(?:FROM|ONLY|LOW_PRIORITY|IGNORE|QUICK|OR|TOP)$/);
  const isLimited = where !== -1 && !isAlwaysTrue(tokens.slice(where + 1));
  return { loss: isLimited ? undefined : loss, target };
}

/** `WHERE 1`, `WHERE 1=1`, `WHERE true` choose nothing. */
function isAlwaysTrue(condition: readonly SqlToken[]): boolean {
  const end = condition.findIndex(token => /^(?:RETURNING|ORDER|LIMIT)$/.test(keyword(token)));
  const words = condition.slice(0, end === -1 ? undefined : end);
  if (words.length === 0) return true;
  const [first, operator, second] = words;
  if (words.length === 1) return /^(?:TRUE|[1-9]\d*)$/i.test(first?.text ?? "");
  return (
    words.length === 3 && operator?.text === "=" && first?.kind !== "word" && first?.text === second?.text
  );
}

/** Actions of ALTER TABLE that drop something else than a column. */
const NOT_A_COLUMN = /^(?:CONSTRAINT|INDEX|KEY|PRIMARY|FOREIGN|CHECK|DEFAULT|NOT|EXPRESSION|IDENTITY)$/;

function readAlter(tokens: readonly SqlToken[]): Loss {
  const table = nameAfter(tokens, 2, /^(?:IF|EXISTS|ONLY)$/);
  if (keyword(tokens[1]) !== "TABLE") return { loss: undefined, target: table };
  for (const [index, token] of tokens.entries()) {
    const word = keyword(token);
    if (word !== "DROP" && word !== "TRUNCATE") continue;
    const next = keyword(tokens[index + 1]);
    if (next === "PARTITION") return { loss: "partition", target: table };
    // `ALTER COLUMN c DROP NOT NULL` changes a column, it loses none.
    if (word === "DROP" && !NOT_A_COLUMN.test(next) && !isColumnChange(tokens, index))
      return { loss: "column", target: table };
  }
  return { loss: undefined, target: table };
}

function isColumnChange(tokens: readonly SqlToken[], dropAt: number): boolean {
  for (let index = dropAt - 1; index > 1; index -= 1) {
    if (tokens[index]?.text === ",") return false;
    if (/^(?:ALTER|MODIFY)$/.test(keyword(tokens[index]))) return true;
  }
  return false;
}

/** A name with its dots, behind words that only qualify. */
function nameAfter(tokens: readonly SqlToken[], start: number, skipped: RegExp): string | undefined {
  let index = start;
  while (skipped.test(keyword(tokens[index]))) index += 1;
  let name = "";
  for (; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined || token.kind === "number" || (token.kind === "mark" && token.text !== "."))
      break;
    if (name !== "" && token.kind !== "mark" && !name.endsWith(".")) break;
    name += token.text;
  }
  return name === "" ? undefined : name;
}
