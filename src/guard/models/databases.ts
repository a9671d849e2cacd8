import { readMongo } from "../../code/languages/mongo.ts";
import { readRedis } from "../../code/languages/redis.ts";
import { dialectOf, readSql, type SqlLoss } from "../../code/languages/sql/statements.ts";
import type { OptionSpec, ParsedOptions } from "../../shell/options.ts";
import { isAbsolute, joinPath } from "../../shell/paths.ts";
import { describe, isKnown, knownText, text, type Value } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { lookUp } from "../look-up.ts";
import { zoneOf } from "../paths/zones.ts";
import { placeNames } from "../verbs/verb.ts";
import { words } from "../words.ts";
import { type Call, isOnlyHelp, type Model, type ModelTable, readOptions } from "./call.ts";
import { SQL_CLIENTS, SQLITE, type SqlClient } from "./sql-clients.ts";

const RULE_OF_LOSS: Readonly<Partial<Record<SqlLoss, { readonly rule: string; readonly what: string }>>> = {
  database: { rule: "db.drop", what: "drop a database" },
  schema: { rule: "db.drop", what: "drop a schema" },
  table: { rule: "db.drop", what: "drop a table" },
  index: { rule: "db.drop", what: "drop an index" },
  user: { rule: "db.drop", what: "drop a user" },
  partition: { rule: "db.drop", what: "drop a partition" },
  column: { rule: "db.alter", what: "drop a column" },
  truncate: { rule: "db.delete", what: "delete every row" },
  "delete-rows": { rule: "db.delete", what: "delete every row" },
  "update-rows": { rule: "db.delete", what: "change every row" },
};

const FILE_LIMIT = 64 * 1024;

const sqlClient: Model = call => {
  const client = lookUp(SQL_CLIENTS, call.program);
  if (client === undefined) return [];
  const options = readOptions(call, client.options);
  const operands = options.operands.map(operand => operand.value);
  if (isOnlyHelp(options) || options.has("dry_run", "dry-run") || isDisposable(call, client, options))
    return [];
  const texts = [
    ...valuesOf(options, client.text),
    ...(client.takesText === true ? operands.slice(client.databases) : []),
    ...valuesOf(options, client.files).flatMap(file => contentOf(call, file)),
    ...fedText(call),
  ];
  const codeOptions = words(`${client.text} ${client.files}`);
  const names = [
    ...options.options.flatMap(({ name, value }) =>
      value === undefined || codeOptions.includes(name) ? [] : [describe(value)],
    ),
    ...operands.slice(0, client.databases).map(describe),
    ...placeNames(call.invocation),
  ];
  const file = client.options === SQLITE.options ? operands[0] : undefined;
  const reads: CommandEffect[] =
    file === undefined ? [] : [{ kind: "read", by: call.by, path: file, isCopy: false }];
  const losses = texts.flatMap(code =>
    readSql(code, dialectOf(call.program)).statements.flatMap((statement): CommandEffect[] => {
      const found = statement.loss === undefined ? undefined : RULE_OF_LOSS[statement.loss];
      if (found === undefined || statement.isExplained || statement.isRolledBack) return [];
      const target = statement.target ?? statement.verb;
      return [
        {
          kind: "operation",
          by: call.by,
          ...found,
          target,
          names: [...names, statement.target ?? ""],
          safer: lookFirst(call.program, statement.target),
        },
      ];
    }),
  );
  return [...reads, ...losses];
};

/** A query that shows what would go. */
function lookFirst(program: string, target: string | undefined): string {
  const query = target === undefined ? "SELECT 1" : `SELECT count(*) FROM ${target}`;
  if (program.startsWith("sqlite") || program === "duckdb") return `${program} FILE '${query}'`;
  return /^(mysql|mariadb)$/.test(program) ? `${program} -e '${query}'` : `psql -c '${query}'`;
}

function valuesOf(options: ParsedOptions, names: string): readonly Value[] {
  return names === "" ? [] : options.valuesOf(...words(names));
}

/** What the program reads on its input: a pipe, a heredoc, or a file that can be looked into. */
function fedText(call: Call): readonly Value[] {
  const { stdin, redirections } = call.invocation;
  if (stdin !== undefined && stdin.pieces.length > 0 && isKnown(stdin)) return [stdin];
  const files = redirections
    .filter(redirection => redirection.operation === "read")
    .map(redirection => redirection.target);
  return files.flatMap(file => contentOf(call, file));
}

