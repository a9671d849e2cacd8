import { isSourceName } from "../../hooks/index.ts";
import { basename, extension, join, type System, writeAtomically } from "../../system/index.ts";
import { readFile } from "../file-edit.ts";
import { installProblem, usageProblem } from "../problem.ts";
import { type BuildReport, buildHooks, type RefusedSource } from "./build.ts";
import { bundleImports, bundleProblem, findBundler } from "./bundle.ts";
import { type HookPlaces, projectHooksFolder, userHooksFolder } from "./sources.ts";
import { hookTemplate, writeEditorFiles } from "./template.ts";
import { TrustedHooks } from "./trust.ts";
import { foreignImports, INSTALL_BUNDLER } from "./without-bundler.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Writes a commented hook with what an editor needs, and builds it. */
export async function newHook(
  system: System,
  places: HookPlaces,
  name: string,
  isProject: boolean,
): Promise<{ readonly path: string; readonly report: BuildReport }> {
  const plain = name.replace(/\.ts$/, "");
  if (!NAME.test(plain))
    throw usageProblem(`'${name}' is no name: letters, digits, ".", "_" and "-" make one`);
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
    throw usageProblem(`${file} is no hook: TypeScript or JavaScript is expected, not '${extension(file)}'`);
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
  return { path, report: await buildHooks(system, places) };
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
    throw installProblem(`${file} imports ${imported}, which takes a bundler`, { fix: INSTALL_BUNDLER });
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
  return (await buildHooks(system, places)).refused;
}

/** Trusts files by path and content, as they were when they were shown. */
export async function trustHooks(
  system: System,
  places: HookPlaces,
  sources: readonly RefusedSource[],
): Promise<BuildReport> {
  const trusted = new TrustedHooks(system, places.stateHome);
  for (const { path, sha256, packageName } of sources)
    trusted.add(packageName === undefined ? path : `package:${packageName}`, sha256);
  return buildHooks(system, places);
}
