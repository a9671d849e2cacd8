import type { Config } from "../../config/index.ts";
import {
  type InputOf,
  isJsonObject,
  type Json,
  listAt,
  numberAt,
  objectAt,
  stringAt,
} from "../../protocol/index.ts";
import { AtomicJsonFile, listIfThere, readText, sanitiseSessionId } from "../../state/index.ts";
import { basename, dirname, join, type System, sha256Hex } from "../../system/index.ts";
import { shortCount } from "../../text/index.ts";
import {
  addSpent,
  advanceMeter,
  type CountedAnswers,
  formatDay,
  type PriceList,
  type Spent,
  type UsageMeter,
} from "../../transcripts/index.ts";

/** Below our state home: a file for each session that a budget was looked at for. */
const FOLDER = "usage";
const ANSWERS = ".answers";
const KEY_LENGTH = 16;
/** of 960 000 answers */
const MAX_ANSWERS_BYTES = 16 * 1024 * 1024;
/** What the first seconds cost says nothing about an hour. */
const MIN_RATE_MS = 60_000;
const WARN_AT = 0.8;
const MAX_AGE_MS = 32 * 24 * 60 * 60 * 1000;
const NOTHING: Spent = { tokens: 0, cost: 0, unpriced: 0 };

export type BudgetName = "session" | "day" | "project";

interface Limit {
  readonly unit: "dollars" | "tokens";
  readonly amount: number;
}

/** How far one budget is used. */
interface BudgetUse {
  readonly name: BudgetName;
  readonly limit: Limit;
  readonly used: number;
  /** 1 when all of it is used */
  readonly share: number;
  /** tokens without a price, which a budget in money cannot count */
  readonly unpriced: number;
  /** until it is used up at the rate of this session; undefined where there is no rate yet */
  readonly restMs: number | undefined;
}

interface KnownPlace {
  readonly stateHome: string;
  readonly project: string;
  readonly config: Pick<Config, "budget">;
}

export interface BudgetPlace extends KnownPlace {
  readonly config: Pick<Config, "budget" | "prices">;
}

/** Reads what the session's records have got since the last call, and compares all budgets with it. */
export function meterCall(
  system: System,
  input: Pick<InputOf<"tool">, "sessionId" | "transcriptPath">,
  place: BudgetPlace,
): { readonly uses: readonly BudgetUse[]; readonly isNew: (name: BudgetName) => boolean } {
  const { stateHome, project, config } = place;
  const session = sanitiseSessionId(input.sessionId ?? "unknown");
  const file = meterFile(system, stateHome, session);
  const initial = { session, project, startedMs: 0, days: {}, files: {}, warned: [] };
  let before: readonly string[] = [];
  const answers = new AnswerLog(system, join(stateHome, FOLDER));
  const meter = file.update(
    current => {
      before = current.warned;
      const next = listTranscripts(system, input).reduce(
        (sum, path) => advanceMeter(system, sum, path, config.prices as PriceList, answers),
        { ...current, project },
      );
      const uses = compare(system, next, place);
      const warned = uses.filter(({ share }) => share >= WARN_AT).map(({ name }) => name);
      return { ...next, warned: [...new Set([...before, ...warned])] };
    },
    initial,
    { onMalformed: "set-aside" },
  );
  answers.keep(session);
  return { uses: compare(system, meter, place), isNew: name => !before.includes(name) };
}

/** A file for each session, with a line for each answer that it counted. */
class AnswerLog implements CountedAnswers {
  private readonly system: System;
  private readonly folder: string;
  private readonly added = new Set<string>();
  private readonly read = new Map<string, ReadonlySet<string>>();
  private files: readonly { readonly path: string; readonly modifiedMs: number }[] | undefined;

  constructor(system: System, folder: string) {
    this.system = system;
    this.folder = folder;
  }

  /** Only what was written after the answer can name it, so that a new answer reads no file. */
  has(id: string, timeMs: number): boolean {
    const key = this.toKey(id);
    if (this.added.has(key)) return true;
    return this.known().some(({ path, modifiedMs }) => modifiedMs >= timeMs && this.keysIn(path).has(key));
  }

  add(id: string): void {
    this.added.add(this.toKey(id));
  }

