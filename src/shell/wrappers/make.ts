import { splitAssignment } from "../builtins/declarations.ts";
import { type OptionSpec, optionNames, parseOptions } from "../options.ts";
import { joinPath } from "../paths.ts";
import { knownText, text, type Value } from "../value.ts";
import type { Call, Model } from "../walk/call.ts";
import { runInNewShell, unknownOutput } from "../walk/code-runs.ts";
import { readContents, writtenEntry } from "../walk/file-contents.ts";
import { runString } from "./strings.ts";

const MAKE: OptionSpec = {
  flags: optionNames(
    "bBdeikLnpqrRsStvw",
    "dry-run just-print always-make silent quiet keep-going touch question",
  ),
  values: optionNames("CfIjoWlE", "directory file makefile include-dir eval old-file what-if"),
  optional: ["jobs", "load-average", "debug", "output-sync", "O"],
  as: { directory: "C", file: "f", makefile: "f", eval: "E", "dry-run": "n", "just-print": "n" },
};

/** Recipes are read when the makefile comes from stdin or was written by this command. */
const make: Model = (call, id) => {
  const parsed = parseOptions(call.argv, MAKE);
  const cwd = parsed.valuesOf("C").reduce((directory, value) => joinPath(directory, value), call.cwd);
  const inner: Call = { ...call, cwd };
  if (parsed.has("n")) return [unknownOutput(call, id)];
  const named = parsed.valuesOf("f");
  const files = named.length > 0 ? named : [text("GNUmakefile"), text("makefile"), text("Makefile")];
  for (const file of files) {
    const isStdin = knownText(file) === "-" || knownText(file) === "/dev/stdin";
    if (!isStdin && writtenEntry(file, cwd, call.scope) === undefined) continue;
    const contents = isStdin
      ? call.stdin === undefined
        ? []
        : [call.stdin]
      : readContents(file, cwd, call.stdin, call.scope);
    for (const content of contents) runMakefile(content, inner, id);
  }
  for (const { value } of parsed.operands) {
    const shell = splitAssignment(value);
    if (shell?.name === "SHELL" && shell.value !== undefined) runString(shell.value, inner, id);
  }
  for (const fragment of parsed.valuesOf("E")) runMakefile(fragment, inner, id);
  return [unknownOutput(call, id)];
};

/** Recipe lines, and the commands of `$(shell …)`; `$$` is a dollar, other make variables are the shell's guess. */
function runMakefile(content: Value, call: Call, id: number): void {
  const known = knownText(content);
  if (known === undefined) {
    runInNewShell(content, call, id, { from: "stdin", road: "script" });
    return;
  }
  const lines = known.replaceAll("\\\n", " ").split("\n");
  const recipe = lines.flatMap(line => {
    const inline = /^[^\t#][^:#=]*:[^=;]*;(.*)$/.exec(line)?.[1];
    const command = line.startsWith("\t") ? line.slice(1) : inline;
    const calls = [...line.matchAll(/\$\(shell ([^)]*)\)/g)].map(match => match[1] ?? "");
    return [
      ...calls,
      ...(command === undefined
        ? []
        : [
            command
              .replace(/^[@+-]+/, "")
              .replaceAll("$$", "\u0000")
              .replace(/\$\((\w+)\)/g, "${$1}")
              .replaceAll("\u0000", "$"),
          ]),
    ];
  });
  if (recipe.length > 0)
    runInNewShell(text(recipe.join("\n"), content.origins), call, id, { from: "stdin", road: "script" });
}

export const makeModels: readonly (readonly [string, Model])[] = [
  ["make", make],
  ["gmake", make],
];
