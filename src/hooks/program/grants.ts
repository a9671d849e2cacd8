import type { Config } from "../../config/index.ts";
import type { Grant, Judgement } from "../../guard/index.ts";
import {
  defined,
  errorText,
  type Json,
  listAt,
  StrictMembers,
  stringAt,
  stringsAt,
} from "../../protocol/index.ts";
import {
  AtomicJsonFile,
  complain,
  computeSeal,
  findMachineKey,
  RECORD_LOCK_TIMEOUT_MS,
  readMachineKey,
} from "../../state/index.ts";
import { basename, join, type System, sha256Hex } from "../../system/index.ts";
import { clip } from "../../text/index.ts";
import { readServiceGrant, removeServiceGrant, shownToPerson } from "./consent-service.ts";
import { agentAbove } from "./process-tree.ts";

/** A refused command that waits for a human: what `guard allow-once` shows before it asks for a yes. */
export interface RefusedCommand {
  readonly code: string;
  /** what the code is short for */
  readonly digest?: string | undefined;
  /** as it was sent, secrets taken out */
  readonly command: string;
  readonly cwd: string;
  readonly rules: readonly string[];
  /** what the rules found, for the person, one line each; files of older versions have none */
  readonly found?: readonly string[];
  /** the files that it would have run, as they were shown to the guard */
  readonly files?: readonly RanFileDigest[];
  readonly refusedMs: number;
  /** where it was asked for, so that a grant counts there alone */
  readonly session?: string | undefined;
  readonly host?: string | undefined;
}

/** A file that a call runs, and what stood in it. */
export interface RanFileDigest {
  readonly path: string;
  readonly sha256: string;
}

/** A permission that a person gave, until the next session has shown it. */
export interface GivenGrant {
  readonly command: string;
  readonly host?: string | undefined;
  readonly givenMs: number;
}

/** Who asks: a grant that was given in one session permits nothing in another. */
export interface Asker extends Pick<Grant, "session" | "host"> {
  /** what the person is shown of the call, where only the service of root's hears their yes */
  readonly shownForService?: (() => string) | undefined;
}

/** Of a call that is shown to a person, for the service where that is set. */
export function askerForService(
  { consent }: Pick<Config, "consent">,
  shown: () => { readonly command: string; readonly cwd: string },
): Pick<Asker, "shownForService"> {
  return consent === "service" ? { shownForService: () => shownToPerson(shown()) } : {};
}

interface GrantFile {
  readonly version: 1;
  readonly grants: readonly SealedGrant[];
  readonly refused: readonly RefusedCommand[];
  readonly given?: readonly GivenGrant[];
  /** when a question about files had to be forgotten: from then on, not being listed says nothing */
  readonly forgottenMs?: number | undefined;
}

/** As it is kept: sealed, so that nobody else writes one. */
type SealedGrant = Grant & { readonly seal?: string | undefined };

const EMPTY: GrantFile = { version: 1, grants: [], refused: [] };
const LOCK_TIMEOUT_MS = 1_000;
const MAX_REFUSED = 50;
const MAX_REFUSED_CHARACTERS = 256 * 1024;
/** A code permits once. */
const MAX_USES = 1;
const REFUSED_LIFE_MS = 24 * 60 * 60 * 1000;
/** A host may wait for an answer over a weekend. */
const ASKED_LIFE_MS = 7 * REFUSED_LIFE_MS;
const GRANT_LIFE_MS = 15 * 60 * 1000;

/** Also what was refused last. */
export function refusalsFile(stateHome: string): string {
  return join(stateHome, "guard", "allow-once.json");
}

/** Grants that can still be used. Takes no lock; a malformed file gives none and is set aside by the next writer. */
export function readGrants(system: System, stateHome: string, asker: Asker = {}): readonly Grant[] {
  try {
    const grants = openFile(system, stateHome).read()?.grants ?? [];
    const key = grants.length === 0 ? undefined : findMachineKey(system, stateHome);
    return grants.flatMap(({ seal, ...grant }) => {
      const isSealed = key !== undefined && seal === sealOfGrant(system, key, grant);
      return isSealed && isUsable(grant, system.clock.nowMs()) && isForAsker(grant, asker) ? [grant] : [];
    });
  } catch (error) {
    complain(system, `no permission counts: ${errorText(error)}`);
    return [];
  }
}

function isForAsker({ session, host }: Grant, asker: Asker): boolean {
  return (session === undefined || session === asker.session) && (host === undefined || host === asker.host);
}

