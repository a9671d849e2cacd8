import { type Value, wordSet } from "../../shell/index.ts";
import { standaloneBudget } from "../meaning/evaluate.ts";
import { createSource, type ReadingBudget, step } from "../syntax/source.ts";

/** One statement of SQL text, told by its verb; `loss` is undefined for what destroys nothing as a whole. */
interface SqlStatement {
  /** First keyword in upper case: `SELECT`, `DROP`, `DELETE` … */
  readonly verb: string;
  readonly loss: SqlLoss | undefined;
  /** What is lost, as written and without quotes. */
  readonly target: string | undefined;
  /** EXPLAIN in front, which only plans. */
  readonly isExplained: boolean;
  /** Between BEGIN and ROLLBACK, with no COMMIT: nothing stays. */
  readonly isRolledBack: boolean;
  readonly at: number;
}

interface SqlReading {
  readonly statements: readonly SqlStatement[];
  readonly isComplete: boolean;
}

const MAX_DEPTH = 4;

/** Words without which no statement destroys anything, and none is run that stands in a text. */
let mayLose: RegExp | undefined;

/**
 * The statements of SQL text; none where nothing can be lost. Strings, comments and quoted names are told apart from
 * words; never throws, linear.
 */
export function readSql(code: Value, dialect: SqlDialect): SqlReading {
  const { text } = createSource(code);
  mayLose ??= new RegExp([...READERS.keys(), ...EXECUTORS].join("|"), "i");
  if (!mayLose.test(text)) return { statements: [], isComplete: true };
  const budget = standaloneBudget(text.length);
  const statements = readText(text, dialect, budget, 0);
  return { statements: markRolledBack(statements), isComplete: !budget.isCutShort };
}

/** The dialect a client program speaks. */
export function findDialect(program: string): SqlDialect {
  if (/^(?:mysql|mariadb|clickhouse)/.test(program)) return "mysql";
  if (/^(?:psql|cockroach|duckdb|pgcli)/.test(program)) return "postgres";
  if (/^(?:sqlite|litecli)/.test(program)) return "sqlite";
  return /^(?:sqlcmd|mssql|bcp)/.test(program) ? "sqlserver" : "other";
}

function readText(text: string, dialect: SqlDialect, budget: ReadingBudget, depth: number): SqlStatement[] {
  const tokens = tokeniseSql(text, dialect, budget);
  const statements: SqlStatement[] = [];
  let start = 0;
  for (let index = 0; index <= tokens.length; index += 1) {
    const token = tokens[index];
    if (token !== undefined && !isSeparator(token)) continue;
    const own = tokens.slice(start, index);
    start = index + 1;
    if (own.length > 0) statements.push(...readStatement(own, dialect, budget, depth));
  }
  return statements;
}

function isSeparator(token: SqlToken): boolean {
  if (token.kind === "mark") return token.text === ";";
  return token.kind === "word" && token.startsLine && /^go$/i.test(token.text);
}

/** The words of one statement, keywords in upper case, for easy comparison. */
interface Statement {
  readonly tokens: readonly SqlToken[];
  readonly at: number;
}

function readStatement(
  tokens: readonly SqlToken[],
  dialect: SqlDialect,
  budget: ReadingBudget,
  depth: number,
): SqlStatement[] {
  const explained = explainLength(tokens);
  const statement: Statement = { tokens: tokens.slice(explained), at: tokens[0]?.at ?? 0 };
  const isExplained = explained > 0;
  const found = [...innerStatements(statement), ...mainStatements(statement)].map(part => ({
    verb: part.verb,
    loss: part.loss,
    target: part.target,
    isExplained,
    isRolledBack: false,
    at: statement.at,
  }));
  const executed = depth < MAX_DEPTH ? executedTexts(statement) : [];
  const nested = executed.flatMap(text => readText(text, dialect, budget, depth + 1));
  return [
    ...found,
    ...nested.map(each => ({ ...each, isExplained: isExplained || each.isExplained, at: statement.at })),
  ];
}

/** Words in front of a text that is run as SQL. */
const EXECUTORS = new Set(["DO", "EXECUTE", "IMMEDIATE", "EXEC", "SP_EXECUTESQL", "PREPARE", "GEXEC"]);
const MAX_EXECUTOR_DISTANCE = 4;
const MAX_INNER = 64;

