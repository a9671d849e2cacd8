import { type Autonomy, effectiveAutonomy } from "../../config/index.ts";
import { isUnderstood, type Judgement } from "../../guard/index.ts";
import { type Answering, HOSTS, hostOrDefault, isHostId, type PersonRules } from "../../hosts/index.ts";
import { type Effect, type InputOf, type Json, listAt, numberAt, stringAt } from "../../protocol/index.ts";
import { AtomicJsonFile, readText } from "../../state/index.ts";
import { join, type System, sha256Hex } from "../../system/index.ts";
import type { ConfiguredGuard } from "./guard-context.ts";

/** How a call was answered in its person's place. */
export type Answered = Exclude<Autonomy, "off">;

/** What hosts ask about and the guard can know. A question to the person, a plan, an agent is nothing to be answered. */
const ANSWERED_TOOLS: ReadonlySet<string> = new Set([
  "Bash",
  "Read",
  "Write",
  "Edit",
  "NotebookEdit",
  "Glob",
  "Grep",
  "LS",
]);

/** What the history did for a call; undefined for one that changes nothing. */
interface Kept {
  /** all that the call may change can come back */
  readonly isWhole: boolean;
}

type Call = Pick<InputOf<"tool">, "host" | "tool" | "raw" | "sessionId" | "facts" | "cwd">;
type Guard = Pick<ConfiguredGuard, "config" | "home" | "project" | "stateHome">;

/** How the host of this call is answered; undefined where it is not, or the person does not want it. */
export function findAnswering(call: Call, system: System, guard: Guard): Answering | undefined {
  if (effectiveAutonomy(guard.config).level === "off" || !ANSWERED_TOOLS.has(call.tool.canonicalName))
    return undefined;
  const answering = isHostId(call.host) ? HOSTS[call.host].answering : "";
  if (typeof answering === "string" || overriddenRule(call.host, system, guard, call.cwd) !== undefined)
    return undefined;
  const { modes } = answering;
  return modes === undefined || modes.includes(stringAt(call.raw, "permission_mode") ?? "")
    ? answering
    : undefined;
}

/** A yes: `allow` in the fold, nothing more. */
export function answerEffect(answered: Answered): Effect {
  return { decision: { kind: "allow", reason: REASONS[answered] }, extras: { answered } };
}

const REASONS: Readonly<Record<Answered, string>> = {
  understood: "answered by amplihack: it knows all that this does, and can take it back",
  sandbox: "answered by amplihack: it runs in the sandbox",
};

/** A call is answered when everything is known of it, and what it changes can be taken back. */
export function isAnswerable(judgement: Judgement, changes: boolean, kept: Kept | undefined): boolean {
  return isUnderstood(judgement) && (!changes || kept?.isWhole === true);
}

const MAX_RULE_FILES = 100;
const MAX_RULE_BYTES = 256 * 1024;

/** A rule of the person's that a yes would override, and where it stands. */
export interface OverriddenRule {
  readonly file: string;
  readonly what: string;
}

type Places = Pick<Guard, "home" | "project">;
type Reader = Pick<System, "files" | "text" | "env">;

/** The first rule of the person's that a yes to this host would override. */
export function overriddenRule(
  host: string,
  system: Reader,
  places: Places,
  directory = places.project,
  overrides = listOverrides(host),
): OverriddenRule | undefined {
  for (const rules of overrides) {
    const file = fileWithRule(host, system, places, directory, rules);
    if (file !== undefined) return { file, what: rules.what };
  }
  return undefined;
}

function fileWithRule(
  host: string,
  system: Reader,
  { home, project }: Places,
  directory: string,
  { folder, managed, ending, rule }: PersonRules,
): string | undefined {
  const { variable = "", folder: own = "" } = hostOrDefault(host).registration?.relocation ?? {};
  const moved = system.env.get(variable);
  const places = [...new Set([home, project, directory])].map(root => join(root, folder));
  if (moved !== undefined && moved !== "")
    places.push(join(moved, own === "" ? folder : folder.slice(own.length + 1)));
  const files = [...places, managed].flatMap(place => {
    if (system.files.follow(place)?.kind !== "directory") return [];
    return system.files
      .list(place)
      .filter(name => name.endsWith(ending))
      .map(name => join(place, name));
  });
  // What cannot be read may hold one.
  return files.find((path, index) => {
    const text = index < MAX_RULE_FILES ? readText(system, path, MAX_RULE_BYTES) : undefined;
    return text === undefined || rule.test(text);
  });
}

function listOverrides(host: string): readonly PersonRules[] {
  const { answering } = hostOrDefault(host);
  return (typeof answering === "string" ? undefined : answering.overrides) ?? [];
}

// Where a host hears a yes only when it asks, the call was judged before: these are the calls that may be answered.

interface Answerable {
  readonly call: string;
  readonly ms: number;
  readonly answered: Answered;
}

const MAX_ANSWERABLE = 64;
const ANSWERABLE_MS = 60_000;

/** Remembers that a call may be answered, should its host ask. */
export function rememberAnswerable(
  call: Call,
  system: System,
  stateHome: string,
  answered: Answered = "understood",
): void {
  const entry = { call: digestCall(call, system), ms: system.clock.nowMs(), answered };
  change(system, stateHome, entries => [...entries, entry].slice(-MAX_ANSWERABLE));
}

/** How a call that its host asks about may be answered, by what was found a moment ago; each is answered once. */
export function takeAnswerable(call: Call, system: System, stateHome: string): Answered | undefined {
  const wanted = digestCall(call, system);
  let found: Answered | undefined;
  change(system, stateHome, entries => {
    const at = entries.findIndex(entry => entry.call === wanted);
    found = entries[at]?.answered;
    return entries.filter((_, index) => index !== at);
  });
  return found;
}

function change(
  system: System,
  stateHome: string,
  edit: (entries: readonly Answerable[]) => readonly Answerable[],
): void {
  const path = join(stateHome, "guard", "answerable.json");
  const now = system.clock.nowMs();
  new AtomicJsonFile(path, { system, lockTimeoutMs: 1_000, parse: readEntries }).update(
    entries => edit(entries.filter(({ ms }) => ms <= now && now - ms < ANSWERABLE_MS)),
    [],
    { onMalformed: "set-aside" },
  );
}

function readEntries(value: Json): readonly Answerable[] {
  return listAt({ entries: value }, "entries").flatMap(entry => {
    const [call, ms] = [stringAt(entry, "call"), numberAt(entry, "ms")];
    const answered = stringAt(entry, "answered") === "sandbox" ? "sandbox" : "understood";
    return call === undefined || ms === undefined ? [] : [{ call, ms, answered }];
  });
}

/** A host may describe the call in other words when it asks; the command, or else the whole input, is the call. */
function digestCall({ host, sessionId, tool, facts }: Call, { text }: System): string {
  const what = facts.command ?? JSON.stringify(tool.input);
  return sha256Hex(text.encode(JSON.stringify([host, sessionId ?? null, tool.canonicalName, what])));
}
