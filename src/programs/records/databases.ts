import { readMongo, readRedis, scriptEmptiesStore } from "../../code/index.ts";
import {
  describe,
  isKnown,
  joinPath,
  knownText,
  type OperationEffect,
  type Output,
  type ProgramEffect,
  text,
  unknownOutput,
  type Value,
  words,
  writtenEntry,
} from "../../shell/index.ts";
import { plainReads, withHome } from "../model/effects.ts";
import { isForTests, placeNames } from "../model/operations.ts";
import {
  commands,
  type Field,
  type ParsedCall,
  type Program,
  program,
  withOperations,
} from "../model/program.ts";
import { runInterpreterCode } from "../model/run-code.ts";
import { CHOOSES_PROJECT } from "./cloud.ts";
import { isLocalAddress } from "./requests.ts";
import { databaseFiles, SQLITE_SHELL, type SqlClient, sqlClients, sqlLosses } from "./sql.ts";

const MAX_FILE_BYTES = 64 * 1024;

/** Lines that leave for a shell, by client. */
const SHELL_LINES: Readonly<Record<string, RegExp>> = {
  psql: /\\!\s*(.*)$|\b(?:to|from)\s+program\s+'([^']*)'/gim,
  "mysql mariadb": /^[ \t]*(?:\\!|system)\s+(.*)$/gm,
  sqlite3: SQLITE_SHELL,
  duckdb: SQLITE_SHELL,
};