/** `EXPLAIN`, `EXPLAIN (…)`, `DESCRIBE`; with ANALYZE the statement does run. */
function explainLength(tokens: readonly SqlToken[]): number {
  if (!/^(?:EXPLAIN|DESCRIBE|DESC)$/.test(keyword(tokens[0]))) return 0;
  const verbAt = tokens.findIndex((token, index) => index > 0 && VERBS.has(keyword(token)));
  const options = tokens.slice(1, verbAt === -1 ? undefined : verbAt);
  if (options.some(token => keyword(token) === "ANALYZE")) return 0;
  return verbAt === -1 ? 0 : verbAt;
}

const VERBS = wordSet("SELECT INSERT UPDATE DELETE DROP TRUNCATE ALTER WITH MERGE REPLACE CREATE");

/** The statement itself; behind WITH it starts after the last common table. */
function mainStatements({ tokens }: Statement): Part[] {
  const top = topLevel(tokens);
  const start =
    keyword(top[0]) === "WITH"
      ? top.findIndex(token => /^(?:SELECT|INSERT|UPDATE|DELETE|MERGE)$/.test(keyword(token)))
      : 0;
  // ANALYZE in front of a verb: EXPLAIN ANALYZE really runs it.
  const skipped = /^(?:EXPLAIN|DESCRIBE)$/.test(keyword(top[0]))
    ? top.findIndex(token => VERBS.has(keyword(token)))
    : start;
  // `BEGIN DELETE …`, `IF x DROP …` of procedural code.
  const body = top.slice(Math.max(0, skipped));
  const lead = /^(?:BEGIN|IF|ELSE|THEN)$/.test(keyword(body[0]))
    ? body.findIndex(token => VERBS.has(keyword(token)))
    : 0;
  return [readPart(body.slice(Math.max(0, lead)))];
}

/** Data-changing common tables: `WITH d AS (DELETE FROM t RETURNING *) …`. */
function innerStatements({ tokens }: Statement): Part[] {
  const parts: Part[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "mark" || token.text !== "(") continue;
    if (!/^(?:DELETE|UPDATE)$/.test(keyword(tokens[index + 1]))) continue;
    if (parts.length >= MAX_INNER) break;
    parts.push(readPart(topLevel(tokens.slice(index + 1))));
  }
  return parts;
}

/** Tokens outside all brackets, up to an unmatched closing one. A bracket leaves a mark behind. */
function topLevel(tokens: readonly SqlToken[]): SqlToken[] {
  const result: SqlToken[] = [];
  let depth = 0;
  for (const token of tokens) {
    const isMark = token.kind === "mark";
    if (isMark && token.text === ")") {
      depth -= 1;
      if (depth < 0) break;
      if (depth === 0) result.push(token);
    } else {
      if (depth === 0) result.push(token);
      if (isMark && token.text === "(") depth += 1;
    }
  }
  return result;
}

/** Texts that the statement runs: `EXECUTE IMMEDIATE 'DROP …'`, `DO $$ … $$`, what `\gexec` runs of its results. */
function executedTexts({ tokens: written }: Statement): string[] {
  const tokens = joinTexts(written);
  const isGenerated = tokens.some(
    (token, index) => keyword(token) === "GEXEC" && tokens[index - 1]?.text === "\\",
  );
  return tokens.flatMap((token, index) => {
    if (token.kind !== "text") return [];
    if (isGenerated) return [token.text];
    const before = tokens.slice(Math.max(0, index - MAX_EXECUTOR_DISTANCE), index);
    return before.some(each => EXECUTORS.has(keyword(each))) ? [token.text] : [];
  });
}

/** `'TRUN' || 'CATE x'` is one text. */
function joinTexts(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const joined: SqlToken[] = [];
  for (const token of tokens) {
    const [before, first, second] = joined.slice(-3);
    const isJoined =
      token.kind === "text" && before?.kind === "text" && `${first?.text}${second?.text}` === "||";
    if (isJoined) joined.splice(-3, 3, { ...before, text: before.text + token.text });
    else joined.push(token);
  }
  return joined;
}

/** Statements between BEGIN and ROLLBACK leave nothing behind. */
function markRolledBack(statements: readonly SqlStatement[]): SqlStatement[] {
  const result: SqlStatement[] = [];
  let opened: number | undefined;
  for (const statement of statements) {
    result.push(statement);
    if (statement.verb === "BEGIN" || statement.verb === "START") opened = result.length;
    else if (statement.verb === "COMMIT" || statement.verb === "END") opened = undefined;
    else if (statement.verb === "ROLLBACK" && opened !== undefined) {
      for (let index = opened; index < result.length; index += 1) {
        const inside = result[index];
        if (inside !== undefined) result[index] = { ...inside, isRolledBack: true };
      }
      opened = undefined;
    }
  }
  return result;
}

