// Two ways to keep the making of large tables out of a hook's cold start on Node. Elsewhere the same modules run as
// they are written.
import { resolve } from "node:path";
import { loadSource } from "./load-source.mjs";

/** Modules of plain data whose making needs much else: a bundle holds what they export instead. */
const CONSTANTS = ["hosts/protected-files.ts"];

/** Modules that are evaluated, with all that only they import, when one of these functions is first called. */
const DEFERRED = {
  "code/read-code.ts": ["readCode"],
  "code/languages/mongo.ts": ["readMongo"],
  "code/languages/redis.ts": ["readRedis"],
  "code/languages/sql/statements.ts": ["dialectOf", "readSql"],
};

/** @returns {import("esbuild").Plugin} */
export function leanModules() {
  const sources = new Map([
    ...CONSTANTS.map(path => [resolve("src", path), () => constantSource(path)]),
    ...Object.entries(DEFERRED).map(([path, names]) => {
      const file = resolve("src", path);
      return [file, () => deferredSource(file, names)];
    }),
  ]);
  const namespace = "lean-module";
  return {
    name: namespace,
    setup(builder) {
      builder.onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        return kind === "import-statement" && sources.has(file) ? { path: file, namespace } : undefined;
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

/** Plain data and regular expressions as source text. */
function literal(value) {
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return `[${value.map(literal)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${literal(each)}`)}}`;
}

function deferredSource(file, names) {
  const functions = names.map(name => `export const ${name} = (...words) => load().${name}(...words);`);
  return [
    "let loaded;",
    `const load = () => (loaded ??= require(${JSON.stringify(file)}));`,
    ...functions,
  ].join("\n");
}
