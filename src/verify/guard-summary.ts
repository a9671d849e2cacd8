import { isHistoryOn } from "../config/index.ts";
import { type Judgement, judgeTool } from "../guard/index.ts";
import { type ConfiguredGuard, findWanted, openGuard, runInRealm, UserHooks } from "../hooks/index.ts";
import { type HostId, normalise, planRegistrations } from "../hosts/index.ts";
import { checkInput, describeEvent, type InputOf, type JsonObject, powerOf } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { runRealm } from "../system/node.ts";
import { createDisk, findRepository } from "../workspace/index.ts";
import { describeEffect } from "./hook-trials.ts";
import type { TranscriptInput } from "./transcript-inputs.ts";

/** `keep`: the history would have kept what it loses, instead of a question. */
export type PastVerdict = "keep" | "ask" | "deny";

export interface StoppedCall {
  readonly file: string;
  readonly line: number;
  readonly verdict: PastVerdict;
  readonly rules: readonly string[];
  readonly command: string;
  readonly cwd: string | undefined;
  /** what would have been lost, by the first rule */
  readonly lost: string;
  /** how often the same command came in the same directory */
  count: number;
}

/** What the guard would have done with the tool calls of past sessions. */
export interface GuardSummary {
  judged: number;
  allowed: number;
  /** passed after a copy was kept */
  kept: number;
  asked: number;
  denied: number;
  readonly byRule: Map<string, number>;
  /** the first ones of each verdict, at most `MAX_SHOWN` */
  readonly stopped: StoppedCall[];
  /** the same by directory and whole command */
  readonly byCall: Map<string, StoppedCall>;
  /** time spent judging, without reading */
  judgingMs: number;
}

const MAX_SHOWN = 50;
const COMMAND_LENGTH = 300;
const COUNTERS = { keep: "kept", ask: "asked", deny: "denied" } as const;

export function emptySummary(): GuardSummary {
  const counters = { judged: 0, allowed: 0, kept: 0, asked: 0, denied: 0 };
  return { ...counters, byRule: new Map(), stopped: [], byCall: new Map(), judgingMs: 0 };
}

/** Where a call was recorded. */
export interface RecordedIn {
  readonly file: string;
  /** whose record it is, where that is known */
  readonly host?: HostId | undefined;
  /** its entries, where they are no lines of the file */
  readonly entries?: readonly JsonObject[] | undefined;
}

/** Adds one tool call; everything else is passed over. The directories of the past may be gone: nothing is run. */
export function addCall(
  system: System,
  summary: GuardSummary,
  { file, host }: RecordedIn,
  input: TranscriptInput,
): void {
  const call = readRecordedCall(input, host);
  if (call === undefined) return;
  const { cwd } = call;
  const began = system.clock.monotonicMs();
  const guard = openGuard(withBranch(system, cwd, input.branch), cwd, () => {});
  const context = { ...guard.context, cwd: cwd ?? guard.context.cwd, machineKey: undefined };
  const judgement = judgeTool(call, context);
  summary.judgingMs += system.clock.monotonicMs() - began;
  summary.judged += 1;
  const verdict = toPastVerdict(judgement, guard);
  if (verdict === "allow") {
    summary.allowed += 1;
    return;
  }
  summary[COUNTERS[verdict]] += 1;
  const rules = [...new Set(judgement.findings.map(finding => finding.rule))];
  for (const rule of rules) summary.byRule.set(rule, (summary.byRule.get(rule) ?? 0) + 1);
  const { command, paths } = call.facts;
  const { canonicalName, input: given } = call.tool;
  // A call without a command or a path is told apart by all that it was given.
  const what = paths.length > 0 ? paths.join(" ") : JSON.stringify(given);
  const called = command ?? `${canonicalName} ${what}`;
  const key = [verdict, cwd ?? "", called].join("\0");
  const alike = summary.byCall.get(key);
  if (alike !== undefined) alike.count += 1;
  else if (summary.stopped.filter(one => one.verdict === verdict).length < MAX_SHOWN) {
    const lost = judgement.findings[0]?.lost ?? "";
    const shown = called.slice(0, COMMAND_LENGTH);
    const stopped = { file, line: input.line, verdict, rules, command: shown, cwd, lost, count: 1 };
    summary.stopped.push(stopped);
    summary.byCall.set(key, stopped);
  }
}

