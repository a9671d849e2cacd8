import { components } from "../system/index.ts";
import type { Disk } from "./disk.ts";
import type { Repository } from "./repository.ts";

const MAX_INDEX_BYTES = 16 * 1024 * 1024;
const MAX_NAME = 4096;
const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner, size and the id of the content; the flags follow. */
const ENTRY_BYTES = 60;
const MODE_AT = 24;
const DIRECTORY_MODE = 0o040000;

/**
 * Does git track the file, or anything below the directory? Read from the index; undefined when that cannot be read,
 * is too large, or is only a part of the whole.
 */
export function tracksAnything(disk: Disk, { gitDirectory }: Repository, path: string): boolean | undefined {
  const index = disk.bytes(`${gitDirectory}/index`, MAX_INDEX_BYTES);
  if (index === undefined || index.length < HEADER_BYTES) return undefined;
  if (disk.names(gitDirectory)?.some(name => name.startsWith("sharedindex.")) !== false) return undefined;
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) return undefined;
  const wanted = disk.encode(components(path).join("/"));
  try {
    return findEntry({ view, version, count: view.getUint32(8), wanted });
  } catch {
    // An entry reaches behind the end: another length of ids, or damage.
    return undefined;
  }
}

/** `DIRC` */
const SIGNATURE = 0x44495243;

interface Search {
  readonly view: DataView;
  readonly version: number;
  readonly count: number;
  readonly wanted: Uint8Array;
}

function findEntry({ view, version, count, wanted }: Search): boolean {
  const name = new Uint8Array(MAX_NAME);
  let length = 0;
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry += 1) {
    const mode = view.getUint32(at + MODE_AT);
    const flags = view.getUint16(at + ENTRY_BYTES);
    let next = at + ENTRY_BYTES + 2 + ((flags & 0x4000) === 0 ? 0 : 2);
    if (version === 4) {
      let byte = view.getUint8(next++);
      let dropped = byte & 127;
      while ((byte & 128) !== 0) {
        byte = view.getUint8(next++);
        dropped = ((dropped + 1) << 7) + (byte & 127);
      }
      length -= dropped;
    } else length = 0;
    for (let byte = view.getUint8(next++); byte !== 0; byte = view.getUint8(next++)) name[length++] = byte;
    if (covers(name, length, wanted, mode)) return true;
    at = version === 4 ? next : at + ((next - 1 - at + 8) & ~7);
  }
  return false;
}

const SLASH = 47;

/** The entry is the path, lies below it, or is a directory around it that is not checked out. */
function covers(name: Uint8Array, length: number, wanted: Uint8Array, mode: number): boolean {
  const shared = Math.min(length, wanted.length);
  for (let at = 0; at < shared; at += 1) if (name[at] !== wanted[at]) return false;
  if (length >= wanted.length) return length === wanted.length || name[wanted.length] === SLASH;
  return mode === DIRECTORY_MODE && name[length - 1] === SLASH;
}
