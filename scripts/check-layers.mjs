// The architecture, as a lint: a folder imports only from folders above it in the list, and portable folders
// use nothing but the language and `system/`. Run with a directory to check another tree (the tests do).
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

export const LAYERS = [
  "text",
  "protocol",
  "system",
  "state",
  "config",
  "hosts",
  "shell",
  "code",
  "programs",
  "workspace",
  "guard",
  "history",
  "sandbox",
  "transcripts",
  "handlers",
  "hooks",
  "engine",
  "postgres",
  "memory",
  "recipes",
  "launcher",
  "install",
  "verify",
  "ship",
  "cli",
  "dashboard",
  "server",
  "mcp",
  "demo",
  "commands",
  "exports",
  "bin",
];
const PORTABLE = new Set([
  "text",
  "protocol",
  "state",
  "config",
  "hosts",
  "shell",
  "code",
  "programs",
  "workspace",
  "guard",
  "history",
  "transcripts",
  "handlers",
  "hooks",
]);
/** Packages that also run inside the native executable, and where they may be used. */
const PORTABLE_PACKAGES = {
  unbash: ["shell"],
  "jsonc-parser": ["config", "hosts", "hooks"],
  yaml: ["hooks"],
};
/**
 * A room is entered through its `index.ts`. What must stay lazy or lean gets a door of its own here, at most three a
 * room, each with its reason.
 */
const DOORS = {
  "system/node.ts": "the adapter for Node; portable folders must not see it",
  "system/memory.ts": "the machine in memory, for tests of hooks",
  "system/quickjs.ts": "the adapter inside the native executable",
  "install/user-hooks/index.ts": "the program that runs users' hooks starts for single calls",
  "engine/public.ts": "what the package exports of the engine, each name once",
  "cli/program.ts": "the executable loads it as a file of its own, beside the command's",
};
const MAX_EXTRA_DOORS = 3;
const NOT_IN_THE_LANGUAGE = [
  "Buffer",
  "process",
  "TextDecoder",
  "TextEncoder",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "console",
  "fetch",
  "require",
  "AbortController",
  "AbortSignal",
  "URL",
  "performance",
  "structuredClone",
  "Intl",
];

/** Inside these folders the same holds for their own sub-folders; files directly in the folder stand above them. */
const SUBFOLDERS = {
  shell: ["syntax", "state", "words", "walk", "builtins"],
  code: ["syntax", "meaning", "languages"],
  guard: ["git", "rules", "injection"],
};

/** @param {string} root folder that holds the layers */
export function checkLayers(root) {
  const files = sourceFiles(root);
  return [...files.flatMap(file => checkFile(root, file)), ...findCycles(root, files), ...checkDoors(root)];
}

/** A door says what its room knows, promises and never does; and a room has few. */
function checkDoors(root) {
  return LAYERS.flatMap(room => {
    const door = `${room}/index.ts`;
    const isBare = existsSync(join(root, door)) && !readFileSync(join(root, door), "utf8").startsWith("/**");
    const extra = Object.keys(DOORS).filter(path => path.startsWith(`${room}/`)).length;
    return [
      ...(isBare
        ? [`${door}: begins without the paragraph on what the folder knows, promises and never does`]
        : []),
      ...(extra > MAX_EXTRA_DOORS
        ? [`"${room}" has ${extra} doors beside its index.ts; at most ${MAX_EXTRA_DOORS}`]
        : []),
    ];
  });
}

/** Files that import each other, types included: none of them can be read, tested or moved without the rest. */
function findCycles(root, files) {
  const targets = new Map(files.map(file => [file, targetsOf(file)]));
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const cycles = [];
  const visit = file => {
    order.set(file, order.size);
    lowest.set(file, order.get(file));
    open.push(file);
    for (const target of targets.get(file)) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file), lowest.get(target)));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const members = open.splice(open.indexOf(file));
    if (members.length > 1) cycles.push(members);
  };
  for (const file of files) if (!order.has(file)) visit(file);
  const name = file => relative(root, file).split(sep).join("/");
  return cycles.map(
    members => `import cycle of ${members.length} files: ${members.map(name).sort().join(", ")}`,
  );
}

function targetsOf(file) {
  return importsOf(blankOutTemplates(readFileSync(file, "utf8")))
    .filter(({ specifier, isLazy }) => specifier.startsWith(".") && !isLazy)
    .map(({ specifier }) => resolve(dirname(file), specifier));
}

function sourceFiles(folder) {
  return readdirSync(folder)
    .map(name => join(folder, name))
    .flatMap(path => (statSync(path).isDirectory() ? sourceFiles(path) : path.endsWith(".ts") ? [path] : []));
}

