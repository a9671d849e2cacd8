import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { renderConfigSchema } from "../../src/config/index.ts";
import { RULE_IDS, renderRuleIds, ruleSchemas, ruleSettingProblem } from "../../src/guard/rules.ts";

describe("src/config/rule-ids.ts", () => {
  it("is what the rules of the guard say (node scripts/write-schemas.mjs)", () => {
    const file = new URL("../../src/config/rule-ids.ts", import.meta.url);
    expect(readFileSync(file, "utf8")).toBe(renderRuleIds());
  });
});

describe("schemas/config.schema.json", () => {
  it("is what the description in src/config/sections.ts says (node scripts/write-schemas.mjs)", () => {
    const file = new URL("../../schemas/config.schema.json", import.meta.url);
    expect(readFileSync(file, "utf8")).toBe(renderConfigSchema(ruleSchemas()));
  });

  it("lists every rule with what it may be set to, and still takes patterns and own rules", () => {
    const { rules } = JSON.parse(renderConfigSchema(ruleSchemas())).properties.guard.properties;
    expect(Object.keys(rules.properties)).toEqual(RULE_IDS);
    expect(rules.additionalProperties).toEqual({ type: "string", enum: ["off", "allow", "ask", "deny"] });
    for (const id of RULE_IDS)
      for (const setting of ["off", "allow", "ask", "deny"] as const)
        expect([id, setting, rules.properties[id].enum.includes(setting)]).toEqual([
          id,
          setting,
          ruleSettingProblem(id, setting, []) === undefined,
        ]);
    expect(Object.values<{ enum: string[] }>(rules.properties).some(each => each.enum.length < 4)).toBe(true);
  });

  it("names every section and allows no other", () => {
    const schema = JSON.parse(renderConfigSchema());
    expect(Object.keys(schema.properties)).toEqual([
      "$schema",
      "extends",
      "managed",
      "guard",
      "autonomy",
      "consent",
      "parts",
      "failure",
      "history",
      "sandbox",
      "budget",
      "prices",
      "programs",
      "hooks",
      "bridge",
      "reflect",
      "memory",
      "team",
      "update",
    ]);
    expect(schema.additionalProperties).toBe(false);
  });
});