function sealOfGrant(
  system: Pick<System, "text">,
  key: string,
  { code, digest = "", session = "", host = "", usesLeft, expiresMs }: Grant,
): string {
  return computeSeal(system, key, [
    "grant",
    code,
    digest,
    session,
    host,
    String(usesLeft),
    String(expiresMs),
  ]);
}

/** Takes one use of each grant away, under the lock; false when another process was faster. */
export function consumeGrants(system: System, stateHome: string, used: readonly Grant[]): boolean {
  let isConsumed = false;
  change(system, stateHome, file => {
    const now = system.clock.nowMs();
    isConsumed = used.every(({ code }) =>
      file.grants.some(grant => grant.code === code && isUsable(grant, now)),
    );
    if (!isConsumed) return file;
    const codes = new Set(used.map(grant => grant.code));
    const grants = file.grants.map(grant =>
      codes.has(grant.code) ? { ...grant, usesLeft: grant.usesLeft - 1 } : grant,
    );
    return { ...file, grants: grants.filter(grant => isUsable(grant, now)) };
  });
  return isConsumed;
}

/**
 * Judges without grants and, where that refuses what a grant permits, with them. A grant counts only for the process
 * that could use it up.
 */
export function judgeWithGrants(
  system: System,
  stateHome: string,
  judge: (grants?: readonly Grant[]) => Judgement,
  consume: (used: readonly Grant[]) => boolean | undefined,
  asker: Asker,
): Judgement {
  const first = judge();
  if (first.verdict === "allow" || first.code === undefined) return first;
  const { code } = first;
  const { shownForService } = asker;
  const grants =
    shownForService === undefined
      ? readGrants(system, stateHome, asker)
      : grantsOfService(system, code, shownForService(), asker);
  if (!grants.some(grant => grant.code === code)) return first;
  const granted = judge(grants);
  if (granted.usedGrants.length === 0) return first;
  const isUsedUp =
    shownForService === undefined ? consume(granted.usedGrants) : removeServiceGrant(system, code);
  return isUsedUp === true ? granted : first;
}

function grantsOfService(system: System, code: string, shown: string, asker: Asker): readonly Grant[] {
  const grant = readServiceGrant(system, code, shown);
  const isGood = grant !== undefined && isUsable(grant, system.clock.nowMs()) && isForAsker(grant, asker);
  return isGood ? [grant] : [];
}

/** Remembers what was refused, so that a human can see what a code stands for. */
export function rememberRefusal(system: System, stateHome: string, refused: RefusedCommand): void {
  const edit = (file: GrantFile): GrantFile => {
    const recent = file.refused.filter(
      ({ code, files, refusedMs }) =>
        code !== refused.code &&
        refusedMs > refused.refusedMs - (files === undefined ? REFUSED_LIFE_MS : ASKED_LIFE_MS),
    );
    const kept = bounded([...recent, refused]);
    const isForgotten = recent.some(one => one.files !== undefined && !kept.includes(one));
    return { ...file, refused: kept, ...(isForgotten ? { forgottenMs: refused.refusedMs } : {}) };
  };
  change(system, stateHome, edit, RECORD_LOCK_TIMEOUT_MS);
}

/**
 * As many as are worth keeping; the last one always. The session with the most gives way first, and in it what runs no files:
 * nobody pushes out the questions of others.
 */
