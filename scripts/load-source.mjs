// Imports modules of src/, which Node cannot read as they are, for scripts that run on them.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildConstants } from "./build-constants.mjs";

/**
 * @param {Readonly<Record<string, readonly string[]>>} wanted names, or `*` for all, by the path below src/ of their module
 * @param {string} root the tree they are taken from
 */
export async function loadSource(wanted, root = fileURLToPath(new URL("..", import.meta.url))) {
  const lines = Object.entries(wanted).map(
    ([path, names]) => `export ${names[0] === "*" ? "*" : `{ ${names.join(", ")} }`} from "./src/${path}";`,
  );
  const { outputFiles } = await build({
    stdin: {
      contents: lines.join("\n"),
      resolveDir: root,
      // In TypeScript a name that is not there would be taken for a type, and be undefined.
      loader: "js",
    },
    bundle: true,
    write: false,
    format: "esm",
    // Modules that require others by name in a function cannot be bundled this way.
    mainFields: ["module", "main"],
    alias: { yaml: join(root, "node_modules/yaml/browser/dist/index.js") },
    platform: "node",
    define: buildConstants(),
    logLevel: "warning",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
