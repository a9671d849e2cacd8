import {
  type CommandInvocation,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  type OptionValues,
  option,
  type Terminal,
  usageError,
} from "../cli/index.ts";
import { loadConfig } from "../config/index.ts";
import { auditFile, loadAudit, refusalsFile } from "../hooks/index.ts";
import { type Database, loadDatabase, loadTeams, loadUrl } from "../postgres/index.ts";
import {
  type LogChoice,
  loadCompareLog,
  loadPostgresTarget,
  loadShippedChain,
  loadVerifyRecords,
  type RecordReport,
  type RecordsReport,
} from "../ship/index.ts";
import {
  type ChainBreak,
  type ChainHead,
  type ChainReport,
  findHead,
  parseHead,
  requireDirectories,
  verifyChain,
} from "../state/index.ts";
import { resolve, type System } from "../system/index.ts";
import { count, escapeControls } from "../text/index.ts";

/** Where the audit log lies; what is wrong with the configuration is told on stderr. */
function auditPath(system: System, terminal: Terminal): string {
  const places = requireDirectories(system);
  const { config, notices } = loadConfig(system, places);
  for (const { message } of notices) terminal.warn(`Warning: ${message}\n`);
  return auditFile(config.guard, places.stateHome, places.home);
}

/** The result of a check of one log for a person. */
function chainText(
  { files, lines, chained, head, broken, notes, unknown }: ChainReport,
  shipped: ShippedFacts | undefined,
  path: string,
  terminal: Terminal,
): string {
  const told = [
    ...(shipped === undefined ? [] : [`  shipped: ${shippedText(shipped)}`]),
    ...notes.map(note => `  note: ${note}`),
  ];
  const text = (...parts: readonly string[]): string => `${parts.join("\n")}\n`;
  if (broken !== undefined) {
    const where = broken.line === 0 ? broken.file : `${broken.file}, line ${broken.line}`;
    return text(`${terminal.paint("red", "✗")} ${broken.kind}: ${where}: ${broken.message}`, ...told);
  }
  const notKnown = unknown.map(what => `  not known: ${what}`);
  if (files.length === 0) return text(`There is no audit log yet (${path}).`, ...told);
  if (lines === 0) return text(`• The audit log is empty (${path}).`, ...told, ...notKnown);
  const amount = `${count(lines, "line")} in ${count(files.length, "file")}`;
  if (chained === 0) return text(`• ${amount}, none with a hash: of an older version`, ...told);
  return text(
    `${terminal.paint("green", "✓")} ${amount}: all as they were written`,
    ...(head === undefined ? [] : [`  head: ${head.seq}:${head.hash}`]),
    ...told,
    ...notKnown,
  );
}

const DATABASE_OPTIONS = {
  url: option.string("URL", "compare with what was shipped to this database (memory.url by default)", {
    bare: "",
  }),
  team: option.string("NAME", "with --url: whose database it is (memory.team by default)"),
  all: option.boolean("with --url: check what was shipped, of all machines, instead of a log here"),
  person: option.string("NAME", "with --url: who shipped (you by default)"),
  machine: option.string("NAME", "with --url: from where (this machine by default)"),
} as const;

type Options = OptionValues<typeof DATABASE_OPTIONS>;

function checkOptions({ url, team, all, person, machine }: Options): void {
  const given = { team, all: all || undefined, person, machine };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (url === undefined && name !== undefined)
    throw usageError(`--${name} is for --url URL`, "amplihack audit verify --help");
}

/** Reading a large log takes long; the transaction is read-only and blocks no writer. */
const MAX_READING_MS = 3_600_000;

/** Opens the database for one command and closes it afterwards. */
async function withRecords<T>(
  system: System,
  terminal: Terminal,
  { url, team, person, machine }: Options,
  work: (database: Database, choice: LogChoice) => Promise<T>,
): Promise<T> {
  const { Database } = await loadDatabase();
  const { findDatabaseUrl, unencryptedNotice } = await loadUrl();
  const { readableTeams } = await loadShippedChain();
  const { memory } = loadConfig(system, requireDirectories(system)).config;
  const address = findDatabaseUrl(system, { option: "--url URL", given: url, memory });
  const notice = unencryptedNotice(address);
  if (notice !== undefined) terminal.warn(`Warning: ${notice}\n`);
  const database = await Database.open(address, {
    maxConnections: 1,
    maxIdleInTransactionMs: MAX_READING_MS,
  });
  try {
    const [name = ""] = await readableTeams(database, team ?? memory.team);
    return await work(database, { team: name, person, machine });
  } finally {
    await database.close();
  }
}

