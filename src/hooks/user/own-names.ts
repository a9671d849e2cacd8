import { isJsonObject, listAt, memberAt, readJson, stringAt, stringsAt } from "../../protocol/index.ts";
import { findHome, readText } from "../../state/index.ts";
import { join, type System, sha256Hex } from "../../system/index.ts";

/** A file of a project in the place of one of ours. */
export interface Impostor {
  readonly path: string;
  readonly sha256: string;
  /** it was trusted when something else stood in it */
  readonly isChanged: boolean;
}

const MAX_BYTES = 512 * 1024;

/** Of the names below a project, those that hold something else than the user has of us, and that nobody trusted. */
export function findImpostors(
  system: System,
  projectRoot: string,
  stateHome: string,
  names: readonly string[],
): readonly Impostor[] {
  const home = findHome(system);
  if (home === projectRoot) return [];
  return [...new Set(names)].flatMap((name): readonly Impostor[] => {
    const path = join(projectRoot, name);
    if (system.files.follow(path)?.kind !== "file") return [];
    const text = tryReadText(system, path);
    if (text !== undefined && home !== undefined && tryReadText(system, join(home, name)) === text) return [];
    const sha256 = sha256Hex(system.text.encode(text ?? ""));
    const known = readTrusted(system, stateHome, path)?.sha256;
    return text !== undefined && known === sha256 ? [] : [{ path, sha256, isChanged: known !== undefined }];
  });
}

function tryReadText(system: System, path: string): string | undefined {
  try {
    return readText(system, path, MAX_BYTES);
  } catch {
    // Too large or closed: nobody knows what is in it.
    return undefined;
  }
}

/** What of projects the person trusted, by path and content. */
export function trustFile(stateHome: string): string {
  return join(stateHome, "hooks", ".trusted.json");
}

/** What was agreed to under a path: a content, or that of several files together. */
export function readTrusted(
  system: System,
  stateHome: string,
  path: string,
): { readonly sha256: string; readonly paths?: readonly string[] } | undefined {
  const read = readJson(`{"list":${tryReadText(system, trustFile(stateHome)) ?? "[]"}}`);
  const list = read.ok && isJsonObject(read.value) ? listAt(read.value, "list") : [];
  const entry = list.find(one => stringAt(one, "path") === path);
  const sha256 = stringAt(entry, "sha256");
  if (sha256 === undefined) return undefined;
  return memberAt(entry, "paths") === undefined ? { sha256 } : { sha256, paths: stringsAt(entry, "paths") };
}
