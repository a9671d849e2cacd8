import { hostOrDefault, ownNames } from "../../hosts/index.ts";
import { errorText, type HookInput } from "../../protocol/index.ts";
import { findHome, findProjectRoot, findStateHome } from "../../state/index.ts";
import { dirname, join, type System } from "../../system/index.ts";
import { build, hasChanged } from "./changed-sources.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { findImpostors } from "./own-names.ts";
import { followed, indexFile, listSources, NOT_BUILT } from "./wanted.ts";

/**
 * At the start of a session: builds anew when a hook of the user's was written, changed or taken away, and names what
 * of the project waits to be trusted. Where nobody has written a hook it costs a few looks for files. Never throws.
 */
export async function checkUserHooks(
  input: HookInput,
  system: System,
  /** how `amplihack` is started, where this program knows it */
  program: readonly string[] | undefined,
  deadlineMs: number,
): Promise<readonly string[]> {
  const stateHome = findStateHome(system);
  if (stateHome === undefined) return [];
  try {
    const manifest = readManifest(system, stateHome);
    const projectRoot = findProjectRoot(system, input.cwd);
    const own = listSources(system, join(stateHome, "hooks"));
    const isStale =
      manifest === undefined
        ? own.length > 0 || hasFile(system, join(stateHome, "hooks.jsonc"))
        : !hasFile(system, indexFile(stateHome)) || hasNews(manifest, own, system, stateHome);
    const builder = manifest?.builder ?? program;
    const notes: string[] = [];
    if (isStale && builder === undefined) notes.push(NOT_BUILT);
    else if (
      isStale &&
      !(await build({ builder: builder ?? [] }, system, deadlineMs - system.clock.monotonicMs()))
    )
      notes.push("your own hooks could not all be built; amplihack hooks build says why");
    const folders = [...new Set([stateHome, join(projectRoot, ".amplihack")])];
    return [
      ...notes,
      ...folders.flatMap(folder => unreadable(system, folder)),
      ...untrusted(system, projectRoot, stateHome),
      ...impostors(input, system, projectRoot, stateHome),
    ];
  } catch (error) {
    return [`your own hooks were not looked at: ${errorText(error)}`];
  }
}

function hasNews(manifest: Manifest, own: readonly string[], system: System, stateHome: string): boolean {
  const built = manifest.files.filter(({ project }) => project === undefined);
  const known = new Set(built.map(({ source }) => source));
  if (own.some(path => !known.has(path)) || built.some(file => hasChanged(file, system))) return true;
  const configured = join(stateHome, "hooks.jsonc");
  const { configurations } = manifest;
  const isNew = hasFile(system, configured) && !configurations.some(({ path }) => path === configured);
  return isNew || hasChanged({ inputs: configurations }, system);
}

function untrusted(system: System, projectRoot: string, stateHome: string): readonly string[] {
  const folder = join(projectRoot, ".amplihack");
  if (folder === stateHome || folder === join(findHome(system) ?? "/", ".amplihack")) return [];
  const waiting = [
    ...listSources(system, join(folder, "hooks")),
    ...(hasFile(system, join(folder, "hooks.jsonc")) ? [join(folder, "hooks.jsonc")] : []),
  ];
  if (waiting.length === 0) return [];
  const manifest = readManifest(system, stateHome);
  const trusted = new Set([
    ...(manifest?.files ?? []).filter(({ problem }) => problem === undefined).map(({ source }) => source),
    ...(manifest?.handlers ?? []).map(({ path }) => path),
  ]);
  const names = waiting
    .filter(path => !trusted.has(path))
    .map(path => path.slice(dirname(folder).length + 1));
  return names.length === 0
    ? []
    : [
        `hooks of this project do not run, because you have not trusted them: ${names.join(", ")}; look at them, then run amplihack hooks trust`,
      ];
}

/** Hosts load them by themselves: all that can be done is to say so, and not to send the model there. */
function impostors(
  { host }: HookInput,
  system: System,
  projectRoot: string,
  stateHome: string,
): readonly string[] {
  const found = findImpostors(system, projectRoot, stateHome, ownNames(hostOrDefault(host)));
  const names = found.map(({ path }) => path.slice(projectRoot.length + 1));
  return names.length === 0
    ? []
    : [
        `this project brings texts of its own under names of amplihack, which your agent may take for ours: ${names.join(", ")}; look at them, then remove them or run amplihack hooks trust`,
      ];
}

/** Something stands where hooks are written, and no hook can be read from it. */
function unreadable({ files }: System, folder: string): readonly string[] {
  const wanted = [
    ["hooks.jsonc", "file"],
    ["hooks", "directory"],
  ] as const;
  return wanted.flatMap(([name, kind]) => {
    const path = join(folder, name);
    if (files.inspect(path) === undefined || followed(files, path)?.kind === kind) return [];
    return [`${path} is not a ${kind === "file" ? "file" : "folder"}, so nothing new of it runs`];
  });
}

function hasFile({ files }: System, path: string): boolean {
  return followed(files, path)?.kind === "file";
}
