import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseRecipe } from "../../src/recipes/format/parse-recipe.ts";
import { SHIPPED_RECIPES } from "../../src/recipes/shipped-recipes.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(
  readFileSync(new URL("../../schemas/recipe.schema.json", import.meta.url), "utf8"),
) as Schema;

/** Just enough of JSON Schema for the words this schema uses. */
function accepts(rule: Schema, value: unknown): boolean {
  const target = rule.$ref === undefined ? rule : (schema.$defs?.[rule.$ref.split("/").at(-1) ?? ""] ?? {});
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const kinds = target.type === undefined ? undefined : [target.type].flat();
  const isInteger = kind === "number" && Number.isInteger(value);
  if (kinds !== undefined && !kinds.includes(kind) && !(isInteger && kinds.includes("integer"))) return false;
  if (target.enum !== undefined && !target.enum.includes(value)) return false;
  if (target.not !== undefined && accepts(target.not, value)) return false;
  if (target.anyOf !== undefined && !target.anyOf.some(option => accepts(option, value))) return false;
  if (typeof value === "string" && target.pattern !== undefined && !new RegExp(target.pattern).test(value))
    return false;
  if (typeof value === "number" && value < (target.minimum ?? -Infinity)) return false;
  if (Array.isArray(value)) {
    return value.length >= (target.minItems ?? 0) && value.every(item => accepts(target.items ?? {}, item));
  }
  if (kind !== "object") return true;
  const members = Object.entries(value as Record<string, unknown>);
  return (
    (target.required ?? []).every(name => Object.hasOwn(value as object, name)) &&
    members.every(
      ([name, member]) =>
        accepts(target.propertyNames ?? {}, name) &&
        (member === null || accepts(target.properties?.[name] ?? target.additionalProperties ?? {}, member)),
    )
  );
}

const GOOD = [
  { name: "r", steps: [{ id: "a", command: "x" }] },
  { name: 7, version: 1.1, extends: "base" },
  { name: "r", steps: [{ id: 1, type: "AGENT", prompt: "x", timeout: 0, condition: true }] },
  {
    name: "r",
    output: { template: "t" },
    recursion: { max_depth: 2 },
    steps: [{ id: "a", recipe: "b", sub_context: {} }],
  },
];
const BAD = [
  { steps: [{ id: "a", command: "x" }] },
  { name: "r" },
  { name: "r", steps: [] },
  { name: "r", steps: [{ command: "x" }] },
  { name: "r", steps: [{ id: "a", type: "shell", command: "x" }] },
  { name: "r", steps: [{ id: "a", command: ["x"] }] },
  { name: "r", steps: [{ id: "a", command: "x", timeout: -1 }] },
  { name: "r", steps: [{ id: "a", command: "x", output: "a b" }] },
  { name: "r", steps: [{ id: "a", command: "x", output: "AMPLIHACK_X" }] },
  { name: "r", steps: [{ id: "a", command: "x", parse_json: "yes" }] },
  { name: "r", context: { AMPLIHACK_X: 1 }, steps: [{ id: "a", command: "x" }] },
  { name: "r", recursion: { max_depth: 1.5 }, steps: [{ id: "a", command: "x" }] },
];

describe("the JSON Schema of recipes", () => {
  it.each(GOOD.map(value => [JSON.stringify(value), value]))(
    "accepts, as the parser does, %s",
    (text, value) => {
      expect(accepts(schema, value)).toBe(true);
      expect(parseRecipe(String(text)).errors).toEqual([]);
    },
  );

  it.each(BAD.map(value => [JSON.stringify(value), value]))(
    "refuses, as the parser does, %s",
    (text, value) => {
      expect(accepts(schema, value)).toBe(false);
      expect(parseRecipe(String(text)).errors).not.toEqual([]);
    },
  );

  it.each(readdirSync(SHIPPED_RECIPES))("accepts %s, which names it for editors", name => {
    const text = readFileSync(join(SHIPPED_RECIPES, name), "utf8");
    expect(accepts(schema, parse(text))).toBe(true);
    const [, path = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    expect(JSON.parse(readFileSync(join(SHIPPED_RECIPES, path), "utf8"))).toEqual(schema);
  });

  it("names exactly the fields the parser knows", () => {
    const step = schema.$defs?.["step"]?.properties ?? {};
    const recipe = {
      ...Object.fromEntries(Object.keys(schema.properties ?? {}).map(name => [name, null])),
      name: "r",
      steps: [{ ...Object.fromEntries(Object.keys(step).map(name => [name, null])), id: "a", command: "x" }],
    };
    expect(parseRecipe(JSON.stringify(recipe)).warnings).toEqual([]);
    const documented = readFileSync(new URL("../../docs/recipes.md", import.meta.url), "utf8");
    const names = [...Object.keys(step), ...Object.keys(schema.properties ?? {})];
    expect(names.filter(name => !documented.includes(`\`${name}\``))).toEqual([]);
  });
});
