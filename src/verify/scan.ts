import { findNodeAtLocation, parseTree } from "jsonc-parser";
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  Scalar,
  type YAMLMap,
} from "yaml";
import { type Finding, findRule, type GuardContext, judgeCommand } from "../guard/index.ts";
import { errorText, ownValue } from "../protocol/index.ts";
import { ancestors, basename, isInside, join, normalise, quoteWord, type System } from "../system/index.ts";
import { version } from "../version.ts";
import { type IgnoreFile, isIgnored, parseIgnoreFile } from "../workspace/index.ts";

/** A piece of shell text inside a file, and where its characters stand there. */
interface Snippet {
  readonly text: string;
  /** what it is, for people: `script build`, `job test`, `target clean`; empty for a whole script */
  readonly name: string;
  /** the place of a character of `text`, both counted from 1 */
  readonly placeAt: (offset: number) => Place;
  /** relative to the directory in which the file's commands run */
  readonly directory?: string | undefined;
  readonly isPowerShell?: boolean;
  /** it runs while an image is built, where nothing of this machine can be lost */
  readonly isInContainer?: boolean;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

type ReadSnippets = (text: string) => readonly Snippet[];

/** The place of an offset in a text that stands in the file as it is. */
export function placeIn(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return offset => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

const DOCKERFILE = /^(Dockerfile|Containerfile)(\..+)?$|\.(dockerfile|containerfile)$/i;

function isDockerfileName(name: string): boolean {
  return DOCKERFILE.test(name);
}

/** The RUN instructions of a Dockerfile, in shell form and in list form. */
function readDockerfile(text: string): readonly Snippet[] {
  const lines = text.split(/\r?\n/);
  const snippets: Snippet[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [head, instruction] = /^\s*(\w+)\s+/.exec(lines[index] ?? "") ?? [];
    const line = index + 1;
    let body = (lines[index] ?? "").slice(head?.length ?? 0);
    while (/\\\s*$/.test(body) && index + 1 < lines.length) {
      index += 1;
      // Comments between continued lines are taken out by the builder.
      if (!/^\s*#/.test(lines[index] ?? "")) body = `${body.replace(/\\\s*$/, "\\")}\n${lines[index]}`;
    }
    if (instruction?.toUpperCase() !== "RUN") continue;
    const options = /^(--\w+(=\S+)?\s+)*/.exec(body)?.[0].length ?? 0;
    const place = { line, column: (head?.length ?? 0) + options + 1 };
    let command = body.slice(options);
    for (const [, dash, word] of command.matchAll(/<<(-?)["']?(\w+)["']?/g)) {
      for (index += 1; index < lines.length; index += 1) {
        command += `\n${lines[index]}`;
        if ((dash === "-" ? lines[index]?.replace(/^\t+/, "") : lines[index]) === word) break;
      }
    }
    const isBareHeredoc = /^<<-?["']?\w+["']?\s*\n/.test(command);
    snippets.push({
      text: isBareHeredoc ? `sh ${command}` : (listWords(command) ?? command),
      name: "RUN",
      placeAt: () => place,
      isInContainer: true,
    });
  }
  return snippets;
}

/** `["rm", "-rf", "/x"]` as shell words. */
function listWords(text: string): string | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    if (!Array.isArray(words)) return undefined;
    return words.map(word => quoteWord(String(word))).join(" ");
  } catch {
    return undefined;
  }
}

const MAKEFILE = /^(GNU)?makefile$|\.(mk|mak)$/i;
const ASSIGNMENT = /^(?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(?::{0,3}|\?)=\s*(.*)$/;
const TARGET = /^([^\s:#=][^:#=]*?)\s*::?(?!=)/;
const MAX_VARIABLE_DEPTH = 8;

function isMakefileName(name: string): boolean {
  return MAKEFILE.test(name);
}

/**
 * Every recipe line of a makefile as the shell gets it: variables set in the file are put in, all others are left
 * to the shell as variables of unknown value.
 */
function readMakefile(text: string): readonly Snippet[] {
  const variables = new Map<string, string>();
  const snippets: Snippet[] = [];
  let target = "";
  for (const { line, text: logical } of logicalLines(text)) {
    if (logical.startsWith("\t")) {
      const skipped = /^[\t ]*[@+-]*[\t ]*/.exec(logical)?.[0].length ?? 0;
      const command = expand(logical.slice(skipped), variables, 0);
      const place = { line, column: skipped + 1 };
      if (command.trim() !== "" && target !== "")
        snippets.push({ text: command, name: `target ${target}`, placeAt: () => place });
      continue;
    }
    const [, name, value] = ASSIGNMENT.exec(logical) ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, value.replace(/\s+#.*$/, "").trim());
    else target = TARGET.exec(logical)?.[1] ?? target;
  }
  return snippets;
}

function* logicalLines(text: string): Generator<{ readonly line: number; readonly text: string }> {
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = index + 1;
    let whole = lines[index] ?? "";
    while (/(^|[^\\])(\\\\)*\\$/.test(whole) && index + 1 < lines.length) {
      index += 1;
      whole += `\n${lines[index]?.replace(/^\t/, "") ?? ""}`;
    }
    yield { line, text: whole };
  }
}

function expand(text: string, variables: ReadonlyMap<string, string>, depth: number): string {
  return text.replace(
    /\$(?:(\$)|\(([^()]*(?:\([^()]*\)[^()]*)*)\)|\{([^{}]*)\}|(.))/g,
    (_, dollar?: string, round?: string, curly?: string, single?: string) => {
      if (dollar !== undefined) return "$";
      const name = round ?? curly ?? single ?? "";
      const value = variables.get(name);
      if (value !== undefined && depth < MAX_VARIABLE_DEPTH) return expand(value, variables, depth + 1);
      return `\${MAKE_${name.replace(/\W+/g, "_")}}`;
    },
  );
}

/** The scripts of a `package.json`. Escapes shift columns, so a finding points to where its script begins. */
function readPackageScripts(text: string): readonly Snippet[] {
  const tree = parseTree(text);
  const scripts = tree === undefined ? undefined : findNodeAtLocation(tree, ["scripts"]);
  const placeAt = placeIn(text);
  return (scripts?.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    if (key === undefined || value?.type !== "string") return [];
    const place = placeAt(value.offset + 1);
    return [{ text: String(value.value), name: `script ${String(key.value)}`, placeAt: () => place }];
  });
}

const SHELL_NAME = /\.(sh|bash|zsh|ksh|dash|ash|bats|command)$/;
const SHEBANG = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?(?:\S+=\S*\s+)*)?(?:\S*\/)?(?:ba|z|k|da|a|mk)?sh(?:\s|$)/;

function isShellScriptName(name: string): boolean {
  return SHELL_NAME.test(name);
}

function hasShellShebang(start: string): boolean {
  return SHEBANG.test(start);
}

// The caller of a script chooses its arguments, so they may be anything.
const ARGUMENTS = `set -- ${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(number => `"$ARGUMENT_${number}"`).join(" ")}; `;

function readShellScript(text: string): readonly Snippet[] {
  const placeAt = placeIn(text);
  return [
    {
      text: ARGUMENTS + text,
      name: "",
      placeAt: offset => placeAt(Math.max(0, offset - ARGUMENTS.length)),
    },
  ];
}

function readPowerShellScript(text: string): readonly Snippet[] {
  return [{ text, name: "", placeAt: placeIn(text), isPowerShell: true }];
}

const GITHUB = /(^|\/)\.(github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$|(^|\/)action\.ya?ml$/;
const GITLAB = /(^|\/)[^/]*\.gitlab-ci\.ya?ml$/;
const SHELLS: Readonly<Record<string, "shell" | "powershell">> = {
  bash: "shell",
  sh: "shell",
  zsh: "shell",
  pwsh: "powershell",
  powershell: "powershell",
};

function isGithubWorkflow(path: string): boolean {
  return GITHUB.test(path);
}

function isGitlabPipeline(path: string): boolean {
  return GITLAB.test(path);
}

interface Source {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** The `run` steps of a workflow or of a composite action. */
function readGithubWorkflow(text: string): readonly Snippet[] {
  const source = open(text);
  const root = source.document.contents;
  if (!isMap(root)) return [];
  const jobs = root.get("jobs");
  const composite = root.get("runs");
  return [
    ...(isMap(jobs) ? jobs.items : []).flatMap(({ key, value }) =>
      isMap(value)
        ? listSteps(source, value, `job ${keyName(key)}`, [findDefaults(value), findDefaults(root)])
        : [],
    ),
    ...(isMap(composite) ? listSteps(source, composite, "action", []) : []),
  ];
}

function listSteps(
  source: Source,
  job: YAMLMap,
  name: string,
  defaults: readonly (YAMLMap | undefined)[],
): readonly Snippet[] {
  const steps = job.get("steps");
  const runner = scalarText(job.get("runs-on"));
  return (isSeq(steps) ? steps.items : []).flatMap(step => {
    const run = isMap(step) ? step.get("run", true) : undefined;
    if (!isMap(step) || !isScalar(run) || typeof run.value !== "string") return [];
    const setting = (key: string): string =>
      [step, ...defaults].map(map => scalarText(map?.get(key))).find(found => found !== "") ?? "";
    const [shell = ""] = (setting("shell") || (/windows/i.test(runner) ? "pwsh" : "bash")).split(/\s/);
    const kind = ownValue(SHELLS, shell);
    if (kind === undefined) return [];
    const directory = setting("working-directory");
    return [
      {
        ...toSnippet(source, run, name),
        ...(directory === "" || directory.includes("${{") ? {} : { directory }),
        isPowerShell: kind === "powershell",
      },
    ];
  });
}

function findDefaults(map: YAMLMap): YAMLMap | undefined {
  const defaults = map.get("defaults");
  const run = isMap(defaults) ? defaults.get("run") : undefined;
  return isMap(run) ? run : undefined;
}

/** All scripts of a pipeline; the lines of one job run in one shell, but each is judged where it stands. */
function readGitlabPipeline(text: string): readonly Snippet[] {
  const source = open(text);
  const root = source.document.contents;
  if (!isMap(root)) return [];
  const jobs = [{ key: "default", value: root }, ...root.items];
  return jobs.flatMap(({ key, value }) => {
    if (!isMap(value)) return [];
    return ["before_script", "script", "after_script"].flatMap(part =>
      scalarsIn(value.get(part, true)).map(line => toSnippet(source, line, `job ${keyName(key)}`)),
    );
  });
}

function scalarsIn(node: unknown): readonly Scalar<string>[] {
  if (isSeq(node)) return node.items.flatMap(scalarsIn);
  return isTextScalar(node) ? [node] : [];
}

function isTextScalar(node: unknown): node is Scalar<string> {
  return isScalar(node) && typeof node.value === "string";
}

function open(text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`not YAML: ${error.message.split("\n")[0]}`);
  return { text, document, lines };
}

function toSnippet(source: Source, node: Scalar, name: string): Snippet {
  // An expression of the runner has an unknown value; it keeps its length so that columns stay right.
  const text = String(node.value).replace(
    /\$\{\{[\s\S]*?\}\}/g,
    whole => `\${${"X".repeat(whole.length - 3)}}`,
  );
  return { text, name, placeAt: locator(source, node, text) };
}

/** Literal blocks keep their lines; in all other styles a finding points to where the text begins. */
function locator(source: Source, node: Scalar, text: string): (offset: number) => Place {
  const start = node.range?.[0] ?? 0;
  const { line, col } = source.lines.linePos(start);
  if (node.type !== Scalar.BLOCK_LITERAL) {
    const isQuoted = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
    return () => ({ line, column: col + (isQuoted ? 1 : 0) });
  }
  const body = source.text.slice(source.text.indexOf("\n", start) + 1, node.range?.[1]).split("\n");
  const firstLine = text.split("\n")[0] ?? "";
  const indent = (body[0] ?? "").length - firstLine.length;
  return offset => {
    const before = text.slice(0, offset).split("\n");
    return {
      line: line + before.length,
      column: Math.max(0, indent) + (before.at(-1)?.length ?? 0) + 1,
    };
  };
}

function keyName(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  return isSeq(value) ? value.items.map(item => keyName(item)).join(" ") : "";
}

type FilesAndText = Pick<System, "files" | "text">;

const NEVER_ENTERED = new Set([".git", "node_modules", ".hg", ".svn"]);
const IGNORE_FILE_BYTES = 256 * 1024;
const MAX_FOLDER_DEPTH = 64;

interface PlacedIgnoreFile {
  readonly depth: number;
  readonly file: IgnoreFile;
}

/**
 * All files below a directory, in the order of their names. What git ignores is left out, links are not followed;
 * `onSkipped` is told what could not be looked into.
 */
export function findFiles(
  system: FilesAndText,
  root: string,
  onSkipped: (path: string, why: string) => void,
): readonly string[] {
  const { files } = system;
  const top = ancestors(root).find(path => files.inspect(join(path, ".git")) !== undefined) ?? root;
  const splitPath = (path: string): readonly string[] =>
    path
      .slice(top.length)
      .split("/")
      .filter(part => part !== "");

  function ignoreFileIn(directory: string): readonly PlacedIgnoreFile[] {
    const path = join(directory, ".gitignore");
    if (files.inspect(path)?.kind !== "file") return [];
    const { text } = system.text.decode(files.readRange(path, 0, IGNORE_FILE_BYTES));
    return [{ depth: splitPath(directory).length, file: parseIgnoreFile(directory, text) }];
  }

  function walk(directory: string, inherited: readonly PlacedIgnoreFile[], depth: number): readonly string[] {
    if (depth > MAX_FOLDER_DEPTH) {
      onSkipped(directory, `more than ${MAX_FOLDER_DEPTH} folders deep`);
      return [];
    }
    let names: readonly string[];
    try {
      names = [...files.list(directory)].sort();
    } catch (error) {
      onSkipped(directory, errorText(error));
      return [];
    }
    const ignores = [...inherited, ...ignoreFileIn(directory)];
    return names.flatMap(name => {
      const path = join(directory, name);
      const kind = files.inspect(path)?.kind;
      const isLeftOut = NEVER_ENTERED.has(name) || isIgnored(ignores, splitPath(path));
      if (isLeftOut || (kind !== "file" && kind !== "directory")) return [];
      return kind === "file" ? [path] : walk(path, ignores, depth + 1);
    });
  }

  const above = ancestors(root).filter(path => path !== root && isInside(top, path));
  return walk(root, above.reverse().flatMap(ignoreFileIn), 0);
}

/** One thing the guard has against a command that stands in a file. */
export interface ScanFinding
  extends Place,
    Pick<Finding, "rule" | "title" | "verdict" | "target" | "lost" | "safer"> {
  /** as the caller named it */
  readonly file: string;
  readonly name: string;
}

interface FileScan {
  readonly commands: number;
  readonly findings: readonly ScanFinding[];
}

const FILE_BYTES = 1024 * 1024;
const SHEBANG_BYTES = 160;

/** Judges every command of one file; undefined when it is no file that holds commands. Throws when unreadable. */
export function scanFile(
  system: Pick<System, "files" | "text">,
  path: string,
  shown: string,
  context: GuardContext,
): FileScan | undefined {
  const read = findReader(
    path,
    () => system.text.decode(system.files.readRange(path, 0, SHEBANG_BYTES)).text,
  );
  if (read === undefined) return undefined;
  const { text } = system.text.decode(system.files.read(path, FILE_BYTES));
  const snippets = read(text.replace(/^\ufeff/, ""));
  return {
    commands: snippets.length,
    findings: distinct(snippets.flatMap(snippet => judge(snippet, shown, context))),
  };
}

/** What a file of this name and text runs; nothing for a file that holds no commands. Throws when it is broken. */
export function readSnippets(path: string, text: string): readonly Snippet[] {
  return findReader(path, () => text)?.(text) ?? [];
}

function findReader(path: string, start: () => string): ReadSnippets | undefined {
  const name = basename(path);
  if (name === "package.json") return readPackageScripts;
  if (isShellScriptName(name)) return readShellScript;
  if (/\.ps1$/i.test(name)) return readPowerShellScript;
  if (isMakefileName(name)) return readMakefile;
  if (isDockerfileName(name)) return readDockerfile;
  if (isGithubWorkflow(path)) return readGithubWorkflow;
  if (isGitlabPipeline(path)) return readGitlabPipeline;
  if (name.includes(".") && !name.startsWith(".")) return undefined;
  return hasShellShebang(start()) ? readShellScript : undefined;
}

function judge(snippet: Snippet, file: string, context: GuardContext): readonly ScanFinding[] {
  const { directory, isPowerShell = false, isInContainer = false, name } = snippet;
  const command = isInContainer ? `docker run image sh -c ${quoteWord(snippet.text)}` : snippet.text;
  const judgement = judgeCommand(command, {
    ...context,
    cwd: directory === undefined ? context.cwd : normalise(join(context.cwd, directory)),
    isPowerShell,
  });
  if (judgement.verdict === "allow") return [];
  const told = judgement.explain();
  const placed: (readonly [Finding, number])[] = told.flatMap(({ findings, id }) => {
    let start = told[id];
    while (start?.parent !== undefined) start = told[start.parent];
    return findings.map(finding => [finding, start?.span.start ?? 0] as const);
  });
  const homeless = judgement.findings.filter(({ invocation }) => invocation === undefined);
  return [...homeless.map(finding => [finding, 0] as const), ...placed].map(([finding, offset]) => ({
    file,
    ...snippet.placeAt(isInContainer ? 0 : offset),
    name,
    rule: finding.rule,
    title: finding.title,
    verdict: finding.verdict,
    target: finding.target,
    lost: finding.lost,
    safer: finding.safer,
  }));
}

function distinct(findings: readonly ScanFinding[]): readonly ScanFinding[] {
  const seen = new Map(findings.map(found => [`${found.line} ${found.rule} ${found.target}`, found]));
  return [...seen.values()].sort((one, other) => one.line - other.line || one.column - other.column);
}

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const LEVELS = { deny: "error", ask: "warning" } as const;

/** The findings as a SARIF 2.1.0 log, the form that code-scanning services read. */
export function toSarif(findings: readonly ScanFinding[]) {
  const ids = [...new Set(findings.map(found => found.rule))].sort();
  const titles = new Map(findings.map(found => [found.rule, found.title]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "amplihack guard",
            version,
            rules: ids.map(id => ({
              id,
              shortDescription: { text: titles.get(id) ?? id },
              fullDescription: { text: findRule(id)?.when ?? titles.get(id) ?? id },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map(found => ({
          ruleId: found.rule,
          ruleIndex: ids.indexOf(found.rule),
          level: LEVELS[found.verdict],
          message: { text: found.safer === "" ? found.lost : `${found.lost} Safer: ${found.safer}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: toUri(found.file) },
                region: { startLine: found.line, startColumn: found.column },
              },
              ...(found.name === "" ? {} : { logicalLocations: [{ name: found.name }] }),
            },
          ],
        })),
      },
    ],
  };
}

function toUri(path: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${encoded}` : encoded;
}
