import type * as Esbuild from "esbuild";
import type { BuiltFile, SourceFile } from "../../hooks/index.ts";
import { join, type System, writeAtomically } from "../../system/index.ts";
import { hashBytes, hashText } from "../hash.ts";
import { bundle, bundleProblem } from "./bundle.ts";
import type { WantedSource } from "./sources.ts";
import { compileAlone } from "./without-bundler.ts";

export interface SourceResult {
  readonly source: WantedSource;
  readonly built: BuiltFile;
  /** it was compiled now: which hooks are in it is not known yet */
  readonly isNew?: boolean;
}

const MAX_SOURCE_BYTES = 64 * 1024 * 1024;

/** Compiles one source into the build folder, under a name made of its content. Nothing of it is loaded. */
export async function compileSource(
  system: System,
  source: WantedSource,
  known: BuiltFile | undefined,
  bundler: typeof Esbuild | undefined,
  folder: string,
): Promise<SourceResult> {
  const { path, project } = source;
  try {
    const before = inputsOf(system, [path]);
    const compiled = bundler === undefined ? compileAlone(path) : await bundle(bundler, path);
    const inputs = inputsOf(system, compiled.inputs);
    const sha256 = contentHash(system, compiled.inputs);
    if (before[0]?.modifiedMs !== inputs[0]?.modifiedMs) throw new Error("it changed while it was built");
    const code = `${hashText(compiled.code).slice(0, 32)}.${compiled.isPortable ? "js" : "mjs"}`;
    const target = join(folder, code);
    if (system.files.follow(target) === undefined)
      writeAtomically(system, target, system.text.encode(compiled.code), { mode: 0o600 });
    const built: BuiltFile = {
      source: path,
      project,
      inputs,
      sha256,
      code,
      isPortable: compiled.isPortable,
      usesFacts: /\bfacts\b/.test(compiled.code),
      problem: undefined,
      hooks: known?.hooks ?? [],
    };
    return { source, built, isNew: true };
  } catch (error) {
    return { source, built: brokenFile(system, source, known, bundleProblem(error)) };
  }
}

/** The hooks of the last build stay known, so that their failure policies hold while the file is broken. */
function brokenFile(
  system: System,
  { path, project }: WantedSource,
  known: BuiltFile | undefined,
  problem: string,
): BuiltFile {
  const inputs = system.files.follow(path) === undefined ? [] : inputsOf(system, [path]);
  const nothing = { inputs, sha256: "", isPortable: false, usesFacts: false };
  return { source: path, project, ...nothing, code: undefined, problem, hooks: known?.hooks ?? [] };
}

function inputsOf(system: System, paths: readonly string[]): readonly SourceFile[] {
  return paths.map(path => {
    const facts = system.files.follow(path);
    if (facts === undefined) throw new Error(`${path} is gone`);
    return { path, size: facts.size, modifiedMs: facts.modifiedMs };
  });
}

/** Of all files by path and content: what a person agrees to. */
export function contentHash({ files }: System, paths: readonly string[]): string {
  const lines = [...paths].sort().map(path => `${path}\0${hashBytes(files.read(path, MAX_SOURCE_BYTES))}\n`);
  return hashText(lines.join(""));
}
