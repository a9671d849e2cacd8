import { baseName, isAbsolute, joinPath } from "../paths.ts";
import { readContents, writtenEntry } from "../state/file-contents.ts";
import { eitherOutput } from "../state/output.ts";
import type { Output, ProgramCall } from "../state/types.ts";
import { knownPrefix, knownText, text, type Value } from "../value.ts";
import { positionalsFrom, runInNewShell, runInSameShell, unknownOutput } from "./code-runs.ts";
import { readScript } from "./script-files.ts";

/** A script to run: by a shell, by `source` in the same shell, or as a program by its first line. */
interface ScriptUse {
  readonly path: Value;
  readonly arguments: readonly Value[];
  readonly by: "shell" | "source" | "itself";
}

/** Runs a script whose text is known: written in this command, or small and inside project or temp. */
export function runScript(use: ScriptUse, call: ProgramCall): Output {
  const { scope } = call;
  const written = writtenEntry(use.path, call.cwd, scope);
  if (written !== undefined || isPipe(use.path)) {
    const contents = readContents(use.path, call.cwd, call.stdin, scope);
    return eitherOutput(...contents.map(content => runScriptText(content, use, call, scope.scripts)));
  }
  const content = readScript(use.path, call);
  const code = content ?? readContents(use.path, call.cwd, call.stdin, scope)[0];
  return code === undefined ? [unknownOutput(call)] : runScriptText(code, use, call, scope.scripts + 1);
}

function isPipe(path: Value): boolean {
  return /^\/dev\/(?:fd\/\d+|stdin)$|^\/proc\/self\/fd\/\d+$/.test(knownText(path) ?? "");
}

function runScriptText(code: Value, use: ScriptUse, call: ProgramCall, scripts: number): Output {
  const source = { from: "file", path: joinPath(call.cwd, use.path), via: "script" } as const;
  const interpreter = use.by === "itself" ? interpreterOf(code) : undefined;
  const interpreted =
    interpreter === undefined
      ? undefined
      : call.scope.session.programs.interpret(interpreter, code, use.arguments, call, source);
  if (interpreted !== undefined) return interpreted;
  const positionals = positionalsFrom(use.path, use.arguments, call.isOpenEnded);
  if (use.by !== "source")
    return runInNewShell(code, call, source, { positionals, stdin: call.stdin, scripts });
  const { state } = call.scope;
  const outer = state.positionals;
  if (use.arguments.length > 0) state.positionals = positionals;
  const output = runInSameShell(code, call, source, { scripts });
  if (use.arguments.length > 0) state.positionals = outer;
  return output;
}

/** The program that the first line names, with `env` looked through. */
function interpreterOf(code: Value): string | undefined {
  const match = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(knownPrefix(code));
  return match?.[1] === undefined ? undefined : baseName(match[1]);
}

/** `./deploy.sh`: a file of the project that starts with `#!`, or one that this command or this session wrote. */
export function runProgramFile(call: ProgramCall): Output | undefined {
  const [word] = call.argv;
  const written = word === undefined ? undefined : knownText(word);
  if (word === undefined || written === undefined) return undefined;
  const path = written.includes("/") ? word : ownProgram(written, call);
  if (path === undefined) return undefined;
  const use: ScriptUse = { path, arguments: call.argv.slice(1), by: "itself" };
  if (writtenEntry(path, call.cwd, call.scope) !== undefined) return runScript(use, call);
  if (!isAbsolute(joinPath(call.cwd, path))) return undefined;
  const content = readScript(path, call);
  if (content === undefined) return undefined;
  // Without such a line a shell runs it, if it can be run at all.
  const isRun = knownText(content)?.startsWith("#!") === true || /\.(?:sh|bash|zsh)$/.test(written);
  return isRun ? runScriptText(content, use, call, call.scope.scripts + 1) : undefined;
}

/** A program without a directory in front, which the session put where programs are looked for. */
function ownProgram(name: string, { scope }: ProgramCall): Value | undefined {
  const { context, programs } = scope.session;
  const [path] = context.ownFiles === undefined || programs.isKnown(name) ? [] : context.ownFiles.named(name);
  return path === undefined ? undefined : text(path);
}
