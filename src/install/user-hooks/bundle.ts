import { builtinModules, createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import type * as Esbuild from "esbuild";
import { CODE_CLOSING, CODE_OPENING } from "../../hooks/index.ts";
import { errorText } from "../../protocol/index.ts";
import { authoringFile } from "./authoring-file.ts";

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