  keep(session: string): void {
    if (this.added.size === 0) return;
    const lines = [...this.added].map(key => `${key}\n`).join("");
    const path = join(this.folder, `${session}${ANSWERS}`);
    this.system.files.append(path, this.system.text.encode(lines), 0o600);
  }

  /** An id is the host's own text, of any length. */
  private toKey(id: string): string {
    return sha256Hex(this.system.text.encode(id)).slice(0, KEY_LENGTH);
  }

  private known() {
    this.files ??= listIfThere(this.system.files, this.folder)
      .filter(name => name.endsWith(ANSWERS))
      .flatMap(name => {
        const path = join(this.folder, name);
        const modifiedMs = this.system.files.follow(path)?.modifiedMs;
        return modifiedMs === undefined ? [] : [{ path, modifiedMs }];
      });
    return this.files;
  }

  private keysIn(path: string): ReadonlySet<string> {
    let keys = this.read.get(path);
    if (keys === undefined) {
      keys = new Set(readText(this.system, path, MAX_ANSWERS_BYTES)?.split("\n"));
      this.read.set(path, keys);
    }
    return keys;
  }
}

/** The same for a status line: what the last call found. */
export function readBudget(system: System, session: string, place: KnownPlace): readonly BudgetUse[] {
  const id = sanitiseSessionId(session);
  const meter = meterFile(system, place.stateHome, id).read();
  return meter === undefined ? [] : compare(system, meter, place);
}

/** The record that the host names, and those of agents that it keeps beside it. */
function listTranscripts(
  { files }: System,
  { transcriptPath, sessionId }: Pick<InputOf<"tool">, "sessionId" | "transcriptPath">,
) {
  if (transcriptPath === undefined || files.follow(transcriptPath)?.kind !== "file") return [];
  const folder = dirname(transcriptPath);
  const own = basename(transcriptPath).replace(/\.jsonl$/, "");
  const folders = [
    join(folder, own, "subagents"),
    ...(sessionId === undefined ? [] : [join(folder, sessionId)]),
  ];
  const agents = folders.flatMap(each =>
    listIfThere(files, each)
      .filter(name => name.endsWith(".jsonl"))
      .map(name => join(each, name)),
  );
  return [transcriptPath, ...agents];
}

function compare(system: System, own: UsageMeter, { stateHome, config }: KnownPlace): readonly BudgetUse[] {
  const { budget } = config;
  const nowMs = system.clock.nowMs();
  const root = own.parent ?? own.session;
  const others = otherMeters(system, stateHome, own.session, nowMs);
  const all = [own, ...others];
  const today = formatDay(nowMs);
  const family = all.filter(({ session, parent }) => session === root || parent === root);
  const startedMs = Math.min(...family.map(meter => (meter.startedMs === 0 ? nowMs : meter.startedMs)));
  const inSession = total(family.flatMap(({ days }) => Object.values(days)));
  const onDay = (meters: readonly UsageMeter[]) => total(meters.flatMap(({ days }) => days[today] ?? []));
  const spent: Readonly<Record<BudgetName, Spent>> = {
    session: inSession,
    day: onDay(all),
    project: onDay(all.filter(({ project }) => project === own.project)),
  };
  return (Object.keys(spent) as BudgetName[]).flatMap(name => {
    const limit = parseLimit(budget[name]);
    if (limit === undefined) return [];
    const count = (amount: Spent) => (limit.unit === "dollars" ? amount.cost : amount.tokens);
    const used = count(spent[name]);
    const lastedMs = nowMs - startedMs;
    const rate = lastedMs < MIN_RATE_MS ? 0 : count(inSession) / lastedMs;
    const restMs = rate > 0 ? Math.max(0, limit.amount - used) / rate : undefined;
    const share = limit.amount === 0 ? 1 : used / limit.amount;
    return [{ name, limit, used, share, unpriced: spent[name].unpriced, restMs }];
  });
}

function total(all: readonly Spent[]): Spent {
  return all.reduce((sum, each) => addSpent(sum, each), NOTHING);
}

/** `$5`, `2M tokens`; the configuration accepts nothing else. */
function parseLimit(text: string | undefined): Limit | undefined {
  const dollars = /^\$([\d.]+)$/.exec(text ?? "")?.[1];
  if (dollars !== undefined) return { unit: "dollars", amount: Number(dollars) };
  const [, number, unit] = /^([\d.]+)([kM]?) tokens$/.exec(text ?? "") ?? [];
  if (number === undefined) return undefined;
  return { unit: "tokens", amount: Number(number) * ({ k: 1e3, M: 1e6 }[unit ?? ""] ?? 1) };
}

