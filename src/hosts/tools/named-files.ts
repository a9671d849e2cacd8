import { isJsonObject, type Json, type JsonObject } from "../../protocol/index.ts";
import { dirname, isAbsolute, join } from "../../system/index.ts";
import {
  type FileAction,
  findAction,
  hasWord,
  isDirectoryName,
  isFileTool,
  isListed,
  isOfService,
  type Level,
  nameWords,
  type ToolShape,
} from "./tool-words.ts";

const MAX_PATH = 4096;
const PATH = `
  path paths filepath filepaths file files filename filenames pathname folder folders directory directories dir
  dirs notebook attachment attachments
`;
/** Names that hold a path where the value looks like one, or where the tool moves files. */
const MAYBE_PATH = `
  target targets source sources src destination dest dst from to uri uris url location output outfile resource
  name new old
`;
const FILTER = "exclude excluded ignore ignored include included pattern json x allowed name";
const TO = "destination dest dst to new target";
const FROM = "source sources src from old original";
const OUTPUT = "output out save outfile destination dest dst download";
const DIRECTORY = "folder directory dir";

/** The name of a member that holds paths, whatever its value looks like. */
export function isPathMember(name: string): boolean {
  const words = nameWords(name);
  if (words.length > 1 && isListed(FILTER, words[0] ?? "")) return false;
  return isListed(PATH, words.at(-1) ?? "") || hasWord(words, "path paths");
}

interface NamedPath {
  readonly member: string;
  readonly words: readonly string[];
  readonly path: string;
}

/** The files that the members of one object name, with what the tool does to them. */
export function fileShapes(level: Level, isCommand: boolean): readonly ToolShape[] {
  if (isCommand) return [];
  const named = relativeToFolder(namedPaths(level).filter(one => isHere(one, level)));
  if (named.length === 0) return [];
  const action = actionHere(level);
  if (action === "move" || action === "copy") return transfers(action, named);
  return named.map(({ member, words, path }): ToolShape => {
    const isOutput = action !== "look" && action !== "delete" && hasWord(words, OUTPUT);
    const known = isOutput ? "write" : (action ?? (hasWord(words, "input") ? "read" : undefined));
    return known === undefined
      ? { as: "file", member, action: "write", path, isGuess: true }
      : { as: "file", member, action: known, path };
  });
}

function namedPaths(level: Level): readonly NamedPath[] {
  const { members, place } = level;
  return Object.entries(members).flatMap(([name, value]) => {
    if (isDirectoryName(name, false)) return [];
    const words = nameWords(name);
    const member = [...place, name].join(".");
    return listStrings(name, value)
      .filter(text => isNamed(text, name, words, level))
      .flatMap(text => {
        const path = readPath(text);
        return path === undefined ? [] : [{ member, words, path }];
      });
  });
}

function listStrings(name: string, value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter(item => typeof item === "string");
  // `files: {"src/a.ts": "its content"}`
  if (!isJsonObject(value) || !/^files?$/i.test(name)) return [];
  const keys = Object.keys(value);
  return keys.some(isPathMember)
    ? []
    : keys.filter(key => /[./]/.test(key) && typeof value[key] === "string");
}

function isNamed(text: string, name: string, words: readonly string[], { tool, place }: Level): boolean {
  if (/^file:/i.test(text)) return isListed(MAYBE_PATH, words.at(-1) ?? "") || isPathMember(name);
  if (isPathMember(name)) return true;
  const last = words.at(-1) ?? "";
  const action = findAction(tool.tool);
  if (isListed("pattern patterns glob globs", last)) return action === "delete";
  if (!isListed(MAYBE_PATH, last) || last === "url") return false;
  const isOfFile = /^files?$/i.test(place.at(-2) ?? place.at(-1) ?? "") || words[0] === "new";
  if (last === "name")
    return isOfFile || (action === "delete" && hasWord(tool.tool, "file files directory folder folders"));
  if (action === "move" || action === "copy" || action === "delete") return true;
  return /^(~(\/|$)|\.{0,2}\/|[A-Za-z]:[\\/])/.test(text);
}

/** Undefined for what cannot be a path of this machine: addresses, whole texts. */
function readPath(text: string): string | undefined {
  const local = /^file:(?:\/\/(?:localhost)?)?(\/.*)$/is.exec(text)?.[1];
  const path = local === undefined ? text : decoded(local);
  if (path === "" || path.length > MAX_PATH || /[\n\r\0]/.test(path)) return undefined;
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path) ? undefined : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const ELSEWHERE =
  /^(owner|repo|repository|project_?id|bucket|bucket_?name|drive_?id|site_?id|organi[sz]ation(_?slug)?|workspace_?slug|page_?id|channel(_?id)?|issue_?number|pull_?number|method|endpoint|base_?url|host|hostname|container(_?id|_?name)?|pod(_?name)?)$/i;

/** The path is one of this machine, and not of a service, a remote repository or a container. */
function isHere({ path, words }: NamedPath, level: Level): boolean {
  const { tool, members, around } = level;
  const isElsewhere =
    isOfService(tool) || (!isFileTool(tool) && [members, ...around].some(object => namesElsewhere(object)));
  if (!isElsewhere) return true;
  if (/^(~|\/home\/|\/Users\/|\/root\/|[A-Za-z]:[\\/]Users)/.test(path)) return true;
  if (hasWord(words, "local output save download")) return true;
  return (
    hasWord(tool.tool, "upload attach") && !hasWord(words, "remote key to target destination dest folder")
  );
}

function namesElsewhere(members: JsonObject): boolean {
  return Object.entries(members).some(
    ([name, value]) => ELSEWHERE.test(name) && typeof value !== "object" && !/^[~/.]/.test(String(value)),
  );
}

/** `{directory: "/etc", filename: "hosts"}` names one file. */
function relativeToFolder(named: readonly NamedPath[]): readonly NamedPath[] {
  const folder = named.find(({ words }) => isListed(DIRECTORY, words.at(-1) ?? ""));
  const others = named.filter(one => one !== folder);
  if (folder === undefined || others.length === 0) return named;
  return others.map(one => (/^[/~]/.test(one.path) ? one : { ...one, path: join(folder.path, one.path) }));
}

/** What the tool does: by its name, and by a member that says it where the name leaves it open. */
function actionHere({ tool, members }: Level): FileAction | undefined {
  const own = findAction(tool.tool);
  if (own !== undefined && own !== "write") return own;
  for (const name of ["command", "action", "operation", "op", "mode"]) {
    const value = members[name];
    if (typeof value !== "string" || !/^[A-Za-z_-]{2,30}$/.test(value)) continue;
    const said = findAction(nameWords(value));
    if (said !== undefined) return said;
  }
  return own;
}

function transfers(action: "move" | "copy", named: readonly NamedPath[]): readonly ToolShape[] {
  const isTo = ({ words }: NamedPath) => hasWord(words, TO);
  const target = named.find(one => isTo(one) && !hasWord(one.words, FROM));
  return named
    .filter(one => one !== target)
    .map(({ member, path }) => {
      if (target === undefined) return { as: "file", member, action, path };
      // A new name alone stays in the directory.
      const isName = target.words.includes("name") && !target.path.includes("/");
      const to = isName && !isAbsolute(target.path) ? join(dirname(path), target.path) : target.path;
      return { as: "file", member, action, path, to };
    });
}
