import { removeIfThere } from "../state/index.ts";
import { type ProcessIdentity, sha256Hex } from "../system/index.ts";
import type { AdoptedPath, Change, NotKept } from "./change.ts";
import type { GitSnapshot } from "./git-snapshot.ts";
import type { LeftOut } from "./keeper.ts";
import type { Seen } from "./path-state.ts";
import { sessionKey } from "./sessions.ts";
import type { Listed, Store } from "./store.ts";
import type { Sweep } from "./sweep-cache.ts";
import type { NamedTarget } from "./targets.ts";

/** The part of a change that is known before the call runs. */
export type BegunChange = Pick<
  Change,
  | "id"
  | "kind"
  | "timeMs"
  | "host"
  | "session"
  | "turn"
  | "tool"
  | "toolUseId"
  | "command"
  | "project"
  | "verdict"
  | "rules"
  | "of"
  | "only"
>;

export interface CallEnd {
  /** as far as the host tells: `ok`, `failed`, or nothing */
  readonly exit?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** What an undo or redo is writing: it is written down first, so that what a killed one leaves behind is known. */
export interface Writing {
  /** of all temporary files of this undo */
  readonly mark: string;
  readonly writer: ProcessIdentity;
  readonly paths: Listed<string>;
  /** directories of our own in which git wrote files */
  readonly folders?: readonly string[];
}

/** A change whose call may still run: what is needed to find out what it did. */
export interface OpenChange {
  readonly change: BegunChange;
  readonly targets: Listed<NamedTarget>;
  readonly seen: Listed<Seen>;
  readonly sweeps: readonly Sweep[];
  readonly git: readonly GitSnapshot[];
  /** of the targets, what was not looked into: a tool makes it again */
  readonly leftOut?: readonly LeftOut[];
  /** when all of this had been looked at; older records do not tell */
  readonly lookedMs?: number;
  readonly isComplete: boolean;
  readonly notKept: readonly NotKept[];
  readonly files: number;
  readonly bytes: number;
  /** how to find processes that the call leaves behind */
  readonly background?: {
    /** the newest process when it began; undefined where the system does not tell */
    readonly since: number | undefined;
    /** the host runs it in the background, or its words leave processes behind */
    readonly isDetached: boolean;
    /** a service or container runs it: its end cannot be seen */
    readonly isLeftToService: boolean;
  };
  /** its host has called it ended, and processes of it go on */
  readonly running?: {
    readonly processes: readonly ProcessIdentity[];
    readonly end: CallEnd;
    /** when its host said so */
    readonly sinceMs?: number;
    /** repositories as they were then, of a call that was not said to go on */
    readonly git?: readonly GitSnapshot[];
  };
  /** of an undo, redo or adoption that has not ended */
  readonly writing?: Writing;
  /** what it takes to finish an adoption */
  readonly adopting?: Listed<AdoptedPath>;
}

export interface OpenFile {
  readonly path: string;
  readonly id: string;
}

/** A call is found again by its session and the id of the tool use, or by its words where a host gives no id. */
export function callKey(store: Store, useId: string | undefined, tool: string, command: string): string {
  const named = useId === undefined || useId === "" ? `${tool}\0${command}` : `\0${useId}`;
  return sha256Hex(store.system.text.encode(named)).slice(0, 16);
}

/** Of one call in one wording: under one id, a hook of the user's may make another call of it. */
export function callName(
  store: Store,
  session: string | undefined,
  key: string,
  tool: string,
  command: string,
): string {
  const wording = sha256Hex(store.system.text.encode(`${tool}\0${command}`)).slice(0, 16);
  return `${sessionKey(session)}.${key}.${wording}`;
}

export function writeOpen(store: Store, key: string, open: OpenChange): void {
  store.writeSealed(openPath(store, open.change.session, key, open.change.id), open);
}

export function replaceOpen(store: Store, { path }: OpenFile, open: OpenChange): void {
  store.writeSealed(path, open);
}

export function openPath(store: Store, session: string | undefined, key: string, id: string): string {
  return store.path("open", sessionKey(session), `${key}.${id}`);
}

/** The open changes of a session, oldest first; with a key, of that call. */
export function findOpen(store: Store, session: string | undefined, key?: string): readonly OpenFile[] {
  return findIn(store, sessionKey(session)).filter(
    ({ path }) => key === undefined || path.includes(`/${key}.`),
  );
}

/** The open changes of all sessions. */
export function findAllOpen(store: Store): readonly OpenFile[] {
  return store.names("open").flatMap(session => findIn(store, session));
}

function findIn(store: Store, session: string): readonly OpenFile[] {
  return store
    .names("open", session)
    .map(name => ({ path: store.path("open", session, name), id: name.slice(name.indexOf(".") + 1) }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Undefined when another process closed it, or when it is damaged. */
export function readOpen(store: Store, { path }: OpenFile): OpenChange | undefined {
  return store.readSealed<OpenChange>(path);
}

export function setVerdict(store: Store, file: OpenFile, verdict: string): void {
  const open = readOpen(store, file);
  if (open !== undefined) replaceOpen(store, file, { ...open, change: { ...open.change, verdict } });
}

export function removeOpen(store: Store, { path }: OpenFile): void {
  removeIfThere(store.system.files, path);
}
