import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { findMember, insertMember, openJson, readJsonc, replaceNode } from "../../config/index.ts";
import {
  findImpostors,
  findUnagreedScripts,
  isSourceName,
  type Manifest,
  withAllItRuns,
} from "../../hooks/index.ts";
import { HOST_LIST, ownNames, resolveHost } from "../../hosts/index.ts";
import { stringsAt } from "../../protocol/index.ts";
import { basename, dirname, extension, join, type System, writeAtomically } from "../../system/index.ts";
import { installProblem, readFile, usageProblem } from "../file-edit.ts";
import { type BuildReport, buildHooks, type RefusedSource } from "./build.ts";
import {
  authoringTypes,
  bundleImports,
  bundleProblem,
  findBundler,
  foreignImports,
  INSTALL_BUNDLER,
} from "./bundle.ts";
import { IMPORTABLE, userHandlersFile } from "./handlers.ts";
import { type HookPlaces, projectHooksFolder, TrustedHooks, userHooksFolder } from "./sources.ts";

/** A hook to start from: it compiles, it says nothing harmful, and its comments tell what else there is. */
function hookTemplate(name: string): string {
  return `import { ask, defineHook } from "amplihack/hooks";

// Runs before every shell command, in every agent that amplihack is installed in.
// Other events: PostToolUse, UserPromptSubmit, Stop, SessionStart … Other tools: Write, Edit, Read, "mcp__server__*" …
export default defineHook({
  name: "${name}",
  event: "PreToolUse",
  tool: "Bash",
  options: {
    // Tried before the hook is loaded: one of these words, or a RegExp.
    when: ["deploy"],
  },
  // Also given: facts (programs and paths of the command), cwd, host, session, files, env, clock, state, exec, log.
  run({ input }) {
    // Nothing returned means no opinion. Or: deny(reason), rewrite({ command }), context(text), message(text), halt(reason).
    if (/\\bproduction\\b/.test(input.command)) return ask("This deploys to production.");
  },
});

// Checked by: amplihack hooks test ${name}.ts
export const examples = [
  { input: { command: "make deploy TARGET=production" }, expect: "ask" },
  { input: { command: "make deploy TARGET=staging" }, expect: "none" },
];
`;
}

const TSCONFIG = `{
  // Written by amplihack hooks new, so that an editor knows what "amplihack/hooks" is.
  "compilerOptions": {
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2023"],
    "types": [],
    "strict": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true,
    "resolveJsonModule": true,
    "paths": { "amplihack/hooks": ["./.types/hooks/user/authoring.d.ts"] }
  },
  "include": ["*.ts"]
}
`;

/** Writes the files that an editor needs, where they are not there or are of an older version. */
function writeEditorFiles(system: System, folder: string): void {
  const config = join(folder, "tsconfig.json");
  if (system.files.inspect(config) === undefined)
    writeAtomically(system, config, system.text.encode(TSCONFIG), { mode: 0o644 });
  const entry = authoringTypes();
  if (!existsSync(entry)) return;
  const root = join(dirname(entry), "..", "..");
  for (const [path, text] of declarations(entry))
    writeAtomically(system, join(folder, ".types", relative(root, path)), system.text.encode(text), {
      mode: 0o644,
    });
}

