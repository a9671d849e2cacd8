import type { Grant, Judgement } from "../../guard/index.ts";
import { isAgentVariable } from "../../hosts/index.ts";
import { type Json, StrictMembers, stringAt, stringsAt } from "../../protocol/index.ts";
import { AtomicJsonFile, readText } from "../../state/index.ts";
import { basename, hasErrorCode, join, type System, sha256Hex } from "../../system/index.ts";
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
  /** SHA-256 of the files that it would have run, as they were shown to the guard */
  readonly files?: readonly string[];
  readonly refusedMs: number;
}

interface GrantFile {
  readonly version: 1;
  readonly grants: readonly Grant[];
  readonly refused: readonly RefusedCommand[];
}

const EMPTY: GrantFile = { version: 1, grants: [], refused: [] };
const KEY_DIGITS = 64;
const LOCK_TIMEOUT_MS = 1_000;
const MAX_REFUSED = 50;
const MAX_REFUSED_CHARACTERS = 256 * 1024;
/** A code permits once. */
const MAX_USES = 1;
const REFUSED_LIFE_MS = 24 * 60 * 60 * 1000;
const GRANT_LIFE_MS = 15 * 60 * 1000;

/** Also what was refused last. */
export function refusalsFile(stateHome: string): string {
  return join(stateHome, "guard", "allow-once.json");
}

function machineKeyFile(stateHome: string): string {
  return join(stateHome, "guard", "machine.key");
}

/** The key of this machine, made on first use. Throws a `SystemError` when it can be neither read nor made. */
export function readMachineKey(system: System, stateHome: string): string {
  const path = machineKeyFile(stateHome);
  const found = readText(system, path, 4096);
  if (found !== undefined && /^[0-9a-f]{64}$/.test(found.trim())) return found.trim();
  if (found !== undefined) system.files.remove(path);
  const key = system.random.hex(KEY_DIGITS);
  system.files.makeDirectory(join(stateHome, "guard"), 0o700);
  try {
    system.files.createExclusive(path, system.text.encode(`${key}\n`), 0o600);
    return key;
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    return readText(system, path, 4096)?.trim() ?? key;
  }
}

/** Grants that can still be used. Takes no lock; a malformed file gives none and is set aside by the next writer. */
export function readGrants(system: System, stateHome: string): readonly Grant[] {
  try {
    const grants = openFile(system, stateHome).read()?.grants ?? [];
    return grants.filter(grant => isUsable(grant, system.clock.nowMs()));
  } catch {
    return [];
  }
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
): Judgement {
  const first = judge();
  if (first.verdict === "allow" || first.code === undefined) return first;
  const grants = readGrants(system, stateHome);
  if (!grants.some(grant => grant.code === first.code)) return first;
  const granted = judge(grants);
  return granted.usedGrants.length > 0 && consume(granted.usedGrants) === true ? granted : first;
}

/** Remembers what was refused, so that a human can see what a code stands for. */
export function rememberRefusal(system: System, stateHome: string, refused: RefusedCommand): void {
  change(system, stateHome, file => {
    const recent = file.refused.filter(
      other => other.code !== refused.code && other.refusedMs > refused.refusedMs - REFUSED_LIFE_MS,
    );
    return { ...file, refused: newest([...recent, refused]) };
  });
}

/** As many as are worth keeping; the last one always. */
function newest(refused: readonly RefusedCommand[]): readonly RefusedCommand[] {
  let characters = 0;
  const kept = refused
    .slice(-MAX_REFUSED)
    .reverse()
    .filter(({ command }, index) => {
      characters += command.length;
      return index === 0 || characters <= MAX_REFUSED_CHARACTERS;
    });
  return kept.reverse();
}

export function findRefusal(system: System, stateHome: string, code: string): RefusedCommand | undefined {
  return openFile(system, stateHome)
    .read()
    ?.refused.find(refused => refused.code === code.toUpperCase());
}

const MAX_FILES = 32;

/** The files that a judged call runs, for `RefusedCommand`. */
export function ranFiles(
  system: Pick<System, "text">,
  { ranTexts }: Judgement,
): { readonly files?: readonly string[] } {
  const files = ranTexts()
    .slice(0, MAX_FILES)
    .map(text => sha256Hex(system.text.encode(text)));
  return files.length === 0 ? {} : { files };
}