/** Which database reads the text: they quote and comment differently. */
export type SqlDialect = "postgres" | "mysql" | "sqlite" | "sqlserver" | "other";

/** `word`: a bare identifier or keyword; `name`: a quoted identifier; `text`: a string literal. */
interface SqlToken {
  readonly kind: "word" | "name" | "text" | "number" | "mark";
  /** Without quotes; words as written. */
  readonly text: string;
  readonly at: number;
  readonly startsLine: boolean;
}

/** Cut SQL into tokens; comments vanish, except those that MySQL runs. */
function tokeniseSql(source: string, dialect: SqlDialect, budget: ReadingBudget): SqlToken[] {
  const tokens: SqlToken[] = [];
  let at = 0;
  let startsLine = true;
  const push = (kind: SqlToken["kind"], text: string, end: number): void => {
    tokens.push({ kind, text, at, startsLine });
    startsLine = false;
    at = end;
  };
  while (at < source.length && step(budget)) {
    const character = source.charAt(at);
    const blank = isPlainLetter(source.charCodeAt(at)) ? undefined : blankEnd(source, at, dialect);
    if (blank !== undefined) {
      startsLine ||= source.slice(at, blank).includes("\n");
      at = blank;
      continue;
    }
    const word = wordAt(source, at);
    if (word !== undefined && !(isEscapePrefix(word) && source.charAt(at + word.length) === "'")) {
      push("word", word, at + word.length);
    } else if (word !== undefined || character === "'") {
      const start = at + (word?.length ?? 0);
      const hasBackslash = dialect === "mysql" || word?.toLowerCase() === "e";
      const end = quoteEnd(source, start, "'", hasBackslash);
      push("text", unquoted(source.slice(start + 1, end - 1), "'", hasBackslash), end);
    } else if (character === '"' || character === "`") {
      const isText = character === '"' && dialect === "mysql";
      const end = quoteEnd(source, at, character, isText);
      push(isText ? "text" : "name", unquoted(source.slice(at + 1, end - 1), character, isText), end);
    } else if (character === "[" && dialect === "sqlserver") {
      const end = quoteEnd(source, at, "]", false);
      push("name", source.slice(at + 1, end - 1), end);
    } else if (character === "$" && dialect !== "mysql" && dollarTag(source, at) !== undefined) {
      const tag = dollarTag(source, at) ?? "$$";
      const close = source.indexOf(tag, at + tag.length);
      const end = close === -1 ? source.length : close + tag.length;
      push("text", source.slice(at + tag.length, close === -1 ? end : close), end);
    } else if (character >= "0" && character <= "9") {
      const digits = /^[\w.]+/.exec(source.slice(at, at + 100))?.[0] ?? character;
      push("number", digits, at + digits.length);
    } else push("mark", character, at + 1);
  }
  return tokens;
}

const PLAIN_WORD = /[A-Za-z_][\w$]*/y;
const MAX_WORD = 200;

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** The word that begins there. Most have no other letters than those that every machine compares fast. */
function wordAt(source: string, at: number): string | undefined {
  PLAIN_WORD.lastIndex = at;
  const end = PLAIN_WORD.test(source) ? PLAIN_WORD.lastIndex : at;
  if (end > at && end - at < MAX_WORD && !(source.charCodeAt(end) > 127)) return source.slice(at, end);
  if (end === at && source.charCodeAt(at) < 128) return undefined;
  return /^[\p{L}_\ue000-\uf8ff][\p{L}\p{N}_$\ue000-\uf8ff]*/u.exec(source.slice(at, at + MAX_WORD))?.[0];
}

function isEscapePrefix(word: string): boolean {
  return /^(?:[eEnNbBxX]|_utf8)$/.test(word);
}

/** End of the blank or comment at `at`, if one is there. */
function blankEnd(source: string, at: number, dialect: SqlDialect): number | undefined {
  const character = source.charAt(at);
  if (character === " " || /\s/.test(character)) return at + 1;
  const isLine = source.startsWith("--", at) || (character === "#" && dialect === "mysql");
  if (isLine) {
    const end = source.indexOf("\n", at);
    return end === -1 ? source.length : end;
  }
  // `/*!50000 DROP … */` runs in MySQL: only its frame is a comment.
  const conditional = dialect === "mysql" ? /^\/\*!\d*/.exec(source.slice(at, at + 12))?.[0] : undefined;
  if (conditional !== undefined) return at + conditional.length;
  if (source.startsWith("*/", at) && dialect === "mysql") return at + 2;
  if (!source.startsWith("/*", at)) return undefined;
  const end = source.indexOf("*/", at + 2);
  return end === -1 ? source.length : end + 2;
}

