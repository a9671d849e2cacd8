import {
  type FileAction,
  findAction,
  isListed,
  patchedPaths,
  type ShapedCall,
  type ToolShape,
  toolWords,
} from "../hosts/index.ts";
import { codeArgvs, dialectArgv, elsewhereArgv, sqlArgv } from "../programs/index.ts";
import { isJsonObject, isPatchTool, type Json, memberAt, type ToolUse } from "../protocol/index.ts";
import {
  describe,
  knownText,
  type Piece,
  type ShellFacts,
  text,
  type Unexamined,
  type Value,
  wordSet,
} from "../shell/index.ts";
import { expandHome, join, quoteWord, resolve } from "../system/index.ts";
import { loginIn, shownSecretIn } from "../text/index.ts";
import { classifyPath, secretByName, type Workspace } from "../workspace/index.ts";
import { MAX_EFFECTS } from "./collect.ts";
import { collectFindings } from "./collect-findings.ts";
import { collectFootprint } from "./collect-footprint.ts";
import { collectGaps } from "./collect-gaps.ts";
import { conclude } from "./conclude.ts";
import { findWritten, isPipeline, type WrittenText } from "./examine-written.ts";
import { mergeFootprints, NO_FOOTPRINT } from "./footprint.ts";
import type { Gap } from "./gap.ts";
import { createShellContext, type ExaminedCall, examineText, examineWords, isExamined } from "./judge.ts";
import { ALLOWED, type Judgement } from "./judgement.ts";
import { isOfFamily } from "./rule.ts";
import type { Actor, CommandEffect } from "./rule-context.ts";
import { isProtectedBranch } from "./rules/git-branches.ts";
import { operationsOfTool, sentByTool } from "./tool-verbs.ts";

/** Judges a tool call by what its arguments are: commands, SQL and code by what they do, files by their places. */
export function judgeShapes(
  tool: Pick<ToolUse, "canonicalName" | "input">,
  shaped: ShapedCall,
  knownPaths: readonly string[],
  workspace: Workspace,
): Judgement {
  const { canonicalName } = tool;
  const examined = shaped.shapes.flatMap(shape => examineShape(shape, workspace));
  const files = examineFiles(tool, shaped, knownPaths, workspace);
  const all = files === undefined ? examined : [...examined, files];
  const [only] = all;
  if (only === undefined) {
    const gaps = () => [...gapsOfTool(tool, shaped.shapes), ...collectGaps([], workspace)];
    return { ...ALLOWED, gaps, hasGaps: () => gaps().length > 0 };
  }
  // A code permits the whole call as it was shown, also members that no rule looked at.
  const subject = () => ({
    source: JSON.stringify(tool.input) ?? "",
    tree: [canonicalName, ...all.map(({ learned }) => learned.subject().tree)],
    cwd: workspace.cwd,
  });
  if (all.length === 1) return conclude(only.findings, { ...only.learned, subject });
  return conclude(
    all.flatMap(({ findings }) => findings),
    {
      workspace,
      notes: all.flatMap(({ learned }) => learned.notes),
      subject,
      explain: () => all.flatMap(({ learned }) => learned.explain()),
      footprint: () => mergeFootprints(all.map(({ learned }) => learned.footprint())),
      *gaps() {
        for (const { learned } of all) yield* learned.gaps();
      },
      ranFiles: () => all.flatMap(({ learned }) => learned.ranFiles?.() ?? []),
      goesOn: () => all.some(({ learned }) => learned.goesOn?.() === true),
    },
  );
}

const PLAIN_MEMBERS =
  "file_path filePath path content offset limit old_string new_string oldString newString replace_all replaceAll";

/** A call of a host's own file tool with nothing unusual in it, which needs no reading by shape. */
export function plainFileCall(
  { canonicalName, input }: Pick<ToolUse, "canonicalName" | "input">,
  paths: readonly string[],
): ShapedCall | undefined {
  if (!isListed("Read Write Edit", canonicalName) || paths.length === 0 || !isJsonObject(input))
    return undefined;
  if (!Object.keys(input).every(name => isListed(PLAIN_MEMBERS, name))) return undefined;
  const action = canonicalName === "Read" ? "read" : "write";
  const shapes = paths.map(path => ({ as: "file", member: "", action, path }) as const);
  return { shapes, directory: undefined, isComplete: true };
}

