// Writes schemas/config.schema.json from the one description in src/config/sections.ts and the rules of the guard. A
// test compares them.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadSource } from "./load-source.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { renderConfigSchema, ruleSchemas } = await loadSource({
  "config/json-schema.ts": ["renderConfigSchema"],
  "guard/rule-schema.ts": ["ruleSchemas"],
});
mkdirSync("schemas", { recursive: true });
writeFileSync("schemas/config.schema.json", renderConfigSchema(ruleSchemas()));
