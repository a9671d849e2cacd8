import { type Value, wordSet } from "../../../shell/index.ts";
import { standaloneBudget } from "../../meaning/read-program.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { sourceOf } from "../../syntax/source.ts";
import { keyword, type Part, partOf, type SqlLoss } from "./losses.ts";
import { type SqlDialect, type SqlToken, tokeniseSql } from "./tokens.ts";

export type { SqlLoss } from "./losses.ts";

/** One statement of SQL text, told by its verb; `loss` is undefined for what destroys nothing as a whole. */
export interface SqlStatement {
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

export interface SqlReading {
  readonly statements: readonly SqlStatement[];
  readonly isComplete: boolean;
}

const MAX_DEPTH = 4;

/** Read SQL text. Strings, comments and quoted names are told apart from words; never throws, linear. */
export function readSql(code: Value, dialect: SqlDialect): SqlReading {
  const { text } = sourceOf(code);
  const budget = standaloneBudget(text.length);
  const statements = readText(text, dialect, budget, 0);
  return { statements: markRolledBack(statements), isComplete: !budget.isCutShort };
}

/** The dialect a client program speaks. */
export function dialectOf(program: string): SqlDialect {
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
const EXECUTORS = new Set(["DO", "EXECUTE", "IMMEDIATE", "EXEC", "SP_EXECUTESQL", "PREPARE"]);
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
  return [partOf(body.slice(Math.max(0, lead)))];
}

/** Data-changing common tables: `WITH d AS (DELETE FROM t RETURNING *) …`. */
function innerStatements({ tokens }: Statement): Part[] {
  const parts: Part[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "mark" || token.text !== "(") continue;
    if (!/^(?:DELETE|UPDATE)$/.test(keyword(tokens[index + 1]))) continue;
    if (parts.length >= MAX_INNER) break;
    parts.push(partOf(topLevel(tokens.slice(index + 1))));
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

/** Texts that the statement runs: `EXECUTE IMMEDIATE 'DROP …'`, `DO $$ … $$`. */
function executedTexts({ tokens }: Statement): string[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== "text") return [];
    const before = tokens.slice(Math.max(0, index - MAX_EXECUTOR_DISTANCE), index);
    return before.some(each => EXECUTORS.has(keyword(each))) ? [token.text] : [];
  });
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