function checkFile(root, file) {
  const name = relative(root, file).split(sep).join("/");
  const layer = name.includes("/") ? name.slice(0, name.indexOf("/")) : undefined;
  if (layer === undefined) return [];
  const text = readFileSync(file, "utf8");
  const complain = (index, message) => `${name}:${text.slice(0, index).split("\n").length}: ${message}`;
  if (!LAYERS.includes(layer)) {
    return [`${name}: folder "${layer}" is not in the list of layers (design: one folder, one layer)`];
  }
  const problems = [];
  for (const { specifier, index } of importsOf(blankOutTemplates(text))) {
    const problem = specifier.startsWith(".")
      ? checkFolder(root, file, layer, specifier)
      : checkPackage(layer, specifier);
    if (problem !== undefined) problems.push(complain(index, problem));
  }
  if (PORTABLE.has(layer)) {
    const code = blankOutText(text);
    for (const global of NOT_IN_THE_LANGUAGE) {
      const found = new RegExp(`(?<![.\\w$])${global}\\b(?!\\s*[:?(]?:)(?=\\s*[.(\\[])`).exec(code);
      if (found !== null) {
        problems.push(
          complain(
            found.index,
            `"${global}" is not ECMAScript; portable folder "${layer}" reaches the outside only through system/`,
          ),
        );
      }
    }
  }
  return problems;
}

/** Static imports stand at the start of a line, as the formatter leaves them; lazy ones stand anywhere in code. */
function importsOf(text) {
  const code = text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, found => found.replace(/[^\n]/g, " "));
  const pattern =
    /^(?:import|export)\b[^"';]*?\bfrom\s*(["'])([^"'\n]+)\1|^import\s*(["'])([^"'\n]+)\3|(?<!["'`\w.])import\(\s*(["'])([^"'\n]+)\5/gm;
  return [...code.matchAll(pattern)].map(match => ({
    specifier: match[2] ?? match[4] ?? match[6],
    index: match.index,
    isLazy: match[6] !== undefined,
  }));
}

function checkFolder(root, file, layer, specifier) {
  const target = relative(root, resolve(dirname(file), specifier))
    .split(sep)
    .join("/");
  if (!target.includes("/")) return undefined;
  const other = target.slice(0, target.indexOf("/"));
  if (other === layer) return checkSubfolder(root, file, layer, target);
  if (!LAYERS.includes(other)) return `imports ${target}, which is in no known layer`;
  if (LAYERS.indexOf(other) > LAYERS.indexOf(layer)) {
    return `"${layer}" may not import from "${other}" (${target}): imports point only to folders above, ${LAYERS.slice(0, LAYERS.indexOf(layer)).join(" < ")}`;
  }
  if (target === `${other}/index.ts`) return undefined;
  if (!Object.hasOwn(DOORS, target))
    return `imports ${target} past the door of "${other}": other folders import ${other}/index.ts only`;
  if (PORTABLE.has(layer) && other === "system")
    return `portable folder "${layer}" may import the interface of system/ only, not the adapter ${target}`;
  return undefined;
}

function checkSubfolder(root, file, layer, target) {
  const order = SUBFOLDERS[layer];
  const [, from, ...rest] = relative(root, file).split(sep);
  const [, to, ...restOfTarget] = target.split("/");
  if (order === undefined || rest.length === 0 || restOfTarget.length === 0 || from === to) return undefined;
  for (const name of [from, to])
    if (!order.includes(name)) return `"${layer}/${name}" is not in the list of sub-folders of "${layer}"`;
  if (order.indexOf(to) < order.indexOf(from)) return undefined;
  return `"${layer}/${from}" may not import from "${layer}/${to}" (${target}): the order is ${order.join(" < ")}`;
}

function checkPackage(layer, specifier) {
  if (!PORTABLE.has(layer)) return undefined;
  const name = specifier.startsWith("@")
    ? specifier.split("/").slice(0, 2).join("/")
    : specifier.split("/")[0];
  if (PORTABLE_PACKAGES[name]?.includes(layer)) return undefined;
  return `portable folder "${layer}" may not import "${specifier}": it must run inside the native executable, so use the language and system/ only`;
}

/** Strings, templates and comments replaced by blanks, so that words in them are not taken for code. */
function blankOutText(text) {
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
  return blankOutTemplates(text).replace(pattern, found => found.replace(/[^\n]/g, " "));
}

/** Only what stands in `${}` is code; the rest may be the text of a program written for somebody else. */
function blankOutTemplates(text) {
  const pattern =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|\$\{[^}]*\}|[^`\\])*`/g;
  return text.replace(pattern, found =>
    found.startsWith("`")
      ? found.replace(/\$\{[^}]*\}|[^\n]/g, piece => (piece.length > 1 ? piece : " "))
      : found,
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = resolve(process.argv[2] ?? "src");
  const problems = checkLayers(root);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(
      `\n${problems.length} import problem(s). The order of folders is in docs/maintainers/architecture.md.`,
    );
    process.exit(1);
  }
  console.log(`Layers: ${sourceFiles(root).length} files keep to the order.`);
}