function examineShape(shape: ToolShape, workspace: Workspace): readonly ExaminedCall[] {
  switch (shape.as) {
    case "shell": {
      const { command, dialect, elsewhere } = shape;
      if (elsewhere !== undefined)
        return [examineWords(command, elsewhereArgv(elsewhere, command), workspace)];
      const argv = dialectArgv(dialect, command);
      const examined =
        argv === undefined ? examineText(command, workspace) : examineWords(command, argv, workspace);
      return [shape.isInput === true ? withoutDoubt(examined) : examined];
    }
    case "program": {
      // What starts it may be a shell, or expand the names of homes as shells do.
      const argv = shape.argv.map(word => expandHome(word, workspace.home));
      const { elsewhere } = shape;
      const given = elsewhere === undefined ? argv : elsewhereArgv(elsewhere, argv.map(quoteWord).join(" "));
      return [examineWords(shape.argv.join(" "), given, workspace)];
    }
    case "sql":
      return [examineStatements(shape.text, workspace)];
    case "code": {
      const readings = codeArgvs(shape.language, shape.text).map(argv =>
        examineWords(shape.text, argv, workspace),
      );
      if (readings.length === 1) return readings;
      // Text of one language cannot be read as another; it is not examined when no reading is complete.
      const isRead = readings.some(isExamined);
      return isRead ? readings.map(withoutDoubt) : readings;
    }
    case "file":
      return [];
  }
}

/** A database is no file of the project; commands of a client may change some. */
function examineStatements(statements: string, workspace: Workspace): ExaminedCall {
  const examined = examineWords(statements, sqlArgv(statements), workspace);
  if (statements.includes("\\")) return examined;
  return { ...examined, learned: { ...examined.learned, footprint: () => NO_FOOTPRINT } };
}

/** Without what is said of text only because it could not be read. */
function withoutDoubt(examined: ExaminedCall): ExaminedCall {
  const findings = examined.findings.filter(({ rule }) => !isOfFamily(rule, "guard", "text"));
  return { ...examined, findings };
}

function examineFiles(
  tool: Pick<ToolUse, "canonicalName" | "input">,
  { shapes, isComplete }: ShapedCall,
  knownPaths: readonly string[],
  workspace: Workspace,
): ExaminedCall | undefined {
  const files = shapes.filter(shape => shape.as === "file");
  const effects = effectsOfTool(tool, files, knownPaths, workspace);
  if (effects.length === 0 && isComplete) return undefined;
  const facts = isComplete ? EMPTY_FACTS : { ...EMPTY_FACTS, unexamined: [UNREAD] };
  const paths = effects.map(effect => ("path" in effect ? effect.path.pieces : []));
  const shell = () => createShellContext(workspace.given, workspace);
  return {
    findings: [
      ...collectFindings(workspace, facts, "", effects, undefined, () => JSON.stringify(tool.input) ?? ""),
      ...findWritten(textsWritten(tool.input, effects), workspace, shell),
    ],
    learned: {
      workspace,
      notes: [],
      subject: () => ({ source: "", tree: [tool.canonicalName, paths], cwd: workspace.cwd }),
      explain: () => [],
      footprint: () => collectFootprint([{ facts, effects }], workspace),
      *gaps() {
        yield* gapsOfTool(tool, shapes);
        yield* collectGaps([{ facts, effects }], workspace);
      },
    },
  };
}

/** What a tool puts into the files that it writes, as far as a member says it. */
function textsWritten(input: Json, effects: readonly CommandEffect[]): readonly WrittenText[] {
  const [paths, texts] = [
    effects.flatMap(effect => (effect.kind === "write" ? (knownText(effect.path) ?? []) : [])),
    stringsIn(input, ["content", "file_text", "new_string", "newString", "new_str", "new_source", "text"]),
  ];
  return paths.slice(0, MAX_WRITTEN).flatMap(path =>
    texts.map(one => {
      // A cell of a notebook comes alone.
      const isCell = path.endsWith(".ipynb") && !one.trimStart().startsWith("{");
      const cells = [{ cell_type: memberAt(input, "cell_type") ?? "code", source: one }];
      return { path, text: isCell ? JSON.stringify({ cells }) : one, invocation: undefined };
    }),
  );
}

const MAX_WRITTEN = 8;

