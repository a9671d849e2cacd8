import { insertMember, memberOf, openJson, readJsonc, replaceNode } from "../../config/index.ts";
import { resolveHost } from "../../hosts/index.ts";
import { stringsAt } from "../../protocol/index.ts";
import { type System, writeAtomically } from "../../system/index.ts";
import { installProblem, usageProblem } from "../problem.ts";
import { IMPORTABLE, userHandlersFile } from "./handlers.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const EMPTY = `{
  // Hooks of any program, in the shape of Claude Code's settings; they run in every agent.
  "hooks": {}
}
`;

/** Adds a host to `import` of the user's `hooks.jsonc`; comments and everything else stay. Returns the file. */
export function importSettings(system: System, stateHome: string, host: string): string {
  const name = IMPORTABLE.find(known => resolveHost(known) === resolveHost(host)) ?? host;
  if (!IMPORTABLE.some(known => known === name))
    throw usageProblem(`hooks of '${host}' cannot be imported; known is ${IMPORTABLE.join(", ")}`);
  const path = userHandlersFile(stateHome);
  const isThere = system.files.follow(path) !== undefined;
  const text = isThere ? system.text.decode(system.files.read(path, MAX_FILE_BYTES)).text : EMPTY;
  const opened = openJson(text);
  const read = readJsonc(text);
  if (!opened.ok || !read.ok || opened.root.type !== "object")
    throw installProblem(`${path} is no object in JSON with comments; repair it first`);
  const imports = stringsAt(read.value, "import");
  if (imports.includes(name) && isThere) return path;
  const member = memberOf(opened.root, "import");
  const value = [...imports, name];
  const changed =
    member === undefined
      ? insertMember(text, opened.root, "import", value)
      : replaceNode(text, member, JSON.stringify(value));
  writeAtomically(system, path, system.text.encode(changed), { mode: 0o600 });
  return path;
}
