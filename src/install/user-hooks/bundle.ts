import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Esbuild from "esbuild";
import {
  type BuiltFile,
  CODE_CLOSING,
  CODE_OPENING,
  describeExports,
  isUserHook,
  type SourceFile,
  type UserHook,
} from "../../hooks/index.ts";
import { errorText } from "../../protocol/index.ts";
import { dirname, join, type System, writeAtomically } from "../../system/index.ts";
import { hashBytes, hashText } from "../file-edit.ts";
import { findRoot } from "../package.ts";
import { type Exports, loadCompiled } from "./compiled.ts";
import type { WantedSource } from "./sources.ts";

/** The file behind `amplihack/hooks` in users' hooks: the built one, or the source in a checkout that runs from it. */
function authoringFile(): string {
  const here = fileURLToPath(import.meta.url);
  const root = findRoot(join(here, ".."));
  const isSource = here.endsWith(".ts");
  const built = join(root, "dist", "hooks", "user", "authoring.js");
  return isSource || !existsSync(built) ? join(root, "src", "hooks", "user", "authoring.ts") : built;
}

/** The same as declarations, for editors. */
export function authoringTypes(): string {
  return join(
    findRoot(join(fileURLToPath(import.meta.url), "..")),
    "dist",
    "types",
    "hooks",
    "user",
    "authoring.d.ts",
  );
}

/** A source with everything it imports, as one file. */
export interface Compiled {
  readonly code: string;
  /** uses the language and what it is given, nothing else */
  readonly isPortable: boolean;
  /** the source and everything that it imports, absolute */
  readonly inputs: readonly string[];
}

/** Undefined when it is not installed: it is an optional dependency. */
export async function findBundler(folder: string): Promise<typeof Esbuild | undefined> {
  try {
    return await import("esbuild");
  } catch {
    try {
      return createRequire(`${folder}/package.json`)("esbuild") as typeof Esbuild;
    } catch {
      return undefined;
    }
  }
}

/** What a hook may use without being tied to Node: what the small engine of the native program has. */
const PORTABLE_GLOBALS = new Set(
  (
    "Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error " +
    "AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError JSON Math Reflect ArrayBuffer " +
    "Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array Uint8ClampedArray " +
    "BigUint64Array BigInt64Array DataView Map Set WeakMap WeakSet isFinite isNaN decodeURI decodeURIComponent encodeURI " +
    "encodeURIComponent escape unescape globalThis BigInt"
  ).split(" "),
);
const MARK = "__amplihack_not_portable_";
const MODULE_NAMES = ["require", "module", "exports", "__dirname", "__filename", "import.meta", "eval"];

/** The bundler replaces a name only where it means the global of that name, so what is left of these was really used. */
function markedGlobals(): Record<string, string> {
  const names = Object.getOwnPropertyNames(globalThis).filter(
    name => /^[A-Za-z_]\w*$/.test(name) && !PORTABLE_GLOBALS.has(name),
  );
  const marked = [...names, ...MODULE_NAMES.filter(name => name !== "module" && name !== "exports")];
  return Object.fromEntries(marked.map(name => [name, `${MARK}${name.replace(".", "_")}`]));
}

/** Only files that are imported say what a hook does: no settings beside them, in a project that anybody writes to. */
const BY_ITS_FILES = { tsconfigRaw: "{}", ignoreAnnotations: true } as const;

/** One source as one file: portable where it can be, a module for Node otherwise. Throws what the bundler says. */
export async function bundle(esbuild: typeof Esbuild, source: string): Promise<Compiled> {
  const common = {
    entryPoints: [source],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    mainFields: ["module", "main"],
    target: "es2022",
    charset: "utf8",
    logLevel: "silent",
    absWorkingDir: dirname(source),
    ...BY_ITS_FILES,
  } as const satisfies Esbuild.BuildOptions;
  const found = { usesNode: false };
  const probe = await tryToBundle(esbuild, {
    ...common,
    format: "cjs",
    define: markedGlobals(),
    plugins: [resolveOwn(found)],
  });
  const isPortable = !found.usesNode && probe !== undefined && !probe.outputFiles[0]?.text.includes(MARK);
  const result = await esbuild.build({
    ...common,
    format: "esm",
    ...(isPortable
      ? { minify: true, external: [OWN] }
      : { banner: { js: REQUIRE }, plugins: [resolveOwn(found)] }),
  });
  const text = result.outputFiles[0]?.text ?? "";
  const code = isPortable ? (asFunction(text) ?? (await asCommonJs(esbuild, common))) : text;
  const folder = dirname(authoringFile());
  const inputs = Object.keys(result.metafile.inputs).map(path => resolve(dirname(source), path));
  return {
    code,
    isPortable,
    inputs: [source, ...inputs.filter(path => path !== source && !path.startsWith(`${folder}/`))],
  };
}