/** What the clients and the servers themselves read: `.import FILE`, `\\i FILE`, `readfile('FILE')`, `copy t from 'FILE'`. */
const FILE_LINES =
  /^[ \t]*(?:\.(?:read|import|restore)|\\(?:ir?|include|\.)|source)\s+['"]?([^'"\s]+)|\b(?:readfile|load_file|pg_read_(?:binary_)?file|read_(?:csv|csv_auto|text|blob|json|parquet))\(\s*'([^']+)'|\b(?:from|infile)\s+'([^']+)'/gim;

/** Clients of databases, and commands of frameworks that empty them. */
export const databases: Field = {
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("mongosh mongo", "dangerous keepsTexts", {
      reaches: "*",
      options: {
        flags: "quiet norc shell nodb tls",
        values: "-fup eval file host port username password authenticationDatabase",
        abbreviates: false,
      },
      effects: effectsOfMongo,
    }),
    program("redis-cli valkey-cli keydb-cli", "dangerous", {
      reaches: "*",
      options: {
        flags: "-xc raw csv json no-auth-warning tls scan bigkeys stat help",
        values: "-hpnausirt user pass",
        abbreviates: false,
        stopsAtOperand: true,
      },
      effects: effectsOfRedis,
    }),
    program("dropdb", "dangerous", {
      options: {
        flags: "-ife interactive force echo if-exists help version",
        values: "-pU h|host port username maintenance-db",
      },
      effects: effectsOfDropdb,
    }),
    program("mysqladmin", "", {
      options: {
        flags: "-f force",
        values: "-huP host user port",
        optional: "-p password",
        abbreviates: false,
      },
      operations: ["db.drop …drop | drop a database | safer mysqlshow | stops mysqladmin thing drop web"],
    }),
    program("pg_restore", "", {
      options: {
        flags: "-cClasvwWxO1 clean if-exists create list",
        values: "-dhpUfjntLF dbname host port username file jobs schema table use-list format",
      },
      operations: [
        "db.drop - | drop objects before they are restored | needs c clean | safer pg_restore -l {rest} | stops pg_restore web -c",
      ],
    }),
    program("knex", "", {
      runsFiles: "*",
      options: { flags: "all", values: "env knexfile cwd", abbreviates: false },
      operations: [
        "db.reset migrate:rollback | undo every migration | needs all | safer knex migrate:list | stops knex migrate:rollback --all",
      ],
    }),
    program("gdb", "", {
      options: { values: "ex eval-command x iex", abbreviates: false, isSingleDash: true },
      shellOptions: { names: "ex eval-command iex", prefix: /^(?:shell|!)\s*/ },
      shellLines: /^[ \t]*(?:shell|!)\s*(.*)$/gm,
      effects: writtenByDebugger,
      run: runDebuggerCode,
    }),
    ...withOperations(sqlClients().map(sqlProgram), [
      "bq: cloud.public add-iam-policy-binding|set-iam-policy | let everybody in | needs member=all* | stops bq add-iam-policy-binding --member=allUsers d.t | passes bq get-iam-policy d.t",
      "bq: db.delete load|cp|query | replace a table | needs replace | stops bq load --replace d.t a.csv | passes bq load d.t a.csv",
      "bq: db.drop rm | delete a dataset or table | safer bq ls | stops bq rm web",
      "cockroach: db.drop …drop | drop a database | stops cockroach thing drop web | passes cockroach thing list web",
      "prisma: db.reset migrate reset | empty the database | safer prisma migrate status | stops prisma migrate reset",
      "prisma: db.reset db push | drop data that does not match the schema | needs force-reset accept-data-loss | safer prisma migrate diff | stops prisma db push --force-reset",
      "wrangler: cloud.platform …delete|*:delete | delete a worker or its storage | stops wrangler thing delete web | passes wrangler thing list web",
    ]),
    commands([
      "alembic: deploy.production upgrade | change the database | stops alembic upgrade head | passes alembic history",
      "flask: deploy.production db upgrade|migrate | change the database | stops flask db upgrade | passes flask run",
      "flyway liquibase dbmate goose: deploy.production …migrate|update|up | change the database | stops flyway migrate | passes flyway info",
      "atlas sqlx diesel: deploy.production migrate|schema|migration apply|run | change the database | stops atlas migrate apply | passes atlas migrate status",
      "mvnw: publish …deploy|release:perform | publish an artifact | safer mvn verify | stops mvnw thing deploy",
      "gradlew: publish publish|uploadArchives|publishToMavenCentral|publishPlugins | publish an artifact | safer gradle publishToMavenLocal | stops gradlew publish",
      `dropuser: db.drop - | drop a database user | safer psql -c '\\du' | stops dropuser web`,
      "mariadb-admin: db.drop …drop | drop a database | safer mysqlshow | stops mariadb-admin thing drop web",
      "influx: db.drop delete | delete measurements | stops influx delete web | passes influx list web",
      "influx: db.drop bucket delete | delete a bucket | stops influx bucket delete web | passes influx bucket list web",
      "mongorestore: db.drop - | drop collections before they are restored | needs drop | stops mongorestore web --drop | passes mongorestore web",
      "tidb: db.drop …drop | drop a database | stops tidb thing drop web | passes tidb thing list web",
      "bin/rails: db.reset db:drop|db:drop:*|db:reset|db:schema:load|db:structure:load|db:purge|db:purge:*|db:truncate_all|db:migrate:reset|db:seed:replant | empty the database | safer rails db:migrate:status | stops bin/rails db:drop",
      "sequelize sequelize-cli: db.reset db:drop|db:migrate:undo:all | empty the database | safer sequelize db:migrate:status | stops sequelize db:drop",
      "alembic: db.reset downgrade base | undo every migration | safer alembic history | stops alembic downgrade base",
      "flask: db.reset db downgrade base | undo every migration | safer flask db history | stops flask db downgrade base",
      "typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm: db.reset schema:drop | empty the database | safer typeorm migration:show | stops typeorm schema:drop",
      "drizzle-kit: db.reset drop | drop migrations | safer drizzle-kit check | stops drizzle-kit drop",
      "drizzle-kit: db.reset push | drop data that does not match the schema | needs force | safer drizzle-kit generate | stops drizzle-kit push --force",
      "flyway: db.reset clean | empty the database | safer flyway info | stops flyway clean",
      "liquibase: db.reset dropAll|drop-all | empty the database | safer liquibase status | stops liquibase dropAll",
      "diesel: db.reset database reset|drop | drop the database | safer diesel migration list | stops diesel database reset",
      "sqlx: db.reset database drop|reset | drop the database | safer sqlx migrate info | stops sqlx database drop",
      "goose: db.reset …reset|down-to | undo every migration | safer goose status | stops goose thing reset",
      "dbmate: db.reset drop | drop the database | safer dbmate status | stops dbmate drop",
      "atlas: db.reset schema clean | empty the database | safer atlas schema inspect | stops atlas schema clean",
      "console: db.reset doctrine:database:drop|doctrine:schema:drop | drop the database | safer php bin/console doctrine:schema:validate | stops console doctrine:database:drop",
      "dbt: db.reset run|build|seed|snapshot | rebuild every table | needs full-refresh f | stops dbt run --full-refresh | passes dbt run",
      "wp: db.reset db reset|drop|clean | empty the database | safer wp db size | stops wp db reset",
      "drush: db.reset sql:drop|sql-drop | empty the database | safer drush status | stops drush sql:drop",
      "mvnw: db.reset …flyway:clean | empty the database | safer mvn flyway:info | stops mvnw flyway:clean",
      "gradlew: db.reset flywayClean | empty the database | safer gradle flywayInfo | stops gradlew flywayClean",
      "hasura: db.reset migrate apply | undo migrations | needs down | stops hasura migrate apply --down | passes hasura migrate apply web",
      "wp: db.reset site empty | delete every post | safer wp post list | stops wp site empty",
      "hasura: db.reset metadata clear | forget the metadata | safer hasura metadata diff | stops hasura metadata clear",
      "gradlew: publish …publish*|*:publish* | publish an artifact | free on *publishToMavenLocal | safer gradle publishToMavenLocal | stops gradlew thing publishAll",
    ]),
  ],
};

