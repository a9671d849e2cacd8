import { defineCommand } from "../cli/index.ts";
import { type Config, isHistoryOn, loadConfig } from "../config/index.ts";
import { liveIn, projectKeys, readJournals, Store } from "../history/index.ts";
import { auditFile, loadBudget } from "../hooks/index.ts";
import { readSyncState } from "../memory/index.ts";
import { memberAt, numberAt, objectAt, parseJsonObject, stringAt } from "../protocol/index.ts";
import {
  listRotations,
  MEMORY_DATABASE,
  requireDirectories,
  sanitiseSessionId,
  type UserDirectories,
} from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { shortCount } from "../text/index.ts";

const MAX_DEPTH = 32;
const MAX_TRY_BYTES = 16 * 1024 * 1024;
/** A status line is printed after every message, so only the newest part of the log is read. */
const MAX_AUDIT_BYTES = 8 * 1024 * 1024;
const MAX_TOKENS = 1e12;
const MAX_COST = 1e6;

/** What a host tells about the session; every member may be missing. */
interface StatusPayload {
  readonly session: string | undefined;
  readonly directory: string | undefined;
  readonly tokens: number | undefined;
  /** in US dollars */
  readonly cost: number | undefined;
}

interface AuditCounts {
  readonly isKnown: boolean;
  readonly asked: number;
  readonly refused: number;
  /** in the person's place */
  readonly answered: number;
  /** the log is longer than what was read of it */
  readonly isPartial: boolean;
}

interface SessionFigures extends Pick<StatusPayload, "tokens" | "cost"> {
  /** in words */
  readonly guard: string;
  /** changes of this session, or in words why there is no number */
  readonly kept: number | string | undefined;
  readonly audit: AuditCounts | undefined;
  /** live sessions in this project */
  readonly agents?: number | undefined;
  /** changes of memories that the team's database has not got */
  readonly unsent?: number;
  /** the budget that is used most */
  readonly budget?: { readonly share: number; readonly rest: string | undefined } | undefined;
  /** tried changes that wait for the person's word */
  readonly held?: number;
}

/** Input that cannot be read is a payload that tells nothing. */
function readPayload(text: string): StatusPayload {
  const payload = parseJsonObject(text, MAX_DEPTH);
  const session = stringAt(payload, "session_id", "sessionId");
  const window = objectAt(payload, "context_window");
  const counts = ["total_input_tokens", "total_output_tokens"].flatMap(name => numberAt(window, name) ?? []);
  const tokens = counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
  return {
    session: session === "" ? undefined : session,
    directory: stringAt(payload, "cwd") ?? stringAt(memberAt(payload, "workspace"), "current_dir"),
    tokens: within(tokens, MAX_TOKENS),
    cost: within(numberAt(objectAt(payload, "cost"), "total_cost_usd"), MAX_COST),
  };
}

function within(value: number | undefined, limit: number): number | undefined {
  return value !== undefined && value >= 0 && value < limit ? value : undefined;
}

async function readFigures(system: System, payload: StatusPayload): Promise<SessionFigures> {
  const { session, directory, tokens, cost } = payload;
  const nothing = { kept: undefined, audit: undefined, tokens, cost };
  const places = attempt(() => requireDirectories(system, directory));
  if (places === undefined) return { ...nothing, guard: "guard unknown, HOME is not set" };
  const loaded = attempt(() => loadConfig(system, places));
  if (loaded === undefined) return { ...nothing, guard: "guard unknown, run amplihack doctor" };
  const { config, notices } = loaded;
  const isIgnored = notices.some(({ code }) => code === "broken" || code === "untrusted-file");
  const state = config.parts.includes("guard") ? "guard on" : "guard OFF";
  return {
    tokens,
    cost,
    guard: isIgnored ? `${state}, configuration ignored, run amplihack doctor` : state,
    kept: countKept(system, places, config, session),
    agents: isHistoryOn(config)
      ? attempt(() => liveIn(new Store(system, places.stateHome), places.projectRoot).length)
      : undefined,
    audit: session === undefined ? undefined : countAudit(system, places, config, session),
    budget: session === undefined ? undefined : await tightestBudget(system, places, config, session),
    held: countHeld(system, places),
    ...(config.memory.url === undefined
      ? {}
      : { unsent: readSyncState(system, join(places.stateHome, MEMORY_DATABASE)).waiting }),
  };
}

async function tightestBudget(
  system: System,
  { stateHome, projectRoot }: UserDirectories,
  config: Config,
  session: string,
): Promise<SessionFigures["budget"]> {
  if (Object.keys(config.budget).length === 0) return undefined;
  const { readBudget, restText } = await loadBudget();
  const uses = attempt(() => readBudget(system, session, { stateHome, project: projectRoot, config })) ?? [];
  const [tightest] = uses.toSorted((one, other) => other.share - one.share);
  return tightest && { share: tightest.share, rest: restText(tightest) };
}

/** One record a try; what was caught is not looked at. */
function countHeld({ files, text }: System, { stateHome }: UserDirectories): number {
  const folder = join(stateHome, "sandbox", "tries");
  const ids = attempt(() => (files.follow(folder)?.kind === "directory" ? files.list(folder) : [])) ?? [];
  const isHeld = (id: string) => {
    const path = join(folder, id, "try.json");
    if (files.follow(path)?.kind !== "file") return false;
    return (
      stringAt(
        parseJsonObject(text.decode(files.readRange(path, 0, MAX_TRY_BYTES)).text, MAX_DEPTH),
        "status",
      ) === "held"
    );
  };
  return ids.filter(id => attempt(() => isHeld(id)) === true).length;
}

