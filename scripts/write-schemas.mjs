// Writes schemas/config.schema.json from the one description in src/config/sections.ts. A test compares the two.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { outputFiles } = await build({
  stdin: {
    contents: 'export { renderConfigSchema } from "./src/config/json-schema.ts";',
    resolveDir: process.cwd(),
    loader: "ts",
  },
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  logLevel: "warning",
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { renderConfigSchema } = await import(`data:text/javascript;base64,${code}`);
mkdirSync("schemas", { recursive: true });
writeFileSync("schemas/config.schema.json", renderConfigSchema());