/** What of a log is in a database. */
interface ShippedFacts {
  readonly database: string;
  readonly team: string;
  readonly person: string;
  readonly machine: string;
  /** the head that came last */
  readonly head: (ChainHead & { readonly received: string }) | null;
}

function compareWithShipped(
  {
    options,
    system,
    terminal,
  }: Pick<CommandInvocation<typeof DATABASE_OPTIONS>, "options" | "system" | "terminal">,
  log: { readonly path: string; readonly verify: () => ChainReport },
): Promise<{ readonly report: ChainReport; readonly shipped: ShippedFacts }> {
  return withRecords(system, terminal, options, async (database, choice) => {
    const { compareLog } = await loadCompareLog();
    const { machineName } = await loadPostgresTarget();
    const { connectedUser } = await loadTeams();
    const person = choice.person ?? (await connectedUser(database));
    const machine = choice.machine ?? machineName(system);
    const whose = { team: choice.team, person, machine };
    const { report, head } = await compareLog(system, database, whose, log);
    return { report, shipped: { database: database.place, ...whose, head: headDocument(head) } };
  });
}

function headDocument(head: (ChainHead & { readonly receivedMs: number }) | undefined): ShippedFacts["head"] {
  if (head === undefined) return null;
  const { seq, hash, receivedMs } = head;
  return { seq, hash, received: new Date(receivedMs).toISOString() };
}

function shippedText({ database, team, person, machine, head }: ShippedFacts): string {
  const what = head === null ? "nothing yet" : `${head.seq}:${head.hash}, received ${head.received}`;
  return escapeControls(`${what}, by ${person} from ${machine}, to ${database}, team ${team}`);
}

type AllOptions = typeof DATABASE_OPTIONS & { readonly format: typeof FORMAT_OPTION };

/** `audit verify --url --all`: the audit logs that machines shipped to a database. */
async function verifyAll({ options, system, terminal }: CommandInvocation<AllOptions>): Promise<number> {
  const { place, team, report } = await withRecords(system, terminal, options, async (database, choice) => {
    const { verifyRecords } = await loadVerifyRecords();
    return { place: database.place, team: choice.team, report: await verifyRecords(database, choice) };
  });
  const isWhole = report.logs.every(({ broken }) => broken === undefined);
  const document = {
    ok: isWhole,
    database: place,
    team,
    sees_all_projects: report.isComplete,
    logs: report.logs.map(({ head, broken = null, ...log }) => ({
      ok: broken === null,
      ...log,
      head: headDocument(head),
      broken,
    })),
  };
  const text = recordsText(report, `${place}, team ${team}`, terminal);
  terminal.printResult(options.format, document, text);
  return isWhole ? 0 : 1;
}

function recordsText({ logs, isComplete }: RecordsReport, where: string, terminal: Terminal): string {
  if (logs.length === 0) return `No audit log was shipped yet (${escapeControls(where)}).\n`;
  const broken = logs.filter(log => log.broken !== undefined).length;
  const sum = `${count(logs.length, "log")} in ${escapeControls(where)}: ${broken === 0 ? "none" : broken} broken`;
  const hidden = isComplete
    ? []
    : ["  not known: whether lines were removed, because you see only some projects of the team"];
  return `${[...logs.flatMap(log => logLines(log, terminal)), sum, ...hidden].join("\n")}\n`;
}

function logLines({ person, machine, lines, head, broken, notes }: RecordReport, terminal: Terminal) {
  const who = escapeControls(`${person} on ${machine}`);
  const newest = headDocument(head);
  const first =
    broken === undefined
      ? `${terminal.paint("green", "✓")} ${who}: ${count(lines, "line")}, each follows the one before`
      : `${terminal.paint("red", "✗")} ${who}: ${broken.kind}: ${broken.message}`;
  return [
    first,
    ...(newest === null
      ? []
      : [`  head: ${newest.seq}:${escapeControls(newest.hash)}, received ${newest.received}`]),
    ...notes.map(note => `  note: ${note}`),
  ];
}