/** A file that a tool of a forge puts onto a protected branch is a commit there, which nobody looks at before. */
function commitsOfTool(
  tool: string,
  input: Json,
  by: Actor,
  { settings }: Workspace,
): readonly Extract<CommandEffect, { readonly kind: "operation" }>[] {
  const { tool: words, server } = toolWords(tool);
  const branch = memberAt(input, "branch") ?? memberAt(input, "branch_name") ?? memberAt(input, "ref");
  if (server.length === 0 || typeof branch !== "string" || !words.some(word => COMMITS.has(word))) return [];
  if (!words.some(word => FILES.has(word))) return [];
  const common = { kind: "operation", by, names: [], safer: "" } as const;
  const pipeline = pathsCommitted(input).find(isPipeline);
  if (isProtectedBranch(settings.protectedBranches, branch)) {
    const what = "change a protected branch directly";
    return [{ ...common, rule: "deploy.merge", what, target: `${tool} ${branch}` }];
  }
  if (pipeline === undefined) return [];
  const what = "change what the forge runs by itself";
  return [{ ...common, rule: "sys.cron", what, target: `${tool} ${pipeline}` }];
}

/** `path`, `files[].path`, `actions[].file_path` */
function pathsCommitted(input: Json): readonly string[] {
  const entries = ["files", "actions", "changes"].flatMap(name => memberAt(input, name) ?? []);
  return [input, ...entries].flatMap(one =>
    typeof one === "string" ? [one] : stringsIn(one, ["path", "file_path", "filePath", "filename"]),
  );
}

const COMMITS = wordSet("push commit create update delete edit write put add upload");
const FILES = wordSet("file files commit commits content contents tree");

/** Tools of the hosts themselves that do what their canonical name says and nothing else. */
const COMPLETE_TOOLS = "Read Write Edit MultiEdit NotebookEdit NotebookRead Glob Grep LS apply_patch";
/** They keep lists of their own and touch no file of the person. */
const IDLE_TOOLS =
  "TodoWrite TodoRead TaskList TaskGet update_plan ExitPlanMode EnterPlanMode AskUserQuestion";

/** What is not known of the tool itself. */
function gapsOfTool(
  { canonicalName }: Pick<ToolUse, "canonicalName">,
  shapes: readonly ToolShape[],
): readonly Gap[] {
  const isKnown = isListed(`${COMPLETE_TOOLS} ${IDLE_TOOLS}`, canonicalName);
  if (!isKnown)
    return [{ kind: "program", what: canonicalName, why: "what this tool does is not known completely" }];
  return shapes.some(({ as }) => as !== "file")
    ? [{ kind: "code", what: canonicalName, why: "one of its arguments is code" }]
    : [];
}

/** Of a tool call that has no command. */
export const EMPTY_FACTS: ShellFacts = {
  invocations: [],
  listings: new Map(),
  effects: [],
  redirections: [],
  codeRuns: [],
  codeEffects: [],
  writtenFiles: [],
  functions: [],
  assignments: [],
  computed: [],
  links: [],
  unexamined: [],
  steps: 0,
};

const UNREAD: Unexamined = {
  reason: "nesting",
  message: "arguments that are too many or too deep",
  criticalWords: [],
  span: { start: 0, end: 0 },
};

type FileShape = Extract<ToolShape, { readonly as: "file" }>;
type FileUse = Pick<FileShape, "action" | "path" | "to" | "isGuess">;

