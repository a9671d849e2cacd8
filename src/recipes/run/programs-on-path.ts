import { join, quoteWord, type System } from "../../system/index.ts";
import { isFile } from "../find/look.ts";

/** This program under the name of the runner that recipes look for; `--output-format` is its word for `--format`. */
const RUNNER_SCRIPT = `words=()
for word in "$@"; do [ "$word" = --output-format ] && word=--format; words+=("$word"); done
exec amplihack recipe run "\${words[@]}"
`;

const NAMED = /\b(?:amplihack|recipe-runner)/;

/**
 * Steps call `amplihack`, and some ask for `recipe-runner-rs` before they begin. What PATH does not lead to, as after
 * `npx`, gets a stand-in for the time of the run, last on the PATH. A text that names neither gets the PATH as it is.
 */
export function pathFinder(
  system: System,
  path: string,
  runtimeRoot: string,
  launcher: readonly string[],
): (text: string) => string {
  let extended: string | undefined;
  return text => {
    if (!NAMED.test(text)) return path;
    extended ??= pathWithPrograms(system, path, runtimeRoot, launcher);
    return extended;
  };
}

function pathWithPrograms(
  { files, text }: System,
  path: string,
  runtimeRoot: string,
  launcher: readonly string[],
): string {
  const folders = path.split(":").filter(folder => folder.startsWith("/"));
  const missing = Object.entries({
    amplihack: `exec ${launcher.map(quoteWord).join(" ")} "$@"\n`,
    "recipe-runner-rs": RUNNER_SCRIPT,
  }).filter(([name]) => !folders.some(folder => isFile(files, join(folder, name))));
  if (missing.length === 0) return path;
  const folder = join(runtimeRoot, "bin");
  files.makeDirectory(folder, 0o700);
  for (const [name, script] of missing)
    files.createExclusive(join(folder, name), text.encode(`#!/bin/bash\n${script}`), 0o700);
  return `${path}:${folder}`;
}
