// Writes schemas/config.schema.json from the one description in src/config/sections.ts. A test compares the two.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadSource } from "./load-source.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { renderConfigSchema } = await loadSource({ "config/json-schema.ts": ["renderConfigSchema"] });
mkdirSync("schemas", { recursive: true });
writeFileSync("schemas/config.schema.json", renderConfigSchema());
