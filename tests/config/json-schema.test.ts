import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { renderConfigSchema } from "../../src/config/index.ts";

describe("schemas/config.schema.json", () => {
  it("is what the description in src/config/sections.ts says (node scripts/write-schemas.mjs)", () => {
    const file = new URL("../../schemas/config.schema.json", import.meta.url);
    expect(readFileSync(file, "utf8")).toBe(renderConfigSchema());
  });

  it("names every section and allows no other", () => {
    const schema = JSON.parse(renderConfigSchema());
    expect(Object.keys(schema.properties)).toEqual([
      "$schema",
      "extends",
      "managed",
      "guard",
      "parts",
      "failure",
      "history",
      "programs",
      "hooks",
      "bridge",
      "reflect",
      "memory",
      "update",
    ]);
    expect(schema.additionalProperties).toBe(false);
  });
});
