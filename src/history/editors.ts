import { readText } from "../state/index.ts";
import { basename, dirname, type Files, type System, SystemError } from "../system/index.ts";
import { isChangedSince } from "./path-state.ts";

/** What editors lay beside a file that a person has open: Vim and its kin, Kate, Emacs, LibreOffice. */
function editorTraces(path: string): readonly string[] {
  const name = basename(path);
  const hidden = name.startsWith(".") ? name : `.${name}`;
  const names = [
    `${hidden}.swp`,
    `${hidden}.swo`,
    `${hidden}.kate-swp`,
    `.#${name}`,
    `#${name}#`,
    `.~lock.${name}#`,
  ];
  return names.map(one => `${dirname(path)}/${one}`);
}

const TRACE = /^(\..+\.(sw[a-p]|kate-swp)|\.#.+|#.+#|\.~lock\..+#)$/;

/** An editor made it for itself. */
export function isTrace(path: string): boolean {
  return TRACE.test(basename(path));
}

/** A look at those beyond would take longer than they are worth. */
const MAX_LOOKED_AT = 1_000;

/** Those of the files that are open in an editor now. */
export function openInEditors(files: Pick<Files, "stampsOf">, paths: readonly string[]): readonly string[] {
  const traces = paths
    .slice(0, MAX_LOOKED_AT)
    .flatMap(path => editorTraces(path).map(trace => ({ path, trace })));
  return [...new Set(present(files, traces, ({ trace }) => trace).map(({ path }) => path))];
}

/** Where VS Code and the editors made of it keep a copy of each file that they save. */
const COPIES = "User/History";
/** Lists the copies of a file; it is written later than they are. */
const LISTING = "entries.json";
const MAX_LISTING = 256 * 1024;
/** A file on a machine where the editor's own window is not. */
const REMOTE = /"resource":\s*"(vscode-remote:\/\/[^/"]+)\//;

/** Those of the files of which such an editor made a copy since, for it saved them. */
export function savedByEditors(
  system: Pick<System, "env" | "files" | "text">,
  home: string,
  sinceMs: number,
  paths: readonly string[],
): readonly string[] {
  const { files } = system;
  const looked = paths.slice(0, MAX_LOOKED_AT);
  const folders = looked.length === 0 ? [] : copyFolders(system, home, looked);
  const isSaved = new Set<string>();
  for (const { path, folder } of present(files, folders, ({ folder: at }) => at))
    if (
      listed(() => files.listFacts(folder)).some(
        ({ name, stamp }) => name !== LISTING && isChangedSince(stamp, sinceMs),
      )
    )
      isSaved.add(path);
  return [...isSaved];
}

function copyFolders(
  system: Pick<System, "env" | "files" | "text">,
  home: string,
  paths: readonly string[],
): readonly { readonly path: string; readonly folder: string }[] {
  const { files, env } = system;
  const below = (top: string, rest: string) =>
    listed(() => files.list(top)).map(name => `${top}/${name}/${rest}`);
  const own = [env.get("XDG_CONFIG_HOME") ?? `${home}/.config`, `${home}/Library/Application Support`];
  const tops = present(
    files,
    [...own.flatMap(top => below(top, COPIES)), ...below(home, `data/${COPIES}`)],
    at => at,
  );
  return tops.flatMap(top => {
    const remote = remoteAddress(system, top);
    const starts = remote === undefined ? ["file://"] : ["file://", remote];
    return paths.flatMap(path =>
      starts.map(start => ({ path, folder: `${top}/${folderName(start + addressOf(path))}` })),
    );
  });
}

function remoteAddress({ files, text }: Pick<System, "files" | "text">, top: string): string | undefined {
  const [first] = listed(() => files.list(top));
  const listing = first === undefined ? undefined : `${top}/${first}/${LISTING}`;
  const words =
    listing === undefined ? undefined : listed(() => [readText({ files, text }, listing, MAX_LISTING)])[0];
  return REMOTE.exec(words ?? "")?.[1];
}

/** As such an editor writes a path in an address. */
function addressOf(path: string): string {
  return path.replace(/[^\w\-.~/]/gu, character => {
    const code = encodeURIComponent(/^[\ud800-\udfff]$/.test(character) ? "\ufffd" : character);
    return code === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : code;
  });
}

const HASH_OF_TEXT = 149_417;
const HASH_FACTOR = 31;

/** The hash by which such an editor names the folder of a file's copies. */
function folderName(address: string): string {
  let hash = HASH_OF_TEXT;
  for (let at = 0; at < address.length; at++)
    hash = (Math.imul(hash, HASH_FACTOR) + address.charCodeAt(at)) | 0;
  return hash.toString(16);
}

function present<T>(
  files: Pick<Files, "stampsOf">,
  all: readonly T[],
  pathOf: (one: T) => string,
): readonly T[] {
  if (all.length === 0) return [];
  const stamps = files.stampsOf(all.map(pathOf).join("\0")).split("\n");
  // The name of an error (a name that is too long with what an editor adds) is no trace.
  return all.filter((_, at) => stamps[at]?.includes(":"));
}

/** What cannot be read tells nothing. */
function listed<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof SystemError) return [];
    throw error;
  }
}