/** What a tool does to the files it names, so that the same rules judge it as judge `cat`, `tee` and `rm`. */
function effectsOfTool(
  { canonicalName, input }: Pick<ToolUse, "canonicalName" | "input">,
  shapes: readonly FileShape[],
  knownPaths: readonly string[],
  workspace: Workspace,
): readonly CommandEffect[] {
  const told = new Set(shapes.flatMap(({ path, to }) => [path, to]));
  const patched = isPatchTool(canonicalName) ? textsIn(input).flatMap(patchedPaths) : [];
  const untold = [...new Set([...knownPaths, ...patched])].filter(path => !told.has(path));
  // The host's own search looks through the folder of the session unless it is told another.
  const isBare = canonicalName === "Grep" && shapes.length === 0 && untold.length === 0;
  const uses: readonly FileUse[] = [
    ...(isBare ? [{ action: "search", path: "." } as const] : shapes),
    ...untold.map(path => ({ action: untoldAction(canonicalName), path })),
    ...secretFilters(canonicalName, input).map(path => ({ action: "read" as const, path })),
  ];
  const by: Actor = {
    cwd: text(workspace.directory),
    place: { kind: "local" },
    program: canonicalName,
    invocation: undefined,
    span: { start: 0, end: 0 },
    isTool: true,
  };
  const how = /append/i.test(canonicalName) ? "append" : "replace";
  const effects = uses.slice(0, MAX_EFFECTS + 1).flatMap(use => effectsOfUse(use, by, how, input, workspace));
  const isFile = (path: string): boolean =>
    workspace.disk.kind(path) !== undefined || shapes.some(({ path: written }) => /[./~]/.test(written));
  const operations = isOwnTool(canonicalName)
    ? []
    : [...operationsOfTool(canonicalName, input, by), ...commitsOfTool(canonicalName, input, by, workspace)];
  // Files of the project and temporary ones are judged by their places.
  const isOfFiles = effects.some(
    effect =>
      effect.kind === "delete" &&
      isFile(describe(effect.path)) &&
      isPlaceFree(workspace, describe(effect.path)),
  );
  const sent = sentByTool(canonicalName, input, by);
  const named = isOwnTool(canonicalName) ? [] : filesNamed(input, workspace).filter(path => !told.has(path));
  const leaving = tokenGiven(canonicalName, input, by);
  const payloads = named.map(path => ({ value: text(path), role: "file" as const }));
  return [
    ...effects,
    ...(isOfFiles ? [] : operations),
    ...(sent === undefined
      ? named.map(path => ({ kind: "read" as const, by, path: text(path), isCopy: false }))
      : []),
    ...(sent === undefined || (leaving.length > 0 && payloads.length === 0)
      ? leaving
      : [{ ...sent, payloads }, ...leaving]),
  ];
}

const MAX_NAMED = 40;

/** Files of this machine that any argument names, whatever it is called: `attachments: ["~/.ssh/id_ed25519"]`. */
function filesNamed(input: Json, workspace: Workspace, depth = 0): readonly string[] {
  if (typeof input === "string") {
    const { directory, home, disk } = workspace;
    if (!/^(?:~\/|\/|\.{1,2}\/|\.[a-z])[^\s]{0,300}$/.test(input)) return [];
    const path = resolve(directory, expandHome(input, home));
    return disk.kind(disk.resolve(path, true)) === "file" ? [path] : [];
  }
  if (depth > MAX_NAMED_DEPTH || input === null || typeof input !== "object") return [];
  const inner = Array.isArray(input) ? (input as readonly Json[]) : Object.values(input);
  return inner
    .slice(0, MAX_NAMED)
    .flatMap(one => filesNamed(one, workspace, depth + 1))
    .slice(0, MAX_NAMED);
}

const MAX_NAMED_DEPTH = 4;

const MAX_SEARCHED = 256 * 1024;

/** Whatever a tool of a server or of the web is given may leave; the value of a secret should not. */
function tokenGiven(name: string, input: Json, by: Actor): readonly CommandEffect[] {
  if (toolWords(name).server.length === 0 && !isListed("WebFetch WebSearch", name)) return [];
  // `TOKEN=…` begins a line of what the tool gets, and is in the middle of one where that is written as JSON.
  const given = (JSON.stringify(input) ?? "").slice(0, MAX_SEARCHED).replace(/\\n|":"/g, "\n");
  // A client is given a login to use it; who reads a message is told it.
  const to = sentByTool(name, input, by)?.to;
  const isMessage = to !== undefined && !describe(to).includes("://");
  if (shownSecretIn(given) === undefined && !(isMessage && loginIn(given) !== undefined)) return [];
  return [{ kind: "send", by, to: undefined, payloads: [{ value: text(given), role: "body" }] }];
}

/** Names without a mark of a server or a verb of their own are the host's. */
function isOwnTool(name: string): boolean {
  return /^[A-Z][a-z][A-Za-z]*$/.test(name) || isListed("shell bash exec python apply_patch", name);
}

function isPlaceFree(workspace: Workspace, path: string): boolean {
  return ["source", "regenerable", "temp"].includes(
    classifyPath(workspace, workspace.disk.resolve(path, false)),
  );
}

