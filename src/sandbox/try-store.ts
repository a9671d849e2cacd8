import { chmodSync, existsSync, lstatSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { isJsonObject, readJson } from "../protocol/index.ts";
import { hasEnded, removeIfThere } from "../state/index.ts";
import { dirname, isInside, join, type ProcessIdentity, type System } from "../system/index.ts";
import type { Overlay } from "./policy.ts";
import { policiesFolder } from "./store.ts";

/** One command whose changes were caught, as it is written down in its own folder below the state home. */
export interface TryRecord {
  readonly id: string;
  readonly timeMs: number;
  readonly project: string;
  readonly directory: string;
  readonly command: readonly string[];
  readonly host: string;
  readonly session: string | undefined;
  /** where changes of which folder were caught */
  readonly caught: readonly Overlay[];
  /** by the clock of the file system, in nanoseconds: what was changed later, somebody else changed */
  readonly startNs: string;
  readonly runner: ProcessIdentity;
  /** `applying`: it may be real already */
  readonly status: "running" | "held" | "applying";
  /** how the command ended */
  readonly exit: number | undefined;
  /** why it is held, where nobody was asked */
  readonly reason: string | undefined;
  /** files with other content that were there when the command had ended */
  readonly replaced: readonly string[];
  /** folders that the changes lie in, as they were when the command had ended */
  readonly folders: readonly TriedFolder[];
  /** copies of git's lists of files when it began: git itself writes them anew without changing what they say */
  readonly indexes: readonly { readonly path: string; readonly copy: string }[];
}

/** A folder that changes lie in; without an identity where there was none: then nothing was below it. */
export interface TriedFolder {
  readonly path: string;
  readonly identity?: string | undefined;
}

const TRIES = "sandbox/tries";
const RECORD = "try.json";
/** The record of a try that is being forgotten. What is left of it must never be taken for all that was caught. */
const ENDED = "ended.json";
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

export function tryFolder(stateHome: string, id: string): string {
  return join(stateHome, TRIES, id);
}

export function writeTry({ files, random, text }: System, stateHome: string, record: TryRecord): void {
  const folder = tryFolder(stateHome, record.id);
  files.makeDirectory(folder, 0o700);
  const temporary = join(folder, `${RECORD}.${random.hex(8)}`);
  files.createExclusive(temporary, text.encode(JSON.stringify(record)), 0o600);
  files.rename(temporary, join(folder, RECORD));
}

/** Folders outside the state home that hold what was caught: somebody looked at it, or will. */
export function caughtBeside(system: Pick<System, "files" | "text">, stateHome: string): readonly string[] {
  const layers = listTries(system, stateHome).flatMap(({ caught }) =>
    caught.map(({ upper }) => dirname(upper)),
  );
  return layers.filter(layer => !isInside(stateHome, layer));
}

function listIds({ files }: Pick<System, "files">, stateHome: string): readonly string[] {
  const folder = join(stateHome, TRIES);
  return files.follow(folder)?.kind === "directory" ? files.list(folder) : [];
}

/** Newest first. What cannot be read is left out. */
export function listTries(system: Pick<System, "files" | "text">, stateHome: string): readonly TryRecord[] {
  return listIds(system, stateHome)
    .flatMap(id => readTry(system, stateHome, id) ?? [])
    .sort((one, other) => other.timeMs - one.timeMs);
}

function readTry(
  { files, text }: Pick<System, "files" | "text">,
  stateHome: string,
  id: string,
  name = RECORD,
): TryRecord | undefined {
  const path = join(tryFolder(stateHome, id), name);
  if (!/^[a-z0-9]+$/.test(id) || files.follow(path)?.kind !== "file") return undefined;
  const read = readJson(text.decode(files.read(path, MAX_RECORD_BYTES)).text);
  return read.ok && isJsonObject(read.value)
    ? ({ folders: [], ...read.value } as unknown as TryRecord)
    : undefined;
}

/** Forgets a try and what was caught; nothing of the project is touched. */
export function removeTry(stateHome: string, { id, caught }: Pick<TryRecord, "id" | "caught">): void {
  const folder = tryFolder(stateHome, id);
  // One step, for which a full disk has room.
  if (existsSync(join(folder, RECORD))) renameSync(join(folder, RECORD), join(folder, ENDED));
  for (const { upper } of caught) removeFolder(upper.slice(0, upper.lastIndexOf("/")));
  removeFolder(folder);
}

/** Folders that the command or the kernel closed are opened first. */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function openFolders(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}

/** Of a run that was killed before it wrote anything; nothing happens to one that holds something. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds a try, or another process was faster.
  }
}

/** What killed runs left behind: tries that did not come to their end, and policies that nobody reads any more. */
export function sweepLeftovers(system: System, stateHome: string): void {
  const { files, clock, processes } = system;
  for (const id of listIds(system, stateHome)) {
    const ended = readTry(system, stateHome, id, ENDED);
    if (ended !== undefined) removeTry(stateHome, ended);
    else removeEmpty(tryFolder(stateHome, id));
  }
  for (const record of listTries(system, stateHome))
    if (record.status === "running" && hasEnded(processes, record.runner)) removeTry(stateHome, record);
  const folder = policiesFolder(stateHome);
  if (files.follow(folder)?.kind !== "directory") return;
  for (const name of files.list(folder).filter(each => each.endsWith(".json"))) {
    const facts = files.inspect(join(folder, name));
    if (facts !== undefined && clock.nowMs() - facts.modifiedMs > DAY_MS)
      removeIfThere(files, join(folder, name));
  }
}
