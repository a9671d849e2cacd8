import { splitAssignment } from "../shell/builtins/declarations.ts";
import { joinPath } from "../shell/paths.ts";
import { readContents, writtenEntry } from "../shell/state/file-contents.ts";
import type { Output, ProgramCall } from "../shell/state/types.ts";
import { knownText, text, type Value } from "../shell/value.ts";
import { runInNewShell, unknownOutput } from "../shell/walk/code-runs.ts";
import { stdinOf } from "./file-access.ts";
import type { Field, ParsedCall } from "./program.ts";
import { runString } from "./run.ts";

/** Builds by rules: recipes are read when the makefile comes from stdin or was written by this command. */
export const make: Field = {
  programs: () => [
    {
      names: "make",
      isGnu: true,
      is: ["readsNothing"],
      options: {
        flags: "-bBdeikLpqrRsStvw n|dry-run|just-print always-make silent quiet keep-going touch question",
        values: "-IjoWl C|directory f|file|makefile E|eval include-dir old-file what-if",
        optional: "-O jobs load-average debug output-sync",
      },
      run: runMake,
    },
    { names: "just task gradle mvn", is: ["readsNothing"] },
  ],
};

function runMake(call: ParsedCall): Output {
  const { options } = call;
  const cwd = options.valuesOf("C").reduce((directory, value) => joinPath(directory, value), call.cwd);
  const inner: ProgramCall = { ...call, cwd };
  if (options.isOn("n")) return [unknownOutput(call)];
  const given = new Map<string, string>();
  for (const value of call.operands) {
    const assigned = splitAssignment(value);
    const known = assigned?.value === undefined ? undefined : knownText(assigned.value);
    if (assigned !== undefined && known !== undefined) given.set(assigned.name, known);
    if (assigned?.name === "SHELL" && assigned.value !== undefined) runString(assigned.value, inner);
  }
  const named = options.valuesOf("f");
  const files = named.length > 0 ? named : [text("GNUmakefile"), text("makefile"), text("Makefile")];
  for (const file of files) {
    const isStdin = knownText(file) === "-" || knownText(file) === "/dev/stdin";
    if (!isStdin && writtenEntry(file, cwd, call.scope) === undefined) continue;
    const contents = isStdin ? stdinOf(call) : readContents(file, cwd, call.stdin, call.scope);
    for (const content of contents) runMakefile(content, given, inner);
  }
  for (const fragment of options.valuesOf("E")) runMakefile(fragment, given, inner);
  return [unknownOutput(call)];
}

/** Recipe lines, and the commands of `$(shell …)`; make variables that the text does not set are the shell's guess. */
function runMakefile(content: Value, given: ReadonlyMap<string, string>, call: ProgramCall): void {
  const known = knownText(content);
  if (known === undefined) {
    runInNewShell(content, call, { from: "stdin", via: "script" });
    return;
  }
  const lines = known.replaceAll("\\\n", " ").split("\n");
  const variables = readVariables(lines, given);
  const recipe = lines.flatMap(line => {
    const inline = /^[^\t#][^:#=]*:[^=;]*;(.*)$/.exec(line)?.[1];
    const command = line.startsWith("\t") ? line.slice(1) : inline;
    const calls = [...line.matchAll(/\$\(shell ([^)]*)\)/g)].map(match => match[1] ?? "");
    return [
      ...calls,
      ...(command === undefined ? [] : [expandVariables(command.replace(/^\s*[@+-]+/, ""), variables)]),
    ];
  });
  if (recipe.length > 0)
    runInNewShell(text(recipe.join("\n"), content.origins), call, { from: "stdin", via: "script" });
}

const MAX_VALUE_LENGTH = 4096;

/** `NAME = value` in all its spellings. Words on the command line win over the makefile's own. */
function readVariables(
  lines: readonly string[],
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const variables = new Map(given);
  for (const line of lines) {
    const found = /^ *(?:export +|override +)?(\w+)[ \t]*(?:::?|\?)?=[ \t]*([^#]*)/.exec(line);
    const [, name, written] = found ?? [];
    if (name === undefined || written === undefined || given.has(name)) continue;
    const value = expandVariables(written.trimEnd(), variables);
    // Functions of make and what they give are not known here.
    if (value.length <= MAX_VALUE_LENGTH && !value.includes("$")) variables.set(name, value);
    else variables.delete(name);
  }
  return variables;
}

/** `$(NAME)` and `${NAME}` become what make puts there, `$$` the shell's own dollar. */
function expandVariables(written: string, variables: ReadonlyMap<string, string>): string {
  return written.replace(/\$(?:\$|\((\w+)\)|\{(\w+)\})/g, (whole, round?: string, curly?: string) => {
    const name = round ?? curly;
    if (name === undefined) return whole === "$$" ? "$" : whole;
    return variables.get(name) ?? `\${${name}}`;
  });
}
