// Declarations of what users do not have. A package that is bundled, or loaded when it is there, is not beside ours when
// theirs is compiled: its names would be errors, or `any` in silence where libraries are not checked.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Part of what we show, and without packages of its own: by package, its folder of declarations and the file to begin with. */
const COPIED = { unbash: { folder: "node_modules/unbash/dist", entry: "parser.d.ts" } };
/** Behind what we show, and with packages of their own. */
const HIDDEN = ["pg", "@dbos-inc/dbos-sdk", "esbuild", "ajv/dist/2019.js"];
const IMPORT = /^(?:import|export) (?:type )?(?:\w+|\{([^}]*)\}|\*(?: as (\w+))?) from "([^".][^"]*)";$/gm;

/** Has the declarations in `types` name no package that an installed one lacks. */
export function resolveForeignTypes(types) {
  const vendor = join(types, "vendor");
  for (const [name, { folder }] of Object.entries(COPIED))
    cpSync(folder, join(vendor, name), {
      recursive: true,
      filter: path => !/\.\w+$/.test(path) || path.endsWith(".d.ts"),
    });
  const hidden = new Set();
  for (const path of readdirSync(types, { recursive: true })) {
    if (!path.endsWith(".d.ts") || path.startsWith("vendor")) continue;
    const file = join(types, path);
    const text = readFileSync(file, "utf8");
    const resolved = text.replace(IMPORT, (line, names, alias, from) => {
      const target = COPIED[from] ? `${from}/${COPIED[from].entry}` : HIDDEN.includes(from) && "hidden.d.ts";
      if (!target) return line;
      if (!COPIED[from]) for (const name of namesOf(text, names, alias)) hidden.add(name);
      const found = relative(dirname(file), join(vendor, target)).replace(/\.d\.ts$/, ".ts");
      return line.replace(`"${from}"`, `"${found}"`);
    });
    if (resolved !== text) writeFileSync(file, resolved);
  }
  const lines = [...hidden].sort().map(name => `export type ${name} = any;`);
  writeFileSync(
    join(vendor, "hidden.d.ts"),
    `${[...lines, "declare const module: any;", "export default module;"].join("\n")}\n`,
  );
}

function namesOf(text, names, alias) {
  if (alias !== undefined)
    return [...text.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, "g"))].map(([, name]) => name);
  return (names ?? "")
    .split(",")
    .map(
      name =>
        name
          .trim()
          .replace(/^type /, "")
          .split(" ")[0],
    )
    .filter(name => name !== "");
}