function untoldAction(canonicalName: string): FileAction {
  const action = findAction(toolWords(canonicalName).tool) ?? "write";
  return action === "move" || action === "copy" ? "write" : action;
}

function effectsOfUse(
  { action, path: written, to: target, isGuess }: FileUse,
  by: Actor,
  how: "append" | "replace",
  input: Json,
  { directory, home, disk }: Workspace,
): readonly CommandEffect[] {
  const place = (path: string) => resolve(directory, expandHome(path, home));
  const path = place(written);
  const isDirectory = disk.kind(disk.resolve(path, true)) === "directory";
  switch (action) {
    case "look":
      return [];
    case "search":
      // Names of files show nothing of what is in them.
      if (isDirectory && !showsMatches(by.program, input)) return [];
      return [{ kind: "read", by, path: text(path), isCopy: false, ...searched(input) }];
    case "read":
      return [{ kind: "read", by, path: text(path), isCopy: false }];
    case "write":
      // `/` alone is the address of a page as often as the top of a disk.
      if (isGuess === true && path === "/") return [];
      return [{ kind: "write", by, path: text(path), how, isInto: isDirectory }];
    case "delete":
      return [{ kind: "delete", by, path: patternValue(path), isRecursive: isDeletedWhole(path, disk) }];
    case "move":
    case "copy": {
      const from = text(path);
      const first: CommandEffect =
        action === "copy"
          ? { kind: "read", by, path: from, isCopy: true }
          : { kind: "move", by, from, to: target === undefined ? undefined : text(place(target)) };
      if (target === undefined) return [first];
      const to = place(target);
      const isInto = disk.kind(disk.resolve(to, true)) === "directory";
      return [first, { kind: "write", by, path: text(to), how: "replace", from, isInto }];
    }
  }
}

/** The host's own search lists files unless it is told to show the lines; what other searches show is not known. */
function showsMatches(tool: string, input: Json): boolean {
  const mode = memberAt(input, "output_mode");
  if (tool === "Glob") return false;
  return tool === "Grep" ? mode === "content" : mode !== "files_with_matches" && mode !== "count";
}

function searched(input: Json): Pick<Extract<CommandEffect, { readonly kind: "read" }>, "search" | "below"> {
  const [pattern] = stringsIn(input, ["pattern", "query", "regex", "search", "text"]);
  if (pattern === undefined) return {};
  const filters = stringsIn(input, ["glob", "include", "type"]);
  return {
    search: text(pattern),
    // The hosts' own searches leave out what git ignores.
    below: { only: filters, without: [], leavesHidden: false, leavesIgnored: true },
  };
}

function isDeletedWhole(path: string, disk: Workspace["disk"]): boolean {
  return disk.kind(path) === "directory" || /[*?]/.test(path);
}

/** Tools that delete may take patterns; a file of that very name is not lost sight of. */
function patternValue(path: string): Value {
  const pieces = [...path.matchAll(/[*?]+|[^*?]+/g)].map(
    ([part]): Piece => (/^[*?]/.test(part) ? { kind: "glob", pattern: part } : { kind: "text", text: part }),
  );
  return { pieces, origins: [] };
}

/** File filters that can only mean a secret: `.env`, `**` + `/id_rsa`. The text searched for is data. */
function secretFilters(toolName: string, input: Json): readonly string[] {
  if (toolName !== "Glob" && toolName !== "Grep") return [];
  return stringsIn(input, toolName === "Glob" ? ["glob", "include", "pattern"] : ["glob", "include"])
    .map(pattern => pattern.slice(pattern.lastIndexOf("/") + 1).replace(/(?<![*])[*]+$/, ""))
    .filter(name => secretByName(name, { added: [], removed: [] }) !== undefined)
    .map(name => join(".", name));
}

/** A patch is the whole input, a member of it, or a word of a command. */
function textsIn(input: Json): readonly string[] {
  if (typeof input === "string") return [input];
  const members = isJsonObject(input) ? Object.values(input) : [];
  return members.flat().filter(member => typeof member === "string");
}

function stringsIn(input: Json, names: readonly string[]): readonly string[] {
  return names
    .flatMap(name => memberAt(input, name) ?? [])
    .filter((value): value is string => typeof value === "string" && value !== "");
}
