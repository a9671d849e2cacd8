// Two ways to keep the making of large tables out of a hook's cold start on Node. Elsewhere the same modules run as
// they are written.
import { resolve } from "node:path";
import { build } from "esbuild";
import { loadSource } from "./load-source.mjs";

/** Modules of plain data whose making costs time: a bundle holds what they export, or what it answers, instead. */
const CONSTANTS = [
  "protocol/event-table.ts",
  "hosts/registry-rows.ts",
  "hosts/protected-files.ts",
  "programs/program-index.ts",
];

/**
 * Folders or files that become one function inside the bundle, called when one of the functions that others import
 * from it is: until then V8 neither compiles nor keeps anything of it.
 */
const DEFERRED = [
  {
    inside: ["src/code/"],
    modules: {
      "src/code/read-code.ts": ["readCode"],
      "src/code/languages/mongo.ts": ["readMongo"],
      "src/code/languages/redis.ts": ["readRedis"],
      "src/code/languages/sql/statements.ts": ["dialectOf", "readSql"],
    },
  },
  { inside: ["src/guard/redact.ts"], modules: { "src/guard/redact.ts": ["redact", "redactOpening"] } },
  {
    inside: ["src/config/accept.ts", "src/config/sections.ts"],
    modules: { "src/config/accept.ts": ["acceptConfig"] },
  },
];

/** @returns {import("esbuild").Plugin} */
export function leanModules() {
  const namespace = "lean-module";
  const sources = new Map([
    ...CONSTANTS.map(path => [resolve("src", path), () => constantSource(path)]),
    ...DEFERRED.flatMap(group => [
      [groupName(group), () => bundleGroup(group)],
      ...Object.entries(group.modules).map(([path, names]) => [
        resolve(path),
        () => deferredSource(group, names),
      ]),
    ]),
  ]);
  return {
    name: namespace,
    setup(builder) {
      builder.onResolve({ filter: /\.ts$|^deferred:/ }, ({ kind, path, resolveDir }) => {
        const file = path.startsWith("deferred:") ? path : resolve(resolveDir, path);
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

const groupName = ({ inside }) => `deferred:${inside[0]}`;

function deferredSource(group, names) {
  return names
    .map(name => `export const ${name} = (...words) => require("${groupName(group)}").${name}(...words);`)
    .join("\n");
}

/** CommonJS, which esbuild puts into a function; what lies outside is the bundle's own. */
async function bundleGroup({ inside, modules }) {
  const { outputFiles } = await build({
    stdin: {
      contents: Object.entries(modules)
        .map(([path, names]) => `export { ${names} } from "./${path}";`)
        .join("\n"),
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: "cjs",
    target: "node20.19",
    plugins: [
      {
        name: "outside",
        setup(builder) {
          builder.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
            const file = resolve(resolveDir, path);
            const isInside = inside.some(place => file.startsWith(resolve(place)));
            return isInside ? undefined : { path: file, external: true };
          });
        },
      },
    ],
  });
  return outputFiles[0].text;
}
