import { type ExactFacts, type Files, hasErrorCode } from "../system/index.ts";
import { ABSENT, type ContentSource, type FileState, type PathChange, type PathState } from "./change.ts";

/** A path with what was there, and the stamp that tells whether it was touched since. */
export interface Seen {
  readonly path: string;
  readonly state: PathState;
  readonly stamp: string;
}

/** What stands there according to its facts; the content of a file is found by `contentOf`, when it is needed. */
export function toState(
  files: Pick<Files, "readLink">,
  path: string,
  facts: ExactFacts | undefined,
  contentOf: (facts: ExactFacts) => ContentSource,
): PathState {
  if (facts === undefined) return ABSENT;
  const { mode, modifiedNs, size } = facts;
  switch (facts.kind) {
    case "file":
      return { kind: "file", size, mode, modifiedNs, content: contentOf(facts), ...namesIn(facts) };
    case "directory":
      return { kind: "directory", mode, modifiedNs };
    case "symlink":
      return { kind: "link", target: files.readLink(path), modifiedNs };
    default:
      return { kind: "other", mode };
  }
}

function namesIn({ links, identity }: ExactFacts): Pick<FileState, "names"> {
  return links > 1 ? { names: { inode: identity, count: links } } : {};
}

/** Facts of the name; undefined when nothing is there, also when it cannot be there. */
export function factsAt(files: Pick<Files, "exactFacts">, path: string): ExactFacts | undefined {
  try {
    return files.exactFacts(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}

/** What stands there now, the content digested; `digest` may refuse by giving undefined. */
export function presentState(
  files: Pick<Files, "exactFacts" | "readLink">,
  path: string,
  digest: (path: string, facts: ExactFacts) => string | undefined,
  facts = factsAt(files, path),
): PathState {
  return toState(files, path, facts, found => {
    const id = digest(path, found);
    return id === undefined ? { in: "nowhere", why: "it was not read" } : { in: "digest", id };
  });
}

/** What became of a path that was seen; both states tell which file they were where either had several names. */
export function compareSeen(
  files: Pick<Files, "exactFacts" | "readLink">,
  path: string,
  seen: Seen | undefined,
  before: PathState,
  digest: (path: string, facts: ExactFacts) => string | undefined,
  facts = factsAt(files, path),
): PathChange | undefined {
  const after = presentState(files, path, digest, facts);
  const isShared = [before, after].some(state => state.kind === "file" && state.names !== undefined);
  if (!isShared || before.kind !== "file" || after.kind !== "file" || seen === undefined)
    return compareStates(path, before, after);
  const inode = facts?.identity ?? "";
  return compareStates(
    path,
    { names: { inode: identityIn(seen.stamp), count: 1 }, ...before },
    { names: { inode, count: 1 }, ...after },
  );
}

/** A file that is written twice within one tick of the file system's clock can keep its stamp. */
export const TICK_MS = 50;

/** Was it touched after that moment, or so shortly before that it may be touched again without another stamp? */
export function isChangedSince(stamp: string, timeMs: number): boolean {
  const [, , , modifiedNs, changedNs] = stamp.split(":");
  return Math.max(Number(modifiedNs ?? 0), Number(changedNs ?? 0)) / 1e6 > timeMs - TICK_MS;
}

/** Nothing was written there since it was looked at, which was no earlier than that moment. */
export function isUntouched(seen: Seen, facts: ExactFacts | undefined, sinceMs: number): boolean {
  return (facts?.stamp ?? "") === seen.stamp && !isChangedSince(seen.stamp, sinceMs);
}

/** Device and inode, with which a stamp begins. */
export function identityIn(stamp: string): string {
  return stamp.split(":").slice(0, 2).join(":");
}

/** False when both are known and are not one file. */
export function isSameFile(one: PathState, other: PathState): boolean {
  if (one.kind !== "file" || other.kind !== "file" || one.names === undefined || other.names === undefined)
    return true;
  return one.names.inode === other.names.inode;
}

/** The id of the content, where one is known that can be compared. */
export function contentId(state: PathState): string | undefined {
  if (state.kind !== "file") return undefined;
  return state.content.in === "store" || state.content.in === "digest" ? state.content.id : undefined;
}

/** The same but for times. */
export function isSameState(one: PathState, other: PathState): boolean {
  if (one.kind === "file")
    return other.kind === "file" && one.mode === other.mode && isSameContent(one, other);
  if (one.kind === "directory") return other.kind === "directory" && one.mode === other.mode;
  if (one.kind === "link") return other.kind === "link" && one.target === other.target;
  if (one.kind === "other") return other.kind === "other" && isSameMode(one.mode, other.mode);
  return one.kind === other.kind;
}

function isSameMode(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

export function isSameContent(one: PathState, other: PathState): boolean {
  if (one.kind !== "file" || other.kind !== "file") return false;
  const { content: a } = one;
  const { content: b } = other;
  if (a.in === "git" && b.in === "git") return a.id === b.id;
  // One that was not read is the same as long as nothing was written; one that was kept had to be read.
  const isUnread = a.in === "nowhere" || b.in === "nowhere";
  if (isUnread && a.in !== "store" && b.in !== "store")
    return one.size === other.size && one.modifiedNs === other.modifiedNs;
  const id = contentId(one);
  return id !== undefined && id === contentId(other);
}

/** The change from one state to the other; undefined when there is none. Times of directories follow their names. */
export function compareStates(path: string, before: PathState, after: PathState): PathChange | undefined {
  const what = kindOfChange(before, after);
  return what === undefined ? undefined : { path, what, before, after };
}

function kindOfChange(before: PathState, after: PathState): PathChange["what"] | undefined {
  if (before.kind === "absent") return after.kind === "absent" ? undefined : "created";
  if (after.kind === "absent") return "deleted";
  if (before.kind !== after.kind) return "changed";
  if (before.kind === "file" && after.kind === "file") {
    if (!isSameContent(before, after)) return "changed";
    if (!isSameFile(before, after)) return "changed";
    if (before.mode !== after.mode) return "mode";
    return before.modifiedNs === after.modifiedNs ? undefined : "time";
  }
  if (before.kind === "directory" && after.kind === "directory")
    return before.mode === after.mode ? undefined : "mode";
  if (before.kind === "link" && after.kind === "link")
    return before.target === after.target ? undefined : "changed";
  return isSameState(before, after) ? undefined : "mode";
}
