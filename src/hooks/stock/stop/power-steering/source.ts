import { type Json, listAt, memberAt, stringAt } from "../../../../protocol/index.ts";
import {
  AtomicJsonFile,
  findHome,
  resolvePath,
  sanitiseSessionId,
  VARIABLES,
} from "../../../../state/index.ts";
import { basename, dirname, extension, isInside, join } from "../../../../system/index.ts";
import { wordPattern } from "../../../../text/index.ts";
import {
  countLines,
  type Entry,
  entryText,
  isUserMessage,
  LINE_OPTIONS,
  type Naming,
  type ReadCount,
  readExport,
  readTranscript,
} from "../../../../transcripts/index.ts";
import { attempt, type HookContext } from "../../../program/hook-context.ts";

/** The id under which power steering keeps a session: its file's name, or its folder's for Copilot's `events`. */
export function transcriptId(path: string): string {
  const name = basename(path);
  const stem = name.slice(0, name.length - extension(path).length);
  return sanitiseSessionId(stem === "events" ? basename(dirname(path)) : stem);
}

/** Session files lie in the project, the home directory or a temporary one; others are not read. */
export function isReadablePlace(context: Pick<HookContext, "system" | "projectRoot">, path: string): boolean {
  const { files, env } = context.system;
  const places = [context.projectRoot, findHome(context.system), env.get("TMPDIR"), "/tmp", "/var/tmp"];
  const resolved = resolvePath(files, path);
  return places.some(
    place => place?.startsWith("/") === true && isInside(resolvePath(files, place), resolved),
  );
}

interface SessionSource {
  /** a compaction took place, so that the host's file may lack the beginning */
  readonly isCompacted: boolean;
  entries(count: ReadCount): Generator<Entry>;
}

/**
 * Everything that was said: the host's file, preceded by what was exported before a compaction where the host's
 * file no longer has it.
 */
export function openSession(
  context: HookContext,
  transcriptPath: string,
  ids: readonly string[],
  name: Naming,
): SessionSource {
  const { system } = context;
  const exported = findExport(context, ids);
  const skip = linesToSkip(context, transcriptPath);
  const live = (count: ReadCount) =>
    readTranscript(
      system,
      transcriptPath,
      name,
      count,
      skip === undefined ? LINE_OPTIONS : { ...LINE_OPTIONS, skip },
    );
  const beginsLikeExport = () => {
    if (exported.path === undefined) return true;
    const [first, other] = [
      firstUserText(live(newCount())),
      firstUserText(readExport(system, exported.path, name)),
    ];
    return other === undefined || first === other;
  };
  return {
    isCompacted: exported.isCompacted,
    *entries(count) {
      if (exported.path !== undefined && !beginsLikeExport()) {
        yield* readExport(system, exported.path, name);
      }
      yield* live(count);
    },
  };
}

/** How much of the permitted number of lines is taken from the beginning, where the user says what is wanted. */
const OPENING_SHARE = 0.1;

/** Of a file with too many lines the middle is left out: how a session began and how it ends both count. */
function linesToSkip(context: HookContext, path: string): readonly [number, number] | undefined {
  const { system } = context;
  const limit = VARIABLES.PSC_MAX_TRANSCRIPT_LINES.get(system);
  const fewestBytes = limit * 2;
  if ((system.files.follow(path)?.size ?? 0) < fewestBytes) return undefined;
  const total = countLines(system, path);
  if (total <= limit) return undefined;
  const opening = Math.floor(limit * OPENING_SHARE);
  context.log("WARNING", `${total - limit} of ${total} lines in the middle of the transcript were not read`);
  return [opening, total - (limit - opening)];
}

function newCount(): ReadCount {
  return { lines: 0, unreadable: 0 };
}

function firstUserText(entries: Iterable<Entry>): string | undefined {
  for (const entry of entries) if (isUserMessage(entry)) return entryText(entry).trim();
  return undefined;
}

/** The newest export of one of the ids; the record with one message per line goes before Markdown. */
function findExport(
  context: HookContext,
  ids: readonly string[],
): { readonly isCompacted: boolean; readonly path: string | undefined } {
  const { files } = context.system;
  for (const id of ids) {
    const directory = context.path("logs", id);
    const eventsPath = join(directory, "compaction_events.json");
    if (files.follow(eventsPath)?.kind !== "file") continue;
    const recorded = lastExportPath(context, eventsPath);
    const candidates = [
      ...(recorded === undefined ? [] : [join(dirname(recorded), "conversation_transcript.jsonl"), recorded]),
      join(directory, "conversation_transcript.jsonl"),
      ...newestCopies(context, join(directory, "transcripts")),
      join(directory, "CONVERSATION_TRANSCRIPT.md"),
    ];
    const isUsable = (path: string) => isReadablePlace(context, path) && files.follow(path)?.kind === "file";
    return { isCompacted: true, path: candidates.find(isUsable) };
  }
  return { isCompacted: false, path: undefined };
}

function lastExportPath(context: HookContext, eventsPath: string): string | undefined {
  let events: Json = [];
  attempt(context, "compaction events cannot be read", () => {
    events = new AtomicJsonFile<Json>(eventsPath, { system: context.system }).readOrDefault([]);
  });
  const path = stringAt(Array.isArray(events) ? events.at(-1) : undefined, "transcript_path");
  return path?.startsWith("/") === true ? path : undefined;
}

function newestCopies(context: HookContext, directory: string): readonly string[] {
  const { files } = context.system;
  if (files.follow(directory)?.kind !== "directory") return [];
  const names = files.list(directory).filter(name => /^conversation_.*\.md$/.test(name));
  return [...names]
    .sort()
    .reverse()
    .map(name => join(directory, name));
}

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
export function listWrites(name: string, input: Json): readonly Write[] {
  if (name !== "Write" && name !== "Edit" && name !== "NotebookEdit") return [];
  const patch = patchText(input);
  if (patch !== undefined) return filesOfPatch(patch);
  const path = stringAt(input, "file_path", "filePath", "path", "notebook_path");
  if (path === undefined || path === "") return [];
  const texts = [input, ...listAt(input, "edits")].map(readNewText);
  return [describeWrite(path, texts.join("\n"), name === "Write")];
}

function readNewText(value: Json): string {
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
  /^([ \t]*)(?:async[ \t]+)?def[ \t]+\w+\([^)]{0,2000}\)[^:\n]{0,500}:[ \t]*\n?[ \t]*(?:pass|\.\.\.)[ \t]*(?:#[^\n]*)?(?=\n\1\S|\n{2,}|\n?$(?![\s\S]))/m;
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
export function readTodos(input: Json): readonly Todo[] {
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