/** The content of a file that the same command wrote, or of one in the project. */
function contentOf(call: Call, file: Value): readonly Value[] {
  const path = knownText(joinPath(call.by.cwd, file));
  if (path === undefined || call.by.place.kind !== "local") return [];
  const written = call.facts.writtenFiles
    .filter(one => one.invocation <= call.invocation.id && knownText(one.path) === path)
    .at(-1);
  if (written !== undefined) return [written.content];
  const content = call.workspace.disk.text(path, FILE_LIMIT);
  return content === undefined ? [] : [text(content)];
}

/** A file in a temporary directory, or one that lives in memory only. */
function isDisposable(call: Call, client: SqlClient, options: ParsedOptions): boolean {
  if (client.options !== SQLITE.options) return false;
  const [file] = options.operands;
  if (file === undefined || knownText(file.value) === ":memory:") return true;
  const path = joinPath(call.by.cwd, file.value);
  const known = knownText(path);
  return (
    known !== undefined &&
    isAbsolute(path) &&
    zoneOf(call.workspace, call.workspace.disk.resolve(known, true)) === "temp"
  );
}

const MONGO: OptionSpec = {
  values: words("eval f file host port u username p password authenticationDatabase"),
  flags: words("quiet norc shell nodb tls"),
  abbreviates: false,
};

const mongo: Model = call => {
  const options = readOptions(call, MONGO);
  const operands = options.operands.map(operand => operand.value);
  const scripts = operands.filter(value => describe(value).endsWith(".js"));
  const codes = [
    ...options.valuesOf("eval"),
    ...[...options.valuesOf("f", "file"), ...scripts].flatMap(file => contentOf(call, file)),
    ...fedText(call),
  ];
  const names = [...operands.map(describe), ...options.valuesOf("host").map(describe)];
  return codes.flatMap(code =>
    readMongo(code).losses.map((loss): CommandEffect => {
      const isWhole = loss.kind !== "documents";
      const what = isWhole ? `drop a ${loss.kind}` : "delete every document";
      return {
        kind: "operation",
        by: call.by,
        rule: isWhole ? "db.drop" : "db.delete",
        what,
        target: loss.target,
        names,
      };
    }),
  );
};

const REDIS: OptionSpec = {
  values: words("h p n a u s i r t user pass"),
  flags: words("x c raw csv json no-auth-warning tls scan bigkeys stat help"),
  abbreviates: false,
  stopsAtOperand: true,
};

const redis: Model = call => {
  const options = readOptions(call, REDIS);
  const [first, ...rest] = options.operands.map(operand => describe(operand.value));
  const names = options.options.flatMap(({ value }) => (value === undefined ? [] : [describe(value)]));
  const isListed =
    call.invocation.isOpenEnded || options.operands.slice(1).some(({ value }) => !isKnown(value));
  const given =
    first === undefined
      ? fedText(call).flatMap(code => readRedis(code).commands)
      : readRedis(text([first, ...rest.map(quoteWord)].join(" "))).commands;
  return given.flatMap((command): CommandEffect[] => {
    const empties = /^(FLUSHALL|FLUSHDB|DEBUG|SHUTDOWN)$/.test(command.name);
    const isMass = isListed && /^(DEL|UNLINK)$/.test(command.name);
    if (!empties && !isMass) return [];
    const what = empties ? "empty or stop the store" : "delete every listed key";
    return [
      { kind: "operation", by: call.by, rule: "db.flush", what, target: `redis ${command.name}`, names },
    ];
  });
};

function quoteWord(word: string): string {
  return JSON.stringify(word);
}

/** A database whose name says that it is for tests is made again by the next test run. */
const dropdb: Model = call => {
  const options = readOptions(call, {
    values: words("h host p port U username maintenance-db"),
    flags: words("i interactive f force e echo if-exists help version"),
  });
  if (isOnlyHelp(options)) return [];
  return options.operands.flatMap(({ value }): CommandEffect[] => {
    const name = describe(value);
    if (/(^|[_-])(test|tests|testing|ci)([_-]|\d|$)/i.test(name)) return [];
    const host = options.valueOf("h", "host");
    const names = [name, ...(host === undefined ? [] : [describe(host)])];
    return [
      {
        kind: "operation",
        by: call.by,
        rule: "db.drop",
        what: "drop a database",
        target: `dropdb ${name}`,
        names,
        safer: "psql -l",
      },
    ];
  });
};

export const databaseClients: ModelTable = {
  ...Object.fromEntries(Object.keys(SQL_CLIENTS).map(name => [name, sqlClient])),
  mongosh: mongo,
  mongo,
  "redis-cli": redis,
  "valkey-cli": redis,
  "keydb-cli": redis,
  dropdb,
};