function bounded(refused: readonly RefusedCommand[]): readonly RefusedCommand[] {
  const last = refused.at(-1);
  const kept = [...refused];
  const countCharacters = () => kept.reduce((size, { command }) => size + command.length, 0);
  while (kept.length > 1 && (kept.length > MAX_REFUSED || countCharacters() > MAX_REFUSED_CHARACTERS)) {
    const counts = new Map<string | undefined, number>();
    for (const { session } of kept) counts.set(session, (counts.get(session) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const crowd = kept.filter(one => one !== last && counts.get(one.session) === most);
    const candidates = crowd.length === 0 ? kept.filter(one => one !== last) : crowd;
    const dropped = candidates.find(({ files }) => files === undefined) ?? candidates[0];
    kept.splice(kept.indexOf(dropped as RefusedCommand), 1);
  }
  return kept;
}

export function findRefusal(system: System, stateHome: string, code: string): RefusedCommand | undefined {
  return openFile(system, stateHome)
    .read()
    ?.refused.find(refused => refused.code === code.toUpperCase());
}

const MAX_FILES = 32;
/** Stands for all behind those that are listed one by one. */
const MORE_FILES = "one of its further files";

/** The files that a judged call runs, for `RefusedCommand`. */
export function ranFiles(
  system: Pick<System, "text">,
  { ranFiles }: Judgement,
): { readonly files?: readonly RanFileDigest[] } {
  const digest = (text: string) => sha256Hex(system.text.encode(text));
  const files = ranFiles().map(({ path, text }) => ({ path, sha256: digest(text) }));
  if (files.length <= MAX_FILES) return files.length === 0 ? {} : { files };
  const rest = files.slice(MAX_FILES - 1).map(({ path, sha256 }) => `${path} ${sha256}`);
  return { files: [...files.slice(0, MAX_FILES - 1), { path: MORE_FILES, sha256: digest(rest.join("\n")) }] };
}

/** Whether a person was asked about a call that runs a file of exactly these bytes. */
export function wasAskedAbout(system: System, stateHome: string, sha256: string): boolean {
  return askedFiles(system, stateHome).asked.some(file => file.sha256 === sha256);
}

/** What else the last question showed in which a file of these bytes was shown. */
export function shownWith(system: System, stateHome: string, sha256: string): readonly string[] | undefined {
  const has = ({ files = [] }: RefusedCommand) => files.some(file => file.sha256 === sha256);
  try {
    const refused = openFile(system, stateHome).read()?.refused ?? [];
    return refused
      .filter(one => isQuestion(one) && has(one))
      .at(-1)
      ?.files?.map(file => file.sha256);
  } catch {
    return undefined;
  }
}

/** The first of the files that a person was asked about when something else stood in it, or may have been. */
export function changedSinceAsked(
  system: System,
  stateHome: string,
  files: readonly RanFileDigest[],
): string | undefined {
  const { asked, isWhole } = askedFiles(system, stateHome);
  const isNamed = ({ path }: RanFileDigest) => asked.some(file => file.path === path);
  const isShown = ({ path, sha256 }: RanFileDigest) =>
    asked.some(file => file.path === path && file.sha256 === sha256);
  const changed = files.find(file => (!isWhole || isNamed(file)) && !isShown(file));
  if (changed !== undefined) return changed.path;
  // Some of it was shown: what was not there then may stand in front of it now.
  const isCut = [...files, ...asked].some(({ path }) => path === MORE_FILES);
  return isCut || !files.some(isShown) ? undefined : files.find(file => !isNamed(file))?.path;
}

function askedFiles(
  system: System,
  stateHome: string,
): { readonly asked: readonly RanFileDigest[]; readonly isWhole: boolean } {
  const oldest = system.clock.nowMs() - ASKED_LIFE_MS;
  try {
    const { refused = [], forgottenMs = 0 } = openFile(system, stateHome).read() ?? {};
    const asked = refused.flatMap(one =>
      isQuestion(one) && one.refusedMs > oldest ? (one.files ?? []) : [],
    );
    return { asked, isWhole: forgottenMs <= oldest };
  } catch {
    return { asked: [], isWhole: false };
  }
}

/** A step of a recipe is stopped, and nobody is asked. */
export const RECIPE_STEP_HOST = "recipe";

function isQuestion({ host }: RefusedCommand): boolean {
  return host !== RECIPE_STEP_HOST;
}

/** Permits what was refused, where it was refused; the caller has made sure that a human asks. */
export function grantOnce(system: System, stateHome: string, refused: RefusedCommand): Grant {
  const { digest, session, host } = refused;
  const grant: Grant = {
    code: refused.code.toUpperCase(),
    ...defined({ digest, session, host }),
    usesLeft: MAX_USES,
    expiresMs: system.clock.nowMs() + GRANT_LIFE_MS,
  };
  const seal = sealOfGrant(system, readMachineKey(system, stateHome), grant);
  change(system, stateHome, file => {
    const now = system.clock.nowMs();
    const others = file.grants.filter(other => other.code !== grant.code && isUsable(other, now));
    return {
      ...file,
      grants: [...others, { ...grant, seal }],
      given: [...(file.given ?? []), describeGiven(refused, now)].slice(-MAX_GIVEN),
    };
  });
  return grant;
}

/** Notes what was permitted for good, or to a program that showed the question, so that the next session shows it. */
export function noteGiven(
  system: System,
  stateHome: string,
  refused: Pick<RefusedCommand, "command" | "host">,
): void {
  change(system, stateHome, file => ({
    ...file,
    given: [...(file.given ?? []), describeGiven(refused, system.clock.nowMs())].slice(-MAX_GIVEN),
  }));
}

const MAX_GIVEN = 20;

function describeGiven(
  { command, host }: Pick<RefusedCommand, "command" | "host">,
  givenMs: number,
): GivenGrant {
  return { command: clip(command, 200), ...defined({ host }), givenMs };
}

/** What was permitted and not shown yet. Never throws: a list that cannot be read may have held something. */
export function readGiven(system: System, stateHome: string): readonly GivenGrant[] {
  try {
    return openFile(system, stateHome).read()?.given ?? [];
  } catch (error) {
    complain(system, `what was permitted since the last session cannot be shown: ${errorText(error)}`);
    return [];
  }
}

/** Forgets those that were shown. */
export function forgetGiven(system: System, stateHome: string, shown: readonly GivenGrant[]): void {
  if (shown.length === 0) return;
  const isShown = (one: GivenGrant) =>
    shown.some(other => other.givenMs === one.givenMs && other.command === one.command);
  change(system, stateHome, file => ({ ...file, given: (file.given ?? []).filter(one => !isShown(one)) }));
}

/** Why this is not a human at their own terminal; undefined when nothing tells that it is not. */
export function whyNoHuman(system: System, stateHome?: string): string | undefined {
  return whyNoTerminal(system) ?? whyStartedByAgent(system, stateHome);
}

/** What shows that an agent started this process, whether or not there is a terminal. */
export function whyStartedByAgent(system: System, stateHome?: string): string | undefined {
  const agent = agentAbove(system, stateHome);
  return agent === undefined
    ? undefined
    : `this terminal belongs to an agent (${agent}); use one of your own`;
}

function whyNoTerminal({ stdio }: Pick<System, "stdio">): string | undefined {
  return stdio.isTerminal("stdin") && stdio.isTerminal("stderr")
    ? undefined
    : "only a person can do this: run it in your own terminal, without a pipe";
}

/**
 * One that would last longer than any grant may was given before the clock was set back, and has had its time. One of
 * more uses than any grant has was not given by this program.
 */
function isUsable({ usesLeft, expiresMs }: Grant, nowMs: number): boolean {
  const leftMs = expiresMs - nowMs;
  const isCounted = Number.isInteger(usesLeft) && usesLeft > 0 && usesLeft <= MAX_USES;
  return isCounted && leftMs > 0 && leftMs <= GRANT_LIFE_MS;
}

function openFile(
  system: System,
  stateHome: string,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): AtomicJsonFile<GrantFile> {
  return new AtomicJsonFile<GrantFile>(refusalsFile(stateHome), { system, parse, lockTimeoutMs });
}

function change(
  system: System,
  stateHome: string,
  edit: (file: GrantFile) => GrantFile,
  lockTimeoutMs?: number,
): void {
  openFile(system, stateHome, lockTimeoutMs).update(edit, EMPTY, {
    onMalformed: "set-aside",
    onSetAside: keptAs =>
      complain(
        system,
        `allow-once.json was malformed, its codes no longer count; kept as ${basename(keptAs)}`,
      ),
  });
}

function parse(value: Json): GrantFile {
  const file = new StrictMembers(value);
  return {
    version: 1,
    grants: (file.optional("grants", file.list) ?? []).map(parseGrant),
    refused: (file.optional("refused", file.list) ?? []).map(parseRefused),
    given: (file.optional("given", file.list) ?? []).map(parseGiven),
    ...defined({ forgottenMs: file.optional("forgottenMs", file.number) }),
  };
}

function parseGiven(value: Json): GivenGrant {
  const given = new StrictMembers(value, "given[]");
  return {
    command: given.string("command"),
    ...readTexts(value, "host"),
    givenMs: given.number("givenMs"),
  };
}

function parseGrant(value: Json): SealedGrant {
  const grant = new StrictMembers(value, "grants[]");
  return {
    code: grant.string("code"),
    ...readTexts(value, "digest", "session", "host", "seal"),
    usesLeft: grant.number("usesLeft"),
    expiresMs: grant.number("expiresMs"),
  };
}

function parseRefused(value: Json): RefusedCommand {
  const refused = new StrictMembers(value, "refused[]");
  const found = stringsAt(value, "found");
  const files = listAt(value, "files").flatMap((file): readonly RanFileDigest[] => {
    const [path, sha256] = [stringAt(file, "path"), stringAt(file, "sha256")];
    return path === undefined || sha256 === undefined ? [] : [{ path, sha256 }];
  });
  return {
    code: refused.string("code"),
    ...readTexts(value, "digest", "session", "host"),
    command: refused.string("command"),
    cwd: refused.string("cwd"),
    rules: stringsAt(value, "rules"),
    ...(found.length === 0 ? {} : { found }),
    ...(files.length === 0 ? {} : { files }),
    refusedMs: refused.number("refusedMs"),
  };
}

/** Members that may be missing. */
function readTexts(value: Json, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap(name => {
      const text = stringAt(value, name);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}