/** The repository as it was: with what was checked out then, instead of what is now. */
function withBranch(system: System, cwd: string | undefined, branch: string | undefined): System {
  const repository =
    cwd === undefined || branch === undefined ? undefined : findRepository(createDisk(system), cwd);
  if (repository === undefined) return system;
  const head = `${repository.gitDirectory}/HEAD`;
  // A record says `HEAD` where none was.
  const text = branch === "HEAD" ? "0".repeat(40) : `ref: refs/heads/${branch}\n`;
  const files = Object.create(system.files) as System["files"];
  const read: System["files"]["read"] = (path, limit) =>
    path === head ? system.text.encode(text) : system.files.read(path, limit);
  return { ...system, files: Object.assign(files, { read }) };
}

/** A call as a record of its host tells it; undefined for what is no tool call. */
export function readRecordedCall(
  { event, payload }: Pick<TranscriptInput, "event" | "payload">,
  host: HostId | undefined,
): InputOf<"tool"> | undefined {
  if (event !== "PreToolUse") return undefined;
  const named = host === undefined ? payload : { ...payload, hook_event_name: nativeName(host) };
  const env = { get: () => undefined };
  const normalised = normalise(JSON.stringify(named), { env, event, host });
  const checked = normalised.ok ? checkInput(normalised.value) : undefined;
  return checked?.ok === true && checked.input.kind === "tool" ? checked.input : undefined;
}

const NATIVE_NAMES = new Map<HostId, string>();

/** A host that names its events itself knows no other name. */
function nativeName(host: HostId): string {
  const known = NATIVE_NAMES.get(host);
  if (known !== undefined) return known;
  const found = planRegistrations(host).registrations.find(({ event }) => event === "PreToolUse");
  const name = found?.nativeEvent ?? "PreToolUse";
  NATIVE_NAMES.set(host, name);
  return name;
}

function toPastVerdict(judgement: Judgement, { config }: ConfiguredGuard): PastVerdict | "allow" {
  if (judgement.verdict !== "ask" || !isHistoryOn(config) || config.guard.level === "strict")
    return judgement.verdict;
  const { verdict } = judgement.settle(judgement.all.filter(({ atRisk }) => atRisk === undefined));
  return verdict === "allow" ? "keep" : verdict;
}

/** What users' hooks would have said in past sessions: by hook, how often which word. */
export type UserHooksSummary = Map<string, Map<string, number>>;

const MAX_HOOK_MS = 10_000;

/** Runs the users' hooks that want a call, with the limits that they have in a session, and counts what they say. */
export async function addOwnCall(
  system: System,
  summary: UserHooksSummary,
  { event, payload }: TranscriptInput,
): Promise<void> {
  const read = normalise(JSON.stringify(payload), { env: { get: () => undefined }, event });
  const checked = read.ok ? checkInput(read.value) : undefined;
  if (checked?.ok !== true) return;
  const { input } = checked;
  const wanted = findWanted(system, input);
  if (wanted === undefined || "problem" in wanted) return;
  const own = new UserHooks(wanted, input, system, powerOf(describeEvent(input.event), input.raw));
  const said = await own.run(system.clock.monotonicMs() + MAX_HOOK_MS, runInRealm(runRealm));
  for (const { hook, effect, run } of said) {
    const words = summary.get(hook) ?? new Map<string, number>();
    const word = run?.status === "failed" ? "failed" : describeEffect(effect);
    words.set(word, (words.get(word) ?? 0) + 1);
    summary.set(hook, words);
  }
}