function sqlProgram(client: SqlClient): Program {
  const { names, options } = client;
  const shellLines = SHELL_LINES[names];
  return {
    names,
    is: client.isLocal || /\b(?:psql|mysql)\b/.test(names) ? ["dangerous", "keepsTexts"] : ["dangerous"],
    options,
    ...(client.isLocal ? {} : { reaches: "*" }),
    effects: call => effectsOfSql(client, call),
    fileLines: FILE_LINES,
    ...(shellLines === undefined ? {} : { shellLines }),
    ...(names === "sqlite3"
      ? { shellOptions: { names: "cmd", prefix: /^\.(?:she?l?l?|sys?t?e?m?)\s+/ } }
      : {}),
    ...(names === "bq" ? { chosenBy: CHOOSES_PROJECT } : {}),
    ...(/^(psql|mysql)/.test(names) ? { shellVariables: "PAGER" } : {}),
  };
}

function effectsOfSql(client: SqlClient, call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const file = client.isLocal ? operands[0] : undefined;
  // `ATTACH 'host=…'`: a server, in which it is done as well.
  const attaches = (texts: readonly Value[]) =>
    texts.some(one => /\battach\s+'\w+\s*=|\battach\s+'\w+:\/\//i.test(describe(one)));
  const isAlone = client.isLocal && (file === undefined || knownText(file) === ":memory:");
  // `wrangler d1 execute --local`: a copy for this machine alone.
  if (options.isOn("dry_run", "dry-run", "local")) return [];
  const codeOptions = words(`${client.text} ${client.files}`);
  const texts = [
    ...options.valuesOf(...words(client.text)),
    ...(client.takesText ? operands.slice(client.databases) : []),
    ...options.valuesOf(...words(client.files)).flatMap(path => readContent(path, call)),
    ...fedText(call),
  ];
  const isInMemory = isAlone && !attaches(texts);
  const others = client.isLocal ? databaseFiles(file, texts, options.isOn("readonly")) : [];
  if (isInMemory) return others;
  const names = [
    ...options.options.flatMap(({ name, value }) =>
      value === undefined || codeOptions.includes(name) ? [] : [describe(value)],
    ),
    ...operands.slice(0, client.databases).map(describe),
    ...placeNames(call),
  ];
  const chosen = [
    ...operands.slice(0, client.databases),
    ...options.valuesOf("d", "dbname", "D", "database"),
  ];
  const isOfTests = chosen.length > 0 && chosen.map(describe).map(databaseName).every(isForTests);
  const losses = [
    ...texts.flatMap(code => sqlLosses(code, names, file, call.program)),
    ...generatedLosses(names, file, call),
  ];
  return [
    ...(file === undefined ? [] : [{ kind: "read", path: file, isCopy: false } as const]),
    ...others,
    ...losses.filter(
      ({ rule, names: [...all] }) => !isOfTests || !rule.startsWith("db.") || all.some(isLive),
    ),
  ];
}

const MAKES_LINES = /^(?:awk|gawk|mawk|sed|gsed)$/;
const DESTROYS = /\b(?:drop\s+(?:table|database|schema|view|index)|truncate\s+(?:table\s)?|delete\s+from)\b/i;

/** `mysql -e "select concat('drop table ', …)" | mysql`: what another program makes is run. */
function generatedLosses(
  names: readonly string[],
  file: Value | undefined,
  call: ParsedCall,
): readonly OperationEffect[] {
  const { stdin, scope } = call;
  if (stdin === undefined || isKnown(stdin)) return [];
  const ids = new Set(
    stdin.origins.flatMap(origin => (origin.kind === "program" ? [origin.invocation] : [])),
  );
  const makers = scope.session.invocations.filter(({ id }) => ids.has(id));
  return makers.flatMap(({ program = "", argv }) => {
    const shown = argv.slice(1).map(describe);
    const isOfClient = sqlClients().some(({ names: all }) => words(all).includes(program));
    const said = shown.find(word => DESTROYS.test(word) && !(MAKES_LINES.test(program) && /\/d$/.test(word)));
    if (said === undefined || !(isOfClient || MAKES_LINES.test(program))) return [];
    const lost = {
      kind: "operation",
      rule: "db.drop",
      what: "run statements that drop or empty tables",
    } as const;
    return [{ ...lost, target: said, names, ...(file === undefined ? {} : { file }) }];
  });
}

/** A host that says production keeps no databases for tests. */
function isLive(name: string): boolean {
  return /prod|live/i.test(name);
}

/** `postgres://user@host/NAME?x=y`, `host=h dbname=NAME`, or the name itself. */
function databaseName(given: string): string {
  const [, named] = /(?:^|\s)dbname=(\S+)/.exec(given) ?? [];
  return named ?? given.replace(/[?#].*$/s, "").replace(/^.*\//s, "");
}

/** What the program reads on its input: a pipe, a heredoc, or a file that can be looked into. */
function fedText(call: ParsedCall): readonly Value[] {
  const { stdin, redirections } = call;
  if (stdin !== undefined && stdin.pieces.length > 0 && isKnown(stdin)) return [stdin];
  return redirections
    .filter(redirection => redirection.operation === "read")
    .flatMap(({ target }) => readContent(target, call));
}

/** The content of a file that the same command wrote, or of one on this machine. */
function readContent(file: Value, { cwd, place, scope }: ParsedCall): readonly Value[] {
  const path = knownText(joinPath(cwd, file));
  if (path === undefined || place.kind !== "local") return [];
  const written = writtenEntry(file, cwd, scope);
  if (written !== undefined) return written.contents;
  const content = scope.session.context.files?.readText(path, MAX_FILE_BYTES);
  return content === undefined ? [] : [text(content)];
}

function effectsOfMongo(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const scripts = operands.filter(value => describe(value).endsWith(".js"));
  const codes = [
    ...options.valuesOf("eval"),
    ...[...options.valuesOf("f", "file"), ...scripts].flatMap(file => readContent(file, call)),
    ...fedText(call),
  ];
  const names = [...operands, ...options.valuesOf("host")].map(describe);
  const chosen = operands.filter(value => !scripts.includes(value)).map(describe);
  if (chosen.length > 0 && chosen.map(databaseName).every(isForTests) && !names.some(isLive)) return [];
  return codes.flatMap(code =>
    readMongo(code).losses.map(({ kind, target }): OperationEffect => {
      if (kind === "rights")
        return {
          kind: "operation",
          rule: "grant.access",
          what: "give rights in the database",
          target,
          names,
        };
      const isWhole = kind !== "documents";
      return {
        kind: "operation",
        rule: isWhole ? "db.drop" : "db.delete",
        what: isWhole ? `drop a ${kind}` : "delete every document",
        target,
        names,
      };
    }),
  );
}

function effectsOfRedis(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const [first, ...rest] = operands.map(describe);
  const names = options.options.flatMap(({ value }) => (value === undefined ? [] : [describe(value)]));
  const isListed = call.isOpenEnded || operands.slice(1).some(value => !isKnown(value));
  const codes =
    first === undefined
      ? fedText(call)
      : [text([first, ...rest.map(word => JSON.stringify(word))].join(" "))];
  return codes
    .flatMap(code => readRedis(code).commands)
    .flatMap((command): readonly OperationEffect[] => {
      const named = command.arguments.join(" ");
      const grant = command.name === "ACL" ? /^SETUSER\b/i.test(named) : false;
      const lifts =
        command.name === "CONFIG" &&
        /^SET (?:protected-mode no|requirepass\s*$|save\s*$|appendonly no|rename-command|dir|dbfilename|slaveof)/i.test(
          named,
        );
      const target = `redis ${command.name} ${named}`.trim();
      if (grant)
        return [{ kind: "operation", rule: "grant.access", what: "give rights in the store", target, names }];
      if (lifts)
        return [
          {
            kind: "operation",
            rule: "grant.protection",
            what: "switch a protection of the store off",
            target,
            names,
          },
        ];
      const empties =
        /^(FLUSHALL|FLUSHDB|DEBUG|SHUTDOWN)$/.test(command.name) ||
        (/^(EVAL|SCRIPT|FUNCTION)$/.test(command.name) && scriptEmptiesStore(named));
      if (command.name === "FLUSHDB" && isSpareStore(options)) return [];
      if (!empties && !(isListed && /^(DEL|UNLINK)$/.test(command.name))) return [];
      const what = empties ? "empty or stop the store" : "delete every listed key";
      return [{ kind: "operation", rule: "db.flush", what, target: `redis ${command.name}`, names }];
    });
}

/** `-n 15` on this machine: the last one that a server has unless told otherwise is by custom the one of tests. */
function isSpareStore(options: ParsedCall["options"]): boolean {
  const number = describe(options.valueOf("n") ?? text("0"));
  const hosts = options.valuesOf("h", "u", "s").map(describe);
  return number === "15" && hosts.every(isLocalAddress);
}

/** A database whose name says that it is for tests is made again by the next test run. */
function effectsOfDropdb({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  return operands
    .map(describe)
    .filter(name => !isForTests(name))
    .map(name => ({
      kind: "operation",
      rule: "db.drop",
      what: "drop a database",
      target: `dropdb ${name}`,
      names: [name, ...options.valuesOf("h").map(describe)],
      safer: "psql -l",
    }));
}

/** Commands of a debugger that put something into a file: a log, a part of the memory, its own settings. */
const DEBUGGER_OUTPUT =
  /^\s*(?:set\s+(?:logging\s+file|history\s+filename)|(?:dump|append)\s+(?:(?:binary|ihex|srec|tekhex|verilog)\s+)?(?:memory|value)|save\s+[\w-]+|tee|gcore|generate-core-file)\s+(\S+)/;

function debuggerLines({ options }: ParsedCall): readonly string[] {
  return options.valuesOf("ex", "eval-command", "iex").map(describe);
}

function writtenByDebugger(call: ParsedCall): readonly ProgramEffect[] {
  const written = debuggerLines(call).flatMap((line): readonly ProgramEffect[] => {
    const file = DEBUGGER_OUTPUT.exec(line)?.[1];
    return file === undefined ? [] : [{ kind: "write", path: withHome(text(file), call), how: "append" }];
  });
  return [...plainReads(call.operands), ...written];
}

function runDebuggerCode(call: ParsedCall): Output {
  for (const line of debuggerLines(call)) {
    const code = /^\s*(?:python|py|pi)\s+([\s\S]+)$/.exec(line)?.[1];
    if (code !== undefined) runInterpreterCode("python", text(code), [], call, { from: "argument" });
  }
  return [unknownOutput(call)];
}