/** A declaration file and all that it imports. */
function declarations(entry: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || !existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    found.set(path, text);
    for (const [, , specifier = ""] of text.matchAll(/from (["'])(\.[^"']+)\1/g))
      waiting.push(join(dirname(path), specifier.replace(/\.(?:js|ts)$/, ".d.ts")));
  }
  return found;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Writes a commented hook with what an editor needs, and builds it. */
export async function newHook(
  system: System,
  places: HookPlaces,
  name: string,
  isProject: boolean,
): Promise<{ readonly path: string; readonly report: BuildReport }> {
  const plain = name.replace(/\.ts$/, "");
  if (!NAME.test(plain)) throw usageProblem(`'${name}' is not a name: use letters, digits, ".", "_" and "-"`);
  const folder = isProject ? projectHooksFolder(places.projectRoot) : userHooksFolder(places.stateHome);
  const path = join(folder, `${plain}.ts`);
  if (system.files.inspect(path) !== undefined) throw installProblem(`${path} is already there`);
  writeAtomically(system, path, system.text.encode(hookTemplate(plain)), { mode: 0o644 });
  writeEditorFiles(system, folder);
  return { path, report: await buildHooks(system, places) };
}

/**
 * Copies a file to the user's hooks, where no agent may change it, and builds it. What it imports besides
 * `amplihack/hooks` and Node comes along: then the copy is one JavaScript file with all of it.
 */
export async function addHook(
  system: System,
  places: HookPlaces,
  file: string,
): Promise<{ readonly path: string; readonly report: BuildReport }> {
  if (!isSourceName(basename(file)))
    throw usageProblem(`${file} is not a hook: expected TypeScript or JavaScript, not '${extension(file)}'`);
  const text = readFile(system, file);
  if (text === undefined) throw installProblem(`there is no file ${file}`);
  const folder = userHooksFolder(places.stateHome);
  const copied = await withImports(file, text, folder);
  const path = join(folder, copied.name);
  const known = readFile(system, path);
  if (known !== undefined && known !== copied.text)
    throw installProblem(
      `${path} is already there and differs; remove it first: amplihack hooks remove ${copied.name}`,
    );
  writeAtomically(system, path, system.text.encode(copied.text), { mode: 0o644 });
  writeEditorFiles(system, folder);
  const report = await buildHooks(system, places);
  const problem = report.manifest.files.find(({ source }) => source === path)?.problem;
  if (problem === undefined || known !== undefined) return { path, report };
  system.files.remove(path);
  await buildHooks(system, places);
  throw installProblem(`${file} was not added: ${problem}`, { fix: "correct it, then add it again" });
}

async function withImports(
  file: string,
  text: string,
  folder: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const name = basename(file);
  const [imported] = foreignImports(text);
  if (imported === undefined) return { name, text };
  const bundler = await findBundler(folder);
  if (bundler === undefined)
    throw installProblem(`${file} imports ${imported}, which needs a bundler`, { fix: INSTALL_BUNDLER });
  try {
    const bundled = await bundleImports(bundler, file);
    return {
      name: `${name.slice(0, -extension(name).length)}.js`,
      text: `// Made by amplihack hooks add from ${file} and what it imports.\n${bundled}`,
    };
  } catch (error) {
    throw installProblem(`${file} cannot be bundled: ${bundleProblem(error)}`);
  }
}

/** Takes a hook out, by its name or that of its file. The source is kept beside, never deleted. */
export async function removeHook(
  system: System,
  places: HookPlaces,
  name: string,
): Promise<{ readonly path: string; readonly keptAs: string | undefined }> {
  const { manifest } = await buildHooks(system, places);
  const file = manifest.files.find(
    ({ source, hooks }) => basename(source) === basename(name) || hooks.some(hook => hook.name === name),
  );
  if (file === undefined) throw installProblem(`there is no hook '${name}'; amplihack hooks list shows all`);
  if (file.project !== undefined) {
    new TrustedHooks(system, places.stateHome).remove(file.source);
    await buildHooks(system, places);
    return { path: file.source, keptAs: undefined };
  }
  const folder = join(userHooksFolder(places.stateHome), ".removed");
  system.files.makeDirectory(folder, 0o700);
  const keptAs = join(folder, `${basename(file.source)}.${Math.round(system.clock.nowMs())}`);
  system.files.rename(file.source, keptAs);
  await buildHooks(system, places);
  return { path: file.source, keptAs };
}

/** What of this project is not trusted now; nothing of it is loaded to find out. */
export async function findUntrusted(system: System, places: HookPlaces): Promise<readonly RefusedSource[]> {
  const { refused, manifest } = await buildHooks(system, places);
  const { projectRoot, stateHome } = places;
  const foreign = findImpostors(system, projectRoot, stateHome, HOST_LIST.flatMap(ownNames)).map(
    ({ path, sha256, isChanged }): RefusedSource => ({
      path,
      sha256,
      state: isChanged ? "changed" : "untrusted",
      packageName: undefined,
      actions: ["agents take this text for one of amplihack's"],
    }),
  );
  return [...refused, ...unagreedScripts(system, places, manifest), ...foreign];
}

/** Scripts of this project that hooks would run and that are not trusted yet. */
function unagreedScripts(
  system: System,
  { projectRoot, stateHome }: HookPlaces,
  { handlers }: Manifest,
): readonly RefusedSource[] {
  const place = { cwd: system.files.workingDirectory() ?? projectRoot, projectRoot };
  const found = new Map<string, RefusedSource>();
  for (const handler of handlers) {
    if (handler.project !== undefined && handler.project !== projectRoot) continue;
    for (const { path, isChanged } of findUnagreedScripts(system, stateHome, handler, place)) {
      const all = withAllItRuns(system, path, place);
      const others = all.paths.filter(one => one !== path).map(one => `with ${one}`);
      const actions = [`is run by ${handler.id} of ${handler.path}`, ...others];
      const state = isChanged ? "changed" : "untrusted";
      found.set(path, { path, state, ...all, packageName: undefined, actions });
    }
  }
  return [...found.values()];
}

/** Trusts files by path and content, as they were when they were shown. */
export async function trustHooks(
  system: System,
  places: HookPlaces,
  sources: readonly RefusedSource[],
): Promise<BuildReport> {
  const trusted = new TrustedHooks(system, places.stateHome);
  for (const { path, sha256, packageName, paths } of sources)
    trusted.add(packageName === undefined ? path : `package:${packageName}`, sha256, paths);
  return buildHooks(system, places);
}

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
    throw installProblem(`${path} is not an object in JSON with comments; repair it first`);
  const imports = stringsAt(read.value, "import");
  if (imports.includes(name) && isThere) return path;
  const member = findMember(opened.root, "import");
  const value = [...imports, name];
  const changed =
    member === undefined
      ? insertMember(text, opened.root, "import", value)
      : replaceNode(text, member, JSON.stringify(value));
  writeAtomically(system, path, system.text.encode(changed), { mode: 0o600, keepsNames: true });
  return path;
}
