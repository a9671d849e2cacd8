// Two ways to keep the making of large tables out of a hook's cold start on Node. Elsewhere the same modules run as
// they are written.
import { relative, resolve } from "node:path";
import { build } from "esbuild";
import { loadSource } from "./load-source.mjs";

/** Modules of plain data whose making needs much else: a bundle holds what they export, or what it answers, instead. */
const CONSTANTS = ["hosts/protected-files.ts", "programs/program-index.ts"];

/**
 * A folder that becomes one function inside the bundle, called when one of these functions is: until then V8 neither
 * compiles nor keeps anything of it.
 */
const DEFERRED_FOLDER = resolve("src/code");
const DEFERRED = {
  "read-code.ts": ["readCode"],
  "languages/mongo.ts": ["readMongo"],
  "languages/redis.ts": ["readRedis"],
  "languages/sql/statements.ts": ["dialectOf", "readSql"],
};
const FOLDER_MODULE = "deferred-folder";

/** @returns {import("esbuild").Plugin} */
export function leanModules() {
  const namespace = "lean-module";
  const sources = new Map([
    [FOLDER_MODULE, bundleFolder],
    ...CONSTANTS.map(path => [resolve("src", path), () => constantSource(path)]),
    ...Object.entries(DEFERRED).map(([path, names]) => [
      resolve(DEFERRED_FOLDER, path),
      () => deferredSource(names),
    ]),
  ]);
  return {
    name: namespace,
    setup(builder) {
      builder.onResolve({ filter: /\.ts$|^deferred-folder$/ }, ({ path, resolveDir, kind }) => {
        const file = path === FOLDER_MODULE ? path : resolve(resolveDir, path);
        return kind !== "entry-point" && sources.has(file) ? { path: file, namespace } : undefined;
      });
      builder.onLoad({ filter: /.*/, namespace }, async ({ path }) => ({
        contents: await sources.get(path)(),
        resolveDir: process.cwd(),
      }));
    },
  };
}

async function constantSource(path) {
  const exported = await loadSource({ [path]: ["*"] });
  return Object.entries(exported)
    .map(([name, value]) => `export const ${name} = ${literal(value)};`)
    .join("\n");
}

/** Plain data, regular expressions, and functions without parameters that give such, as source text. */
function literal(value) {
  if (typeof value === "function") return `() => (${literal(value())})`;
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return `[${value.map(literal)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${literal(each)}`)}}`;
}

function deferredSource(names) {
  return names
    .map(name => `export const ${name} = (...words) => require("${FOLDER_MODULE}").${name}(...words);`)
    .join("\n");
}

/** CommonJS, which esbuild puts into a function; what it imports from other folders is the bundle's own. */
async function bundleFolder() {
  const { outputFiles } = await build({
    stdin: {
      contents: Object.entries(DEFERRED)
        .map(([path, names]) => `export { ${names} } from "./${path}";`)
        .join("\n"),
      resolveDir: DEFERRED_FOLDER,
    },
    bundle: true,
    write: false,
    format: "cjs",
    target: "node20.19",
    plugins: [
      {
        name: "other-folders",
        setup(builder) {
          builder.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
            const file = resolve(resolveDir, path);
            return relative(DEFERRED_FOLDER, file).startsWith("..")
              ? { path: file, external: true }
              : undefined;
          });
        },
      },
    ],
  });
  return outputFiles[0].text;
}