/** Whether a person was asked about a call that runs a file of exactly these bytes. */
export function wasAskedAbout(system: System, stateHome: string, sha256: string): boolean {
  const oldest = system.clock.nowMs() - REFUSED_LIFE_MS;
  try {
    const refused = openFile(system, stateHome).read()?.refused ?? [];
    return refused.some(({ files = [], refusedMs }) => refusedMs > oldest && files.includes(sha256));
  } catch {
    return false;
  }
}

/** Permits a code, for what it was shown to stand for; the caller has made sure that a human asks. */
export function grantOnce(system: System, stateHome: string, code: string, digest?: string): Grant {
  const expiresMs = system.clock.nowMs() + GRANT_LIFE_MS;
  const grant: Grant = {
    code: code.toUpperCase(),
    ...(digest === undefined ? {} : { digest }),
    usesLeft: MAX_USES,
    expiresMs,
  };
  change(system, stateHome, file => {
    const now = system.clock.nowMs();
    const others = file.grants.filter(other => other.code !== grant.code && isUsable(other, now));
    return { ...file, grants: [...others, grant] };
  });
  return grant;
}

/** Why this is not a human at their own terminal; undefined when nothing tells that it is not. */
export function whyNoHuman(system: System, stateHome?: string): string | undefined {
  const obstacle = whyNoTerminal(system);
  if (obstacle !== undefined) return obstacle;
  const agent = agentAbove(system, stateHome);
  return agent === undefined
    ? undefined
    : `this terminal belongs to an agent (${agent}); use one of your own`;
}

function whyNoTerminal(system: Pick<System, "stdio" | "env">): string | undefined {
  if (!system.stdio.isTerminal("stdin") || !system.stdio.isTerminal("stderr")) {
    return "this needs a person at a terminal: stdin and stderr must both be one";
  }
  return whyAgent(system);
}

/** What shows that an agent started this process. */
export function whyAgent(system: Pick<System, "env">): string | undefined {
  const marker = system.env
    .names()
    .find(name => isAgentVariable(name) && (system.env.get(name) ?? "") !== "");
  return marker === undefined
    ? undefined
    : `this terminal belongs to an agent (${marker} is set); use one of your own`;
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

function openFile(system: System, stateHome: string): AtomicJsonFile<GrantFile> {
  return new AtomicJsonFile<GrantFile>(refusalsFile(stateHome), {
    system,
    parse,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  });
}

function change(system: System, stateHome: string, edit: (file: GrantFile) => GrantFile): void {
  openFile(system, stateHome).update(edit, EMPTY, {
    onMalformed: "set-aside",
    onSetAside: keptAs =>
      system.stdio.writeError(
        `amplihack: allow-once.json was malformed, its codes no longer count; kept as ${basename(keptAs)}\n`,
      ),
  });
}

function parse(value: Json): GrantFile {
  const file = new StrictMembers(value);
  return {
    version: 1,
    grants: (file.optional("grants", file.list) ?? []).map(parseGrant),
    refused: (file.optional("refused", file.list) ?? []).map(parseRefused),
  };
}

function parseGrant(value: Json): Grant {
  const grant = new StrictMembers(value, "grants[]");
  return {
    code: grant.string("code"),
    ...digestOf(value),
    usesLeft: grant.number("usesLeft"),
    expiresMs: grant.number("expiresMs"),
  };
}

function parseRefused(value: Json): RefusedCommand {
  const refused = new StrictMembers(value, "refused[]");
  const found = stringsAt(value, "found");
  const files = stringsAt(value, "files");
  return {
    code: refused.string("code"),
    ...digestOf(value),
    command: refused.string("command"),
    cwd: refused.string("cwd"),
    rules: stringsAt(value, "rules"),
    ...(found.length === 0 ? {} : { found }),
    ...(files.length === 0 ? {} : { files }),
    refusedMs: refused.number("refusedMs"),
  };
}

function digestOf(value: Json): { readonly digest?: string } {
  const digest = stringAt(value, "digest");
  return digest === undefined ? {} : { digest };
}