/** Behind the closing quote; a doubled quote goes on. */
function quoteEnd(source: string, start: number, close: string, hasBackslash: boolean): number {
  let at = start + 1;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === "\\" && hasBackslash) at += 2;
    else if (character !== close) at += 1;
    else if (source.charAt(at + 1) === close) at += 2;
    else return at + 1;
  }
  return source.length + 1;
}

function unquoted(body: string, quote: string, hasBackslash: boolean): string {
  const single = body.replaceAll(quote + quote, quote);
  return hasBackslash ? single.replace(/\\(.)/gs, "$1") : single;
}

function dollarTag(source: string, at: number): string | undefined {
  return /^\$(?:[A-Za-z_]\w{0,60})?\$/.exec(source.slice(at, at + 64))?.[0];
}

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
  | "rights"
  | "protection"
  | "other";

/** A bare word in capitals; nothing for names, texts and marks. */
function keyword(token: SqlToken | undefined): string {
  return token?.kind === "word" ? token.text.toUpperCase() : "";
}

interface Loss {
  readonly loss: SqlLoss | undefined;
  readonly target: string | undefined;
}

/** The statement itself, or one inside it. */
interface Part extends Loss {
  readonly verb: string;
}

const NO_LOSS: Loss = { loss: undefined, target: undefined };

function readPart(tokens: readonly SqlToken[]): Part {
  const verb = keyword(tokens[0]);
  return { verb, ...(READERS.get(verb)?.(tokens) ?? NO_LOSS) };
}

type ReadLoss = (tokens: readonly SqlToken[]) => Loss;

const READERS: ReadonlyMap<string, ReadLoss> = new Map<string, ReadLoss>([
  ["DROP", readDrop],
  ["REMOVE", tokens => (DROPPED.has(keyword(tokens[1])) ? readDrop(tokens) : NO_LOSS)],
  ["TRUNCATE", tokens => ({ loss: "truncate", target: nameAfter(tokens, 1, /^(?:TABLE|ONLY)$/) })],
  ["DELETE", tokens => readRows(tokens, "delete-rows")],
  ["UPDATE", tokens => readRows(tokens, "update-rows")],
  ["ALTER", readAlter],
  [
    "GRANT",
    tokens => ({ loss: "rights", target: nameAfter(tokens, indexOfWord(tokens, "TO") + 1, /^ROLE$/) }),
  ],
  ["CREATE", readCreate],
  [
    "INSERT",
    tokens =>
      keyword(tokens[1]) === "OVERWRITE"
        ? { loss: "truncate", target: nameAfter(tokens, 2, /^(?:TABLE|INTO)$/) }
        : NO_LOSS,
  ],
  ["SET", readSetting],
  ["EXEC", readProcedure],
  ["EXECUTE", readProcedure],
  // Logs of MySQL from which a replica or a restored backup goes on.
  [
    "PURGE",
    tokens =>
      /^(?:BINARY|MASTER)$/.test(keyword(tokens[1]))
        ? { loss: "truncate", target: "the binary logs" }
        : NO_LOSS,
  ],
  [
    "RESET",
    tokens => (keyword(tokens[1]) === "MASTER" ? { loss: "truncate", target: "the binary logs" } : NO_LOSS),
  ],
]);

function indexOfWord(tokens: readonly SqlToken[], word: string): number {
  return tokens.findIndex(token => keyword(token) === word);
}

const MIGHTY = /^(?:SUPERUSER|CREATEROLE|BYPASSRLS|REPLICATION|SYSADMIN)$/;

/** An account is part of setting a database up; one that may do everything is not. A table that is replaced by rows is emptied. */
function readCreate(tokens: readonly SqlToken[]): Loss {
  const isReplaced =
    keyword(tokens[1]) === "OR" && keyword(tokens[2]) === "REPLACE" && keyword(tokens[3]) === "TABLE";
  if (isReplaced) return { loss: "table", target: nameAfter(tokens, 4) };
  const isMighty =
    /^(?:USER|ROLE|LOGIN)$/.test(keyword(tokens[1])) && tokens.some(token => MIGHTY.test(keyword(token)));
  return isMighty ? { loss: "rights", target: nameAfter(tokens, 2, /^(?:IF|NOT|EXISTS)$/) } : NO_LOSS;
}

