import { type Finding, type GuardContext, judgeCommand } from "../../guard/index.ts";
import { basename, join, normalise, quoteWord, type System } from "../../system/index.ts";
import { isDockerfileName, readDockerfile } from "./dockerfile.ts";
import { isMakefileName, readMakefile } from "./makefile.ts";
import { readPackageScripts } from "./package-scripts.ts";
import { hasShellShebang, isShellScriptName, readPowerShellScript, readShellScript } from "./shell-script.ts";
import type { Place, ReadSnippets, Snippet } from "./snippet.ts";
import { isGithubWorkflow, isGitlabPipeline, readGithubWorkflow, readGitlabPipeline } from "./workflow.ts";

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
  const read = readerOf(path, () => system.text.decode(system.files.readRange(path, 0, SHEBANG_BYTES)).text);
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
  return readerOf(path, () => text)?.(text) ?? [];
}

function readerOf(path: string, start: () => string): ReadSnippets | undefined {
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
    ...snippet.placeOf(isInContainer ? 0 : offset),
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
