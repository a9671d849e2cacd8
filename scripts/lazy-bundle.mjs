// Joins ES modules into one script in which a module is evaluated when something of it is first used. A cold start
// pays for every table that is made and every function that is made known to the engine, and a run needs few of
// them. The names that a module gives away become variables of the script: using one costs a test, not a look-up.
import { readFileSync } from "node:fs";
import { transform } from "esbuild";

// What esbuild makes of one ES module as CommonJS is regular text: helpers, getters for the exports, a line for each
// import, and a body in which imported names stand as `import_x.name`. Anything else ends the build.
const EXPORTS =
  /^[\s\S]*?var stdin_exports = \{\};\n(?:__export\(stdin_exports, \{\n([\s\S]*?)\n\}\);\n)?module\.exports = __toCommonJS\(stdin_exports\);\n/;
const EXPORTED = /^ {2}([\w$]+): \(\) => ([\w$.]+),?$/;
const ANNOTATION = /\/\/ Annotate the CommonJS export names for ESM import in node:\n[\s\S]*$/;
const RE_EXPORT = /^__reExport\(stdin_exports, require\("(.*)"\), module\.exports\);\n/gm;
const IMPORT = /^var ([\w$]+) = (?:__toESM\()?require\("(.*)"\)\)?;\n/gm;
const FUNCTION = /^(?:async )?function\*? ([\w$]+)\(/gm;
const LAZY_IMPORT = /\bimport\("([^"]+)"\)/g;
const UNFORESEEN =
  /^(?:require\(|.*\bstdin_exports\b|.*\b__(?:export|toESM|reExport|publicField|using)\b).*$/m;

const isBuiltin = path => path.startsWith("node:");

/**
 * Reads modules, each once. `inputs` are those of the metafile of a bundle of all of them: they say where imports
 * lead. `generated` holds the text of modules that are no files.
 */
export function createReader(inputs, options, generated = new Map()) {
  const known = new Map();

  function targetOf(path, specifier) {
    const found = inputs[path]?.imports.find(one => one.original === specifier || one.path === specifier);
    if (found === undefined) throw new Error(`${path}: nobody knows where "${specifier}" leads`);
    return found.path;
  }

  async function read(path) {
    const source = generated.get(path) ?? readFileSync(path, "utf8");
    const loader = path.endsWith(".js") ? "js" : "ts";
    const { code } = await transform(source, { ...options, loader, format: "cjs" });
    const exports = new Map();
    const imports = new Map();
    const namespaces = new Map();
    const stars = [];
    const head = EXPORTS.exec(code);
    for (const line of head?.[1]?.split("\n") ?? []) {
      const [, name, expression] = EXPORTED.exec(line) ?? [];
      if (name === undefined) throw new Error(`${path}: cannot read the export "${line}"`);
      exports.set(name, expression);
    }
    const body = code
      .slice(head?.[0].length ?? 0)
      .replace(ANNOTATION, "")
      .replace(/^"use strict";\n/, "")
      .replace(RE_EXPORT, (_, specifier) => {
        stars.push(targetOf(path, specifier));
        return "";
      })
      .replace(IMPORT, (_, name, specifier) => {
        // Only `import * as name` keeps a name from the source; esbuild makes up all others.
        const isWhole = !name.startsWith("import_");
        if (!isWhole && source.includes(name))
          throw new Error(`${path}: "${name}" in its text would be taken for an import`);
        (isWhole ? namespaces : imports).set(name, targetOf(path, specifier));
        return "";
      });
    const unforeseen = UNFORESEEN.exec(body);
    if (unforeseen !== null) throw new Error(`${path}: cannot be joined lazily: ${unforeseen[0]}`);
    const functions = new Set([...body.matchAll(FUNCTION)].map(([, name]) => name));
    const lazy = new Map(
      [...body.matchAll(LAZY_IMPORT)].map(([, specifier]) => [specifier, targetOf(path, specifier)]),
    );
    return { path, exports, imports, namespaces, stars, body, functions, lazy };
  }

  return path => {
    if (!known.has(path)) known.set(path, read(path));
    return known.get(path);
  };
}

/** Every module that `entry` can reach without a lazy import. */
export async function collectModules(entry, read) {
  const modules = new Map();
  const visit = async path => {
    if (isBuiltin(path) || modules.has(path)) return;
    modules.set(path, undefined);
    const module = await read(path);
    modules.set(path, module);
    const { stars, imports, namespaces } = module;
    await Promise.all([...stars, ...imports.values(), ...namespaces.values()].map(visit));
  };
  await visit(entry);
  return modules;
}

/**
 * The text of the script; its `module.exports` are those of `entry`. `loadLazy(target, use)` gives the expression
 * for `import(target)`; with `use(path, name)` it names what that expression needs from another module.
 */
export function joinModules(entry, modules, loadLazy) {
  const ids = new Map();
  const used = new Map();
  const forwarders = new Map();

  function idOf(path) {
    if (!ids.has(path)) ids.set(path, ids.size);
    return ids.get(path);
  }

  /** Where a name that a module gives away is defined, through all modules that only pass it on. */
  function definitionOf(path, name, seen = new Set()) {
    if (isBuiltin(path)) return { path, name };
    if (seen.has(path)) return undefined;
    seen.add(path);
    const { exports, imports, stars } = modules.get(path);
    const [object, member] = exports.get(name)?.split(".") ?? [];
    if (member !== undefined) return definitionOf(imports.get(object), member);
    if (object !== undefined) return { path, name };
    for (const star of stars) {
      const found = definitionOf(star, name, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function find(importer, path, name) {
    const found = definitionOf(path, name);
    if (found === undefined) throw new Error(`${importer}: ${path} has no "${name}"`);
    const id = idOf(found.path);
    if (isBuiltin(found.path)) return { text: `(is${id} || use${id}()).${name}`, isMember: true };
    const { exports, functions } = modules.get(found.path);
    const local = exports.get(found.name);
    if (!used.has(found.path)) used.set(found.path, new Map());
    used.get(found.path).set(found.name, local);
    const variable = `of${id}_${found.name}`;
    return { text: `(is${id} || use${id}(), ${variable})`, variable, isFunction: functions.has(local) };
  }

  /** In a table one function stands for another everywhere, so that the other's module need not be evaluated. */
  function forward({ text, variable }) {
    const name = `to_${variable}`;
    forwarders.set(name, `function ${name}(...given) { return ${text}(...given); }`);
    return name;
  }

  /** The exports of a module as an object. */
  function wholeOf(path) {
    const names = [...modules.get(path).exports.keys()];
    return `{ ${names.map(name => `get ${name}() { return ${find(path, path, name).text}; }`).join(", ")} }`;
  }

  function join({ path, body, imports, namespaces, lazy }) {
    let joined = body;
    for (const [name, target] of imports) {
      const use = new RegExp(`\\(0, ${name}\\.([\\w$]+)\\)(?=[(\`])|\\b${name}\\b(?:\\.([\\w$]+))?`, "g");
      joined = joined.replace(use, (_, called, mentioned) => {
        if (called === undefined && mentioned === undefined)
          throw new Error(`${path}: ${target} is imported as a whole, which cannot be joined lazily`);
        const value = find(path, target, called ?? mentioned);
        if (called === undefined) return value.isFunction ? forward(value) : value.text;
        return value.isMember ? `(0, ${value.text})` : value.text;
      });
    }
    joined = joined.replace(LAZY_IMPORT, (_, specifier) =>
      loadLazy(lazy.get(specifier), (from, name) => find(path, from, name).text),
    );
    const wholes = [...namespaces].map(([name, target]) => `const ${name} = ${wholeOf(target)};\n`);
    return wholes.join("") + joined;
  }

  const given = wholeOf(entry);
  const bodies = new Map();
  // Joining a body can name modules for the first time, and the map grows while it is walked.
  for (const path of ids.keys()) if (!isBuiltin(path)) bodies.set(path, join(modules.get(path)));

  const scripts = [...ids].map(([path, id]) => {
    if (isBuiltin(path))
      return `var is${id}; function use${id}() { return is${id} = require(${JSON.stringify(path)}); }`;
    const { functions } = modules.get(path);
    const names = [...(used.get(path) ?? [])];
    const assign = ([name, local]) => `of${id}_${name} = ${local};`;
    // Modules that need each other find the functions there at once, as they would in ES modules.
    return `var ${[`is${id} = false`, ...names.map(([name]) => `of${id}_${name}`)].join(", ")};
function use${id}() {
is${id} = true;
${names
  .filter(([, local]) => functions.has(local))
  .map(assign)
  .join("\n")}
${bodies.get(path)}
${names
  .filter(([, local]) => !functions.has(local))
  .map(assign)
  .join("\n")}
}`;
  });
  return ['"use strict";', ...scripts, ...forwarders.values(), `module.exports = ${given};`].join("\n");
}
