import { type Json, listAt, memberAt, stringAt } from "../../../../protocol/index.ts";
import { wordPattern } from "../../../../text/index.ts";

/** One file that a tool wrote, with what the checks want to know of the new text. */
export interface Write {
  readonly path: string;
  readonly isNew: boolean;
  readonly isCode: boolean;
  readonly isDocument: boolean;
  readonly isConfiguration: boolean;
  /** a marker of unfinished work in a file where that counts */
  readonly leftover: string | undefined;
  readonly hasShortcut: boolean;
}

const CODE = /\.(?:py|js|ts|tsx|jsx|java|go|rs|c|cpp|h)$/i;
const DOCUMENT = /\.(?:md|txt|rst)$|(?:^|\/)(?:readme|changelog)[^/]*$/i;
const CONFIGURATION = /\.(?:ya?ml|json)$/i;
const NOT_JUDGED = /\.(?:md|txt|rst|ya?ml|json|toml|cfg|ini)$/i;
const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|spec)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec)\.[^/.]+$|(?:^|\/)conftest\.py$/i;

/** The files a Write or Edit touched; a patch may touch several. */
export function writesOf(name: string, input: Json): readonly Write[] {
  if (name !== "Write" && name !== "Edit" && name !== "NotebookEdit") return [];
  const patch = patchText(input);
  if (patch !== undefined) return filesOfPatch(patch);
  const path = stringAt(input, "file_path", "filePath", "path", "notebook_path");
  if (path === undefined || path === "") return [];
  const texts = [input, ...listAt(input, "edits")].map(newTextOf);
  return [describeWrite(path, texts.join("\n"), name === "Write")];
}

function newTextOf(value: Json): string {
  return stringAt(value, "content", "new_string", "file_text", "new_str", "new_source", "newText") ?? "";
}

function patchText(input: Json): string | undefined {
  const text = typeof input === "string" ? input : stringAt(input, "command", "patch", "input");
  return text?.includes("*** ") ? text : undefined;
}

function filesOfPatch(patch: string): readonly Write[] {
  const sections = patch.split(/^\*\*\* (?=(?:Add|Update) File: )/m).slice(1);
  return sections.map(section => {
    const [, verb = "", path = ""] = /^(Add|Update) File: (.*)$/m.exec(section) ?? [];
    const added = section.split("\n").flatMap(line => (line.startsWith("+") ? [line.slice(1)] : []));
    return describeWrite(path.trim(), added.join("\n"), verb === "Add");
  });
}

function describeWrite(path: string, text: string, isNew: boolean): Write {
  const isJudged = !NOT_JUDGED.test(path) && !TEST_FILE.test(path);
  return {
    path,
    isNew,
    isCode: CODE.test(path),
    isDocument: DOCUMENT.test(path),
    isConfiguration: CONFIGURATION.test(path),
    leftover: isJudged ? findLeftover(text) : undefined,
    hasShortcut: isJudged && admitsShortcut(text),
  };
}

const MARKER = /\b(?:TODO|FIXME|XXX)\b|\bNotImplementedError\b/;
const STUB =
  /^([ \t]*)(?:async[ \t]+)?def[ \t]+\w+\([^)]*\)[^:\n]*:[ \t]*\n?[ \t]*(?:pass|\.\.\.)[ \t]*(?:#[^\n]*)?(?=\n\1\S|\n{2,}|\n?$(?![\s\S]))/m;
const ABSTRACT = /@(?:abc\.)?abstractmethod|\bABC\b|\bProtocol\b|@overload/;

function findLeftover(text: string): string | undefined {
  const marker = MARKER.exec(text)?.[0];
  if (marker !== undefined) return marker;
  return STUB.test(text) && !ABSTRACT.test(text) ? "a function without a body" : undefined;
}

const COMMENT = /#|\/\/|\/\*/;
const SHORTCUT = wordPattern("hack | workaround | temporary");
const FIX = wordPattern("fix");
const LATER = wordPattern("later");

/** Judged from the first comment mark of each line on. */
function admitsShortcut(text: string): boolean {
  return text.split("\n").some(line => {
    const comment = line.slice(COMMENT.exec(line)?.index ?? line.length);
    if (SHORTCUT.test(comment)) return true;
    const [fix] = FIX.positions(comment);
    return fix !== undefined && LATER.test(comment.slice(fix));
  });
}

export interface Todo {
  readonly text: string;
  readonly status: string;
}

/** The list in the hosts' forms: objects with a status, or Markdown check boxes. */
export function todosOf(input: Json): readonly Todo[] {
  const list = memberAt(input, "todos") ?? memberAt(input, "plan");
  if (typeof list === "string") {
    return [...list.matchAll(/^[ \t]*[-*][ \t]*\[([ xX])\][ \t]*(.+)$/gm)].map(match => ({
      text: match[2] ?? "",
      status: match[1] === " " ? "pending" : "completed",
    }));
  }
  if (!Array.isArray(list)) return [];
  return list.map(item => ({
    text: stringAt(item, "content", "step", "description", "title", "activeForm") ?? "",
    status: stringAt(item, "status") ?? "unknown",
  }));
}
