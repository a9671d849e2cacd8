// Two ways to keep the making of large tables out of a hook's cold start on Node. Elsewhere the same modules run as
// they are written.
import { relative, resolve } from "node:path";
import { build } from "esbuild";
import { loadSource } from "./load-source.mjs";
import { pastDoors } from "./past-doors.mjs";

/** Modules of plain data whose making costs time: a bundle holds what they export, or what it answers, instead. */
const CONSTANTS = [
  "protocol/event-table.ts",
  "hosts/registry-rows.ts",
  "hosts/protected-files.ts",
  "hosts/tool-names.ts",
  "programs/model/harmless-index.ts",
  "programs/model/program-index.ts",
];

/**
 * Folders and files that are taken out of a bundle. With `file` they become a file of their own with compiled code
 * beside it, else a function inside the bundle; either is called when one of the functions that others import from
 * there is, and until then V8 keeps nothing of it.
 */
const DEFERRED = [
  {
    inside: ["src/code/"],
    file: "lazy-code",
    modules: [
      "src/code/read-code.ts",
      "src/code/languages/mongo.ts",
      "src/code/languages/redis.ts",
      "src/code/languages/sql.ts",
    ],
  },
  {
    // Only who has a hook with an "if" rule needs the parser before the guard is loaded, which brings its own along.
    inside: ["src/handlers/command-rule.ts", "src/shell/syntax/", "node_modules/unbash/"],
    file: "lazy-command-rule",
    modules: ["src/handlers/command-rule.ts"],
  },
  {
    inside: ["src/text/redact.ts"],
    modules: ["src/text/redact.ts"],
  },
  {
    inside: ["src/config/accept.ts", "src/config/sections.ts"],
    modules: ["src/config/accept.ts"],
  },
];

/**
 * @param {(name: string, text: string) => void} writeBundle takes the bundles that stand beside the one being made
 * @returns {import("esbuild").Plugin}
 */
export function leanModules(writeBundle) {
  return replacedModules(
    new Map([
      ...constantSources(CONSTANTS),
      ...DEFERRED.flatMap(group => [
        [groupName(group), () => groupSource(group, writeBundle)],
        ...group.modules.map(path => [resolve(path), () => deferredSource(group, path)]),
      ]),
    ]),
  );
}

/**
 * For modules, in which nothing can be required later: only the tables, but for the one that is smaller as it is written.
 * @returns {import("esbuild").Plugin}
 */
export const readyTables = () =>
  replacedModules(new Map(constantSources(CONSTANTS.filter(path => path !== "protocol/event-table.ts"))));

const constantSources = paths => paths.map(path => [resolve("src", path), () => constantSource(path)]);

function replacedModules(sources) {
  const namespace = "lean-module";
  return {
    name: namespace,
    setup(builder) {
      builder.onResolve({ filter: /^\.\/lazy-.*\.cjs$/ }, ({ path }) => ({ path, external: true }));
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

/**
 * Measuring text that is not ASCII needs tables of all emoji, which take half as long to make as Node to start.
 * @type {import("esbuild").Plugin}
 */
export const lateWidth = {
  name: "late-width",
  setup(builder) {
    const namespace = "late-width";
    builder.onResolve({ filter: /^string-width$/ }, ({ namespace: from, path }) =>
      from === namespace ? undefined : { path, namespace },
    );
    builder.onLoad({ filter: /.*/, namespace }, () => ({
      contents: `export default text =>
        /^[ -~]*$/.test(text) ? text.length : require("string-width").default(text);`,
      resolveDir: process.cwd(),
    }));
  },
};

/**
 * At each start jsonc-parser makes 1 200 texts of indentation, half of all that a command allocates before it does
 * anything. Without them it joins the same texts when it formats.
 * @type {import("esbuild").Plugin}
 */
export const lateIndentation = {
  name: "late-indentation",
  setup(builder) {
    builder.onLoad({ filter: /jsonc-parser\/lib\/esm\/impl\/string-intern\.js$/ }, () => ({
      contents: `export const cachedSpaces = Array.from({ length: 20 }, (_, index) => " ".repeat(index));
        export const cachedBreakLinesWithSpaces = {};
        export const supportedEols = [];`,
    }));
  },
};

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

/** Functions load the group when they are called; what else a module exports stands in the bundle. */
async function deferredSource(group, path) {
  const exported = await loadSource({ [relative("src", path)]: ["*"] });
  return Object.entries(exported)
    .map(([name, value]) =>
      typeof value === "function"
        ? `export const ${name} = (...words) => require("${groupName(group)}").${name}(...words);`
        : `export const ${name} = ${literal(value)};`,
    )
    .join("\n");
}

/** What stands for a group in the bundle; its imports from outside are the bundle's own modules. */
async function groupSource(group, writeBundle) {
  const { text, outside } = await bundleGroup(group);
  if (group.file === undefined) return text;
  writeBundle(
    group.file,
    `exports.link = require => { const module = { exports: {} };\n${text}\nreturn module.exports; };`,
  );
  const modules = outside.map(path => `${JSON.stringify(path)}: () => require(${JSON.stringify(path)})`);
  return `const outside = {${modules}};
module.exports = require("./${group.file}.cjs").link(path => outside[path]());`;
}

/** CommonJS, and the paths that it requires. */
async function bundleGroup({ inside, modules }) {
  const outside = new Set();
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map(path => `export * from "./${path}";`).join("\n"),
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: "cjs",
    target: "node20.19",
    plugins: [
      pastDoors,
      {
        name: "outside",
        setup(builder) {
          builder.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
            const file = resolve(resolveDir, path);
            if (inside.some(place => file.startsWith(resolve(place)))) return undefined;
            const short = `./${relative(process.cwd(), file)}`;
            outside.add(short);
            return { path: short, external: true };
          });
        },
      },
    ],
  });
  return { text: outputFiles[0].text, outside: [...outside] };
}