/** `SET GLOBAL general_log = 'OFF'` */
function readSetting(tokens: readonly SqlToken[]): Loss {
  if (keyword(tokens[1]) !== "GLOBAL") return NO_LOSS;
  const target = nameAfter(tokens, 2);
  const isOff = /^(?:off|0|false|none)$/i.test(tokens.at(-1)?.text ?? "");
  return isOff && /log|audit|ssl|secure|read_only/i.test(target ?? "")
    ? { loss: "protection", target }
    : NO_LOSS;
}

function readProcedure(tokens: readonly SqlToken[]): Loss {
  const called = nameAfter(tokens, 1) ?? "";
  return /(?:^|\.)sp_add(?:role|srvrole)member$/i.test(called) ? { loss: "rights", target: called } : NO_LOSS;
}

const DROPPED: ReadonlyMap<string, SqlLoss> = new Map<string, SqlLoss>([
  ["DATABASE", "database"],
  ["KEYSPACE", "database"],
  ["NAMESPACE", "database"],
  ["WAREHOUSE", "database"],
  ["CATALOG", "database"],
  ["ACCOUNT", "database"],
  ["TABLESPACE", "database"],
  ["BUCKET", "database"],
  ["COLLECTION", "table"],
  ["MEASUREMENT", "table"],
  ["SERIES", "table"],
  ["SCHEMA", "schema"],
  ["TABLE", "table"],
  ["COLLECTION", "table"],
  ["INDEX", "index"],
  ["USER", "user"],
  ["ROLE", "user"],
  ["LOGIN", "user"],
  ["OWNED", "schema"],
  ["TABLESPACE", "database"],
  ["POLICY", "protection"],
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
  const altered = keyword(tokens[1]);
  if (/^(?:USER|ROLE|LOGIN|GROUP|SERVER|DEFAULT)$/.test(altered))
    return readAlteredAccount(tokens, altered, table);
  if (altered === "SYSTEM") return { loss: "protection", target: "the configuration" };
  const retention = tokens[indexOfWord(tokens, "DATA_RETENTION_TIME_IN_DAYS") + 2];
  if (retention?.text === "0") return { loss: "protection", target: table };
  if (altered !== "TABLE") return { loss: undefined, target: table };
  const isOpened = /^DISABLE (?:ROW|TRIGGER)$|^NO FORCE$/;
  if (tokens.some((token, index) => isOpened.test(`${keyword(token)} ${keyword(tokens[index + 1])}`)))
    return { loss: "protection", target: table };
  for (const [index, token] of tokens.entries()) {
    const word = keyword(token);
    if (index > 2 && (word === "DELETE" || word === "UPDATE")) {
      const { loss } = readRows(tokens.slice(index), word === "DELETE" ? "delete-rows" : "update-rows");
      return { loss, target: table };
    }
    if (word !== "DROP" && word !== "TRUNCATE") continue;
    const next = keyword(tokens[index + 1]);
    if (next === "PARTITION") return { loss: "partition", target: table };
    // `ALTER COLUMN c DROP NOT NULL` changes a column, it loses none.
    if (word === "DROP" && !NOT_A_COLUMN.test(next) && !isColumnChange(tokens, index))
      return { loss: "column", target: table };
  }
  return { loss: undefined, target: table };
}

/** Rights, members and passwords of accounts; other settings of theirs are their own. */
function readAlteredAccount(tokens: readonly SqlToken[], altered: string, target: string | undefined): Loss {
  const gives = altered === "DEFAULT" ? /^GRANT$/ : /^(?:ADD|PASSWORD|IDENTIFIED|CREATEDB)$/;
  const isGiven = tokens.some(token => gives.test(keyword(token)) || MIGHTY.test(keyword(token)));
  return isGiven ? { loss: "rights", target } : NO_LOSS;
}

function isColumnChange(tokens: readonly SqlToken[], dropAt: number): boolean {
  for (let index = dropAt - 1; index > 1; index -= 1) {
    if (tokens[index]?.text === ",") return false;
    if (/^(?:ALTER|MODIFY)$/.test(keyword(tokens[index]))) return true;
  }
  return false;
}

/** A name with its dots, behind words that only qualify. */
function nameAfter(tokens: readonly SqlToken[], start: number, skipped?: RegExp): string | undefined {
  let index = start;
  while (index < tokens.length && skipped?.test(keyword(tokens[index]))) index += 1;
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
