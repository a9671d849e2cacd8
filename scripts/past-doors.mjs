// esbuild cuts a bundle apart by what files import, not by what they use of it: whoever imports one name from the door of a
// folder would load all that the door names. While bundling, such an import leads to the file that declares the name.
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const USE = /^(import|export) \{([^}]*)\} from "(\.[^"]*\/index\.ts)";$/gm;
const EXPORT = /^export (type )?(?:\{([^}]*)\}|\*) from "(\.[^"]+)";$/gm;
const DECLARED = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm;
/** A door's own lines that load a file when it is needed; they stand in a module of their own. */
const LAZY = /^export const \w+ = \(\) => import\("[^"]+"\);$/gm;

/** @type {import("esbuild").Plugin} */
export const pastDoors = {
  name: "past-doors",
  setup(builder) {
    const doors = new Map();
    const doorOf = path => {
      if (!doors.has(path)) doors.set(path, readDoor(path));
      return doors.get(path);
    };
    builder.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path, suffix }) => {
      const text = readFileSync(path, "utf8");
      if (suffix === "?lazy") return { contents: text.match(LAZY).join("\n"), loader: "ts" };
      return {
        contents: text.replace(USE, (line, kind, names, door) => leadOn(line, kind, names, path, door)),
        loader: "ts",
      };
    });
    builder.onResolve({ filter: /\/index\.ts\?lazy$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.slice(0, -"?lazy".length)),
      suffix: "?lazy",
    }));

    function leadOn(line, kind, names, from, door) {
      const declared = doorOf(resolve(dirname(from), door));
      const files = new Map();
      for (const name of splitNames(names)) {
        if (name.startsWith("type ")) continue;
        const [wanted, local = wanted] = name.split(" as ");
        const found = declared.get(wanted);
        if (found === undefined) return line;
        const specifier = `./${relative(dirname(from), found.file)}`;
        files.set(specifier, [...(files.get(specifier) ?? []), `${found.name} as ${local}`]);
      }
      // On one line: places in the file stay what they are.
      return [...files].map(([file, list]) => `${kind} { ${list.join(", ")} } from "${file}";`).join(" ");
    }
  },
};

/** Where each name of a door is declared. */
function readDoor(path) {
  const text = readFileSync(path, "utf8");
  const names = new Map([...text.matchAll(DECLARED)].map(([, name]) => [name, { file: path, name }]));
  for (const line of text.match(LAZY) ?? []) {
    const name = line.split(" ")[2];
    names.set(name, { file: `${path}?lazy`, name });
  }
  for (const [, isType, list, specifier] of text.matchAll(EXPORT)) {
    if (isType !== undefined) continue;
    const file = resolve(dirname(path), specifier);
    if (list === undefined) for (const [name, found] of readDoor(file)) names.set(name, found);
    else
      for (const each of splitNames(list)) {
        const [name, shown = name] = each.split(" as ");
        if (!each.startsWith("type ")) names.set(shown, { file, name });
      }
  }
  return names;
}

function splitNames(list) {
  return list
    .split(",")
    .map(name => name.trim().replace(/\s+/g, " "))
    .filter(name => name !== "");
}