function countKept(
  system: System,
  { stateHome }: UserDirectories,
  config: Config,
  session: string | undefined,
): number | string | undefined {
  if (!isHistoryOn(config)) return "history OFF";
  if (session === undefined) return undefined;
  const store = new Store(system, stateHome);
  const journal = attempt(() => readJournals(store, projectKeys(store, undefined), { session }));
  return journal === undefined
    ? "history unreadable"
    : journal.entries.filter(entry => entry.kind === "call").length;
}

function countAudit(
  system: System,
  { home, stateHome }: UserDirectories,
  config: Config,
  session: string,
): AuditCounts {
  const read = attempt(() => readNewest(system, auditFile(config.guard, stateHome, home)));
  if (read === undefined) return { isKnown: false, asked: 0, refused: 0, answered: 0, isPartial: false };
  const id = sanitiseSessionId(session);
  const verdicts = read.text.split("\n").flatMap(line => {
    const entry = line.includes(id) ? parseJsonObject(line, MAX_DEPTH) : undefined;
    if (stringAt(entry, "session") !== id) return [];
    return [stringAt(entry, "answered") === undefined ? stringAt(entry, "verdict") : "answered"];
  });
  const count = (verdict: string) => verdicts.filter(each => each === verdict).length;
  return {
    isKnown: true,
    asked: count("ask"),
    refused: count("deny"),
    answered: count("answered"),
    isPartial: read.isPartial,
  };
}

/** The newest bytes of a log and of the files that were put away; the first line may be cut. */
function readNewest(
  { files, text }: System,
  path: string,
): { readonly text: string; readonly isPartial: boolean } {
  let rest = MAX_AUDIT_BYTES;
  const texts: string[] = [];
  for (const file of [path, ...listRotations({ files }, path)]) {
    const size = files.follow(file)?.size ?? 0;
    if (size === 0) continue;
    if (rest === 0) return { text: texts.join("\n"), isPartial: true };
    const length = Math.min(size, rest);
    texts.push(text.decode(files.readRange(file, size - length, length)).text);
    rest -= length;
    if (length < size) return { text: texts.join("\n"), isPartial: true };
  }
  return { text: texts.join("\n"), isPartial: false };
}

/** The line says that something cannot be read; `amplihack doctor` says why. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Hosts send a few kilobytes. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;
const MAX_COLUMNS = 80;

export const command = defineCommand({
  name: "statusline",
  summary: "print one line about this session, for the status line of an agent host",
  group: "Look",
  details: `
Reads the JSON that the host sends to a status line on standard input and prints one line of at most ${MAX_COLUMNS} columns:
whether the guard is on; how many agents work in this project, if several; how many tried changes wait for you; how many
changes of this session can be undone; how often you were asked and a call was refused; how much of the budget is used and
how long it lasts; how many memories wait for the team's database; tokens and cost, if the host sends them. It
prints a line and ends with 0 whatever it reads, because hosts leave the line out otherwise.`,
  options: {},
  ignoresHome: true,
  forAgents: "passes",
  examples: {
    "amplihack statusline < payload.json":
      "prints: amplihack: guard on · 12 kept · 2 asked · 1 refused · $1.23",
    "amplihack statusline": "typed by a person: whether the guard is on in this directory",
  },
  async run({ system, terminal }) {
    // At a terminal nothing would ever end the input.
    const read = system.stdio.isTerminal("stdin") ? undefined : system.stdio.readInput(MAX_PAYLOAD_BYTES);
    const text = read?.kind === "bytes" ? system.text.decode(read.bytes).text : "";
    const width = Math.min(MAX_COLUMNS, terminal.columns ?? readColumns(system.env.get("COLUMNS")));
    terminal.print(`${renderLine(await readFigures(system, readPayload(text)), width)}\n`);
    return 0;
  },
});

function readColumns(value: string | undefined): number {
  return /^[1-9]\d{0,3}$/.test(value ?? "") ? Number(value) : MAX_COLUMNS;
}

/** What matters least stands last and is left out first. */
function renderLine(figures: SessionFigures, width: number): string {
  const { guard, kept, audit, agents = 0, unsent = 0, held = 0, budget, tokens, cost } = figures;
  const [first = "", ...others] = [
    `amplihack: ${guard}`,
    ...(agents < 2 ? [] : [`${agents} agents here`]),
    ...(held === 0 ? [] : [`${held} held, see amplihack try list`]),
    ...(kept === undefined ? [] : [typeof kept === "number" ? `${kept} kept` : kept]),
    ...(audit === undefined ? [] : audit.isKnown ? counts(audit) : ["audit log unreadable"]),
    ...(budget === undefined ? [] : [budgetText(budget)]),
    ...(unsent === 0 ? [] : [`${unsent} wait for the team`]),
    ...(tokens === undefined ? [] : [`${shortCount(tokens)} tokens`]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
  ];
  let line = first.slice(0, width);
  for (const part of others) {
    const longer = `${line} · ${part}`;
    if (longer.length > width) break;
    line = longer;
  }
  return line;
}

/** `budget 82 %, 14 min left` at the rate so far */
function budgetText({ share, rest }: NonNullable<SessionFigures["budget"]>): string {
  return `budget ${Math.floor(share * 100)} %${rest === undefined ? "" : `, ${rest} left`}`;
}

/** A plus sign: older parts of the log were not read. */
function counts({
  asked,
  refused,
  answered,
  isPartial,
}: NonNullable<SessionFigures["audit"]>): readonly string[] {
  const more = isPartial ? "+" : "";
  const given = answered === 0 ? [] : [`${answered}${more} answered`];
  return [`${asked}${more} asked`, `${refused}${more} refused`, ...given];
}