const OWN = "amplihack/hooks";

/**
 * A bundled module as the expression of a function. The bundler writes one import at the beginning and one list of
 * exports at the end; undefined where it does not. An engine that parses a hook at every call is glad of every name less.
 */
function asFunction(module: string): string | undefined {
  const imported = /^import\{([^}]*)\}from"amplihack\/hooks";/.exec(module);
  const exported = /export\{([^}]*)\};?\s*$/.exec(module);
  if (imported === null || exported === null) return undefined;
  const body = module.slice(imported[0].length, exported.index);
  if (/\bimport\{[^}]*\}from"|\bimport\*as /.test(body)) return undefined;
  const names = (imported[1] ?? "").replaceAll(" as ", ":");
  const values = (exported[1] ?? "").split(",").map(pair => {
    const [own = "", name = own] = pair.split(" as ");
    return `${name}:${own}`;
  });
  return `${CODE_OPENING}var{${names}}=require("${OWN}");${body}module.exports={${values.join(",")}}${CODE_CLOSING}`;
}

async function asCommonJs(esbuild: typeof Esbuild, common: Esbuild.BuildOptions): Promise<string> {
  const { outputFiles } = await esbuild.build({
    ...common,
    write: false,
    format: "cjs",
    minify: true,
    external: [OWN],
    banner: { js: CODE_OPENING },
    footer: { js: CODE_CLOSING },
  });
  return outputFiles[0]?.text ?? "";
}

/** A source and what it imports as one readable module, which imports `amplihack/hooks` and Node alone. */
export async function bundleImports(esbuild: typeof Esbuild, source: string): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [source],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "es2022",
    charset: "utf8",
    logLevel: "silent",
    external: [OWN],
    ...BY_ITS_FILES,
  });
  return outputFiles[0]?.text ?? "";
}

/** The bundler's own words, with the place; its summary line says nothing. */
export function bundleProblem(error: unknown): string {
  const errors: unknown =
    typeof error === "object" && error !== null ? Reflect.get(error, "errors") : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return errorText(error);
  const [first] = errors as Esbuild.Message[];
  const place = first?.location;
  return `${first?.text}${place ? ` (line ${place.line})` : ""}`;
}

/** Packages that are written as CommonJS call a `require` that modules do not have. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`;

/** Undefined where the portable form is impossible, as with `await` outside of functions. */
async function tryToBundle<O extends Esbuild.BuildOptions>(
  esbuild: typeof Esbuild,
  options: Esbuild.SameShape<Esbuild.BuildOptions, O>,
): Promise<Esbuild.BuildResult<O> | undefined> {
  try {
    return await esbuild.build(options);
  } catch {
    return undefined;
  }
}

const BUILT_IN = new Set(builtinModules);

/** `amplihack/hooks` is our own small file, wherever the hook lies; what belongs to Node is left to Node. */
function resolveOwn(found: { usesNode: boolean }): Esbuild.Plugin {
  return {
    name: "amplihack-hooks",
    setup(builder) {
      builder.onResolve({ filter: /^amplihack\/hooks$/ }, () => ({
        path: authoringFile(),
        sideEffects: false,
      }));
      builder.onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path }) => {
        if (!path.startsWith("node:") && !BUILT_IN.has(path)) return undefined;
        found.usesNode = true;
        return { path, external: true };
      });
      // A module that is named only at run time cannot be part of one file.
      builder.onResolve({ filter: /.*/ }, ({ kind, path }) => {
        if (kind === "dynamic-import" && !path.startsWith(".")) found.usesNode = true;
        return undefined;
      });
    },
  };
}