const SPANS: Readonly<Record<BudgetName, string>> = {
  session: "This session",
  day: "Your agents today",
  project: "This project today",
};

/** `This session has used $4.10 of $5.00 (82 %)` */
export function describeUse({ name, limit, used, share }: BudgetUse): string {
  const has = name === "day" ? "have" : "has";
  return `${SPANS[name]} ${has} used ${amountText(used, limit)} of ${amountText(limit.amount, limit)} (${Math.floor(share * 100)} %)`;
}

/** A rate of today says nothing about later. */
const MAX_REST_MS = 48 * 60 * 60 * 1000;

/** `14 min`: until it is used up at the rate so far; undefined where that is far off, over, or not known. */
export function restText({ share, restMs }: BudgetUse): string | undefined {
  if (share >= 1 || restMs === undefined || restMs > MAX_REST_MS) return undefined;
  const minutes = Math.ceil(restMs / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** `Your agents today have used $4.10 of $5.00 (82 %). At $6.20 an hour it is used up in 9 min.` */
export function foretellUse(use: BudgetUse): string {
  const { limit, used, restMs = 0 } = use;
  const rest = restText(use);
  if (rest === undefined) return `${describeUse(use)}.`;
  const hourly = ((limit.amount - used) / Math.max(1, restMs)) * 60 * 60 * 1000;
  return `${describeUse(use)}. At ${amountText(hourly, limit)} an hour it is used up in ${rest}.`;
}

function amountText(amount: number, { unit }: Limit): string {
  return unit === "dollars" ? `$${amount.toFixed(2)}` : `${shortCount(amount)} tokens`;
}

function meterFile(system: System, stateHome: string, session: string): AtomicJsonFile<UsageMeter> {
  return new AtomicJsonFile(join(stateHome, FOLDER, `${session}.json`), { system, parse: parseMeter });
}

/** Other sessions; files that nothing asks for any more are removed. */
function otherMeters(system: System, stateHome: string, own: string, nowMs: number): readonly UsageMeter[] {
  const folder = join(stateHome, FOLDER);
  return listIfThere(system.files, folder).flatMap(name => {
    if (!name.endsWith(".json") || name === `${own}.json`) return [];
    const facts = system.files.follow(join(folder, name));
    if (facts === undefined || nowMs - facts.modifiedMs > MAX_AGE_MS) return [];
    try {
      return meterFile(system, stateHome, name.slice(0, -".json".length)).read() ?? [];
    } catch {
      // The session that it belongs to puts a broken file aside.
      return [];
    }
  });
}

function parseMeter(value: Json): UsageMeter {
  if (!isJsonObject(value)) throw new Error("an object is expected");
  const files = Object.entries(objectAt(value, "files")).map(([path, file]) => {
    const recent = listAt(file, "recent").map(answer => ({
      id: stringAt(answer, "id") ?? "",
      day: stringAt(answer, "day") ?? "",
      ...parseSpent(answer),
    }));
    const model = stringAt(file, "model");
    const session = stringAt(file, "session");
    const offset = numberAt(file, "offset") ?? 0;
    const known = {
      ...(model === undefined ? {} : { model }),
      ...(session === undefined ? {} : { session }),
    };
    return [path, { offset, ...known, recent }] as const;
  });
  const days = Object.entries(objectAt(value, "days")).map(
    ([day, spent]) => [day, parseSpent(spent)] as const,
  );
  const parent = stringAt(value, "parent");
  return {
    session: stringAt(value, "session") ?? "",
    ...(parent === undefined ? {} : { parent }),
    project: stringAt(value, "project") ?? "",
    startedMs: numberAt(value, "startedMs") ?? 0,
    days: Object.fromEntries(days),
    files: Object.fromEntries(files),
    warned: listAt(value, "warned").filter(name => typeof name === "string"),
  };
}

function parseSpent(value: Json): Spent {
  const count = (name: string) => numberAt(value, name) ?? 0;
  return { tokens: count("tokens"), cost: count("cost"), unpriced: count("unpriced") };
}
