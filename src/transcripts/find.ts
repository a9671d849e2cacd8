import { HOST_LIST, type HostId } from "../hosts/index.ts";
import { listReadable } from "../state/index.ts";
import { join, type System } from "../system/index.ts";

/** The record that a host keeps of one session. */
export interface PastSession {
  readonly host: HostId;
  /** what people call the host */
  readonly title: string;
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

const MAX_DEPTH = 6;

/** All records of sessions below a home, of every host that keeps them as lines of JSON; the newest first. */
export function findPastSessions(system: Pick<System, "files">, home: string): readonly PastSession[] {
  return HOST_LIST.flatMap(({ id, evidence, setup }) => {
    const folder = evidence?.transcriptFolder;
    if (folder === undefined) return [];
    const title = setup?.().title ?? id;
    return recordsBelow(system, join(home, folder), MAX_DEPTH).map(found => ({ host: id, title, ...found }));
  }).sort((one, other) => other.modifiedMs - one.modifiedMs || (one.path < other.path ? -1 : 1));
}

/** The newest record of one session, whose path has its id; for hosts that do not tell their hooks where it is. */
export function findSessionRecord(
  system: Pick<System, "files">,
  home: string,
  { host, id }: { readonly host: string; readonly id: string },
): string | undefined {
  const folder = HOST_LIST.find(each => each.id === host)?.evidence?.transcriptFolder;
  if (folder === undefined || id.length < MIN_ID_LENGTH) return undefined;
  const root = join(home, folder);
  const found = recordsBelow(system, root, MAX_DEPTH).filter(({ path }) =>
    path.slice(root.length).includes(id),
  );
  return found.sort((one, other) => other.modifiedMs - one.modifiedMs)[0]?.path;
}

/** A shorter one could be part of any path. */
const MIN_ID_LENGTH = 8;

function recordsBelow(
  { files }: Pick<System, "files">,
  folder: string,
  depth: number,
): readonly Pick<PastSession, "path" | "size" | "modifiedMs">[] {
  return listReadable(files, folder).flatMap(name => {
    const path = join(folder, name);
    const facts = files.inspect(path);
    if (facts?.kind === "directory") return depth === 0 ? [] : recordsBelow({ files }, path, depth - 1);
    if (facts?.kind !== "file" || !name.endsWith(".jsonl")) return [];
    return [{ path, size: facts.size, modifiedMs: facts.modifiedMs }];
  });
}
