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
