// Writes src/programs/records/own-commands.json: what the guard knows of our own commands, from their declarations in
// src/commands. Run it after a command or one of its options changed; a test compares them.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildConstants } from "./build-constants.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const names = readdirSync("src/commands").filter(name => name.endsWith(".ts"));
// Below node_modules the packages that it imports are found.
const bundle = "node_modules/.own-commands.mjs";
await build({
  stdin: {
    contents: [
      'export { renderOwnCommands } from "./src/cli/own-command-table.ts";',
      ...names.map((name, index) => `import { command as command${index} } from "./src/commands/${name}";`),
      `export const commands = [${names.map((_, index) => `command${index}`)}];`,
    ].join("\n"),
    resolveDir: process.cwd(),
    loader: "ts",
  },
  bundle: true,
  outfile: bundle,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  define: buildConstants(),
  logLevel: "warning",
});
try {
  const { commands, renderOwnCommands } = await import(pathToFileURL(bundle).href);
  writeFileSync("src/programs/records/own-commands.json", renderOwnCommands(commands));
} finally {
  rmSync(bundle);
}