export const INSTALL_BUNDLER = "npm install --prefix ~/.amplihack/hooks esbuild";

const IMPORT = /\bfrom\s*(["'])([^"'\n]+)\1|\bimport\s*\(?\s*(["'])([^"'\n]+)\3/g;

/**
 * One source without a bundler: JavaScript as it is, TypeScript where this Node can take the types out, imports of
 * `amplihack/hooks` and of Node alone. It runs on Node, never in the native program. Throws, saying what to install.
 */
export function compileAlone(source: string): Compiled {
  const text = readFileSync(source, "utf8");
  const isTyped = /\.[mc]?ts$/.test(extname(source));
  const code = isTyped ? withoutTypes(text, source) : text;
  const [foreign] = foreignImports(code);
  if (foreign !== undefined)
    throw new Error(`it imports "${foreign}", which needs a bundler: ${INSTALL_BUNDLER}`);
  const own = pathToFileURL(authoringFile()).href;
  return {
    code: code.replace(/(["'])amplihack\/hooks\1/g, JSON.stringify(own)),
    isPortable: false,
    inputs: [source],
  };
}

/** What a source imports besides `amplihack/hooks` and what is part of Node. */
export function foreignImports(code: string): readonly string[] {
  return [...code.matchAll(IMPORT)]
    .map(([, , first, , second]) => first ?? second ?? "")
    .filter(specifier => specifier !== "amplihack/hooks" && !specifier.startsWith("node:"));
}

function withoutTypes(text: string, source: string): string {
  const strip: unknown = Reflect.get(nodeModule, "stripTypeScriptTypes");
  if (typeof strip !== "function")
    throw new Error(
      `${source} is TypeScript, and this Node cannot take types out by itself: ${INSTALL_BUNDLER}`,
    );
  return String(strip(text));
}

/** Compiles a hook file and loads it here, for trying it out. */
export async function loadHookFile(
  path: string,
): Promise<{ readonly hooks: readonly UserHook[]; readonly exports: Exports }> {
  const bundler = await findBundler(dirname(path));
  const { code, isPortable } = bundler === undefined ? compileAlone(path) : await bundle(bundler, path);
  const folder = mkdtempSync(join(tmpdir(), "amplihack-hook-"));
  try {
    const file = join(folder, isPortable ? "hook.js" : "hook.mjs");
    writeFileSync(file, code);
    const exports = await loadCompiled(file);
    const known = describeExports(exports);
    const hooks = known.map(({ exportName }) => exports[exportName]).filter(isUserHook);
    if (hooks.length === 0) throw new Error("it exports no hook; export what defineHook returns");
    return { hooks, exports };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
    const before = readInputs(system, [path]);
    const compiled = bundler === undefined ? compileAlone(path) : await bundle(bundler, path);
    const inputs = readInputs(system, compiled.inputs);
    const sha256 = contentHash(system, compiled.inputs);
    if (before[0]?.sha256 !== inputs[0]?.sha256) throw new Error("it changed while it was built");
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
  const inputs = system.files.follow(path) === undefined ? [] : readInputs(system, [path]);
  const nothing = { inputs, sha256: "", isPortable: false, usesFacts: false };
  return { source: path, project, ...nothing, code: undefined, problem, hooks: known?.hooks ?? [] };
}

function readInputs(system: System, paths: readonly string[]): readonly SourceFile[] {
  return paths.map(path => sourceFile(system, path));
}

export function sourceFile({ files }: System, path: string): SourceFile {
  const facts = files.follow(path);
  if (facts === undefined) throw new Error(`${path} is gone`);
  const sha256 = hashBytes(files.read(path, MAX_SOURCE_BYTES));
  return { path, size: facts.size, modifiedMs: facts.modifiedMs, sha256 };
}

/** Of all files by path and content: what a person agrees to. */
export function contentHash({ files }: System, paths: readonly string[]): string {
  const lines = [...paths].sort().map(path => `${path}\0${hashBytes(files.read(path, MAX_SOURCE_BYTES))}\n`);
  return hashText(lines.join(""));
}
