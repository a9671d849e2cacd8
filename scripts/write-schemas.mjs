// Writes what follows from the rules of the guard: src/config/rule-ids.ts, and with the one description of settings in
// src/config/sections.ts schemas/config.schema.json. A test compares them.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadSource } from "./load-source.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { renderRuleIds } = await loadSource({ "guard/rules.ts": ["renderRuleIds"] });
writeFileSync("src/config/rule-ids.ts", renderRuleIds());
// Only now: the schema names the ids that were written.
const { renderConfigSchema, ruleSchemas } = await loadSource({
  "config/json-schema.ts": ["renderConfigSchema"],
  "guard/rules.ts": ["ruleSchemas"],
});
mkdirSync("schemas", { recursive: true });
writeFileSync("schemas/config.schema.json", renderConfigSchema(ruleSchemas()));