const verifyCommand = defineCommand({
  name: "verify",
  summary: "check every line of the audit log and name the first break",
  details: `
Exit code 1 when a line was changed, removed, put in or moved. Two checks find a log that
was cut off at its end, or rewritten with new hashes. --head compares with a
head that was noted elsewhere (amplihack audit head). --url compares with what
this machine shipped to a team's database (amplihack ship --to postgres=URL).

--url compares line by line and names the first that is not what was shipped.
With --all no log is needed: the hashes of what was shipped are followed, for
every person and machine. Without a URL it is memory.url, else
AMPLIHACK_DATABASE_URL. Passwords belong in ~/.pgpass or PGPASSWORD. Nothing is
changed.`,
  options: {
    format: FORMAT_OPTION,
    head: option.string("HEAD", "NUMBER:HASH, or HASH, that must be in the log"),
    ...DATABASE_OPTIONS,
  },
  positionals: [
    {
      name: "FILE",
      summary: "another audit log (the one of this user by default)",
      isOptional: true,
      completes: "file",
    },
  ],
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack audit verify": "says whether the log is whole",
    "amplihack audit verify --head 12:3b0c… --json": "also whether it still has line 12 and all before it",
    "amplihack audit verify --url postgres://ann@db.example/agents": "compares it with what was shipped",
    "amplihack audit verify --url --all": "checks what all machines of the team shipped",
  },
  async run(invocation) {
    const { options, positionals, system, terminal } = invocation;
    const { KEPT_FILES } = await loadAudit();
    checkOptions(options);
    const [given] = positionals;
    if (options.all) {
      if (given !== undefined || options.head !== undefined)
        throw usageError("--all checks the database alone, without FILE and --head");
      return verifyAll(invocation);
    }
    const head = options.head === undefined ? undefined : parseHead(options.head);
    if (options.head !== undefined && head === undefined)
      throw usageError(
        "--head must be NUMBER:HASH or a hash of 64 hexadecimal digits",
        "amplihack audit head",
      );
    const path = given === undefined ? auditPath(system, terminal) : await existing(system, given);
    const verify = () => verifyChain(system, path, { keep: KEPT_FILES, head });
    const { report, shipped } =
      options.url === undefined
        ? { report: verify(), shipped: undefined }
        : await compareWithShipped(invocation, { path, verify });
    const isGone = given === undefined && report.files.length === 0 && wasWritten(system);
    const { broken = isGone ? goneLog(path) : null, head: found = null, ...rest } = report;
    const document = { ok: broken === null, path, ...rest, head: found, broken, ...(shipped && { shipped }) };
    const text = chainText({ ...report, broken: broken ?? undefined }, shipped, path, terminal);
    terminal.printResult(options.format, document, text);
    return broken === null ? 0 : 1;
  },
});

/** Whatever is refused is logged first, and then remembered here. */
function wasWritten(system: System): boolean {
  return system.files.follow(refusalsFile(requireDirectories(system).stateHome)) !== undefined;
}

function goneLog(file: string): ChainBreak {
  return { kind: "removed", file, line: 0, message: "calls were refused and logged, and there is no log" };
}

async function existing(system: System, given: string): Promise<string> {
  const path = resolve(system.files.workingDirectory() ?? "/", given);
  if (system.files.follow(path)?.kind === "file") return path;
  throw usageError(`${path} is not a file`);
}

const headCommand = defineCommand({
  name: "head",
  summary: "print the number and the hash of the last line",
  details: `
Kept on another machine it proves later that the log was not shortened or
rewritten: amplihack audit verify --head HEAD. amplihack ship sends it along.`,
  options: { format: FORMAT_OPTION },
  forAgents: { use: "passes", looks: [] },
  examples: { "amplihack audit head": "prints NUMBER:HASH" },
  async run({ options, system, terminal }) {
    const head = findHead(system, auditPath(system, terminal));
    if (head === undefined && options.format === "text") terminal.note("There is no line with a hash yet.\n");
    terminal.printResult(
      options.format,
      { head: head ?? null },
      head === undefined ? "" : `${head.seq}:${head.hash}\n`,
    );
    return 0;
  },
});

export const command = defineFamily({
  name: "audit",
  summary: "check that the guard's log is as it was written",
  group: "Look",
  details: `
Each line of the audit log carries the hash of the one before, so that a line
that is changed, removed, put in or moved is noticed. What it says: amplihack
guard log.`,
  subcommands: [verifyCommand, headCommand],
  examples: {
    "amplihack audit verify": "checks every line and names the first break",
    "amplihack audit head": "prints what to note elsewhere, so that a shortened log is noticed too",
  },
});
