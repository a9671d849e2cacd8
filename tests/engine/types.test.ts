import { type Static, Type } from "@sinclair/typebox";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAjv } from "../../src/engine/schema/ajv.ts";
import { compileJsonSchema, KEYWORDS } from "../../src/engine/schema/json-schema.ts";
import { compileSchema } from "../../src/engine/schema/validate.ts";
import type {
  ArgsOf,
  DeepReadonly,
  Guard,
  HookEngine,
  Infer,
  ResultOf,
  ToolCall,
} from "../../src/exports/engine.ts";
import { makeEngine } from "./fixture.ts";

describe("inference from schemas", () => {
  it("takes the output type of Standard Schemas, the static type of TypeBox and the type of a guard", () => {
    const zod = z.object({ a: z.string(), b: z.number().default(1) });
    expectTypeOf<Infer<typeof zod>>().toEqualTypeOf<{ a: string; b: number }>();
    const valibot = v.object({ a: v.optional(v.string(), "x") });
    expectTypeOf<Infer<typeof valibot>>().toEqualTypeOf<{ a: string }>();
    const ark = type({ a: "string", "b?": "number" });
    expectTypeOf<Infer<typeof ark>>().toEqualTypeOf<{ a: string; b?: number }>();
    const box = Type.Object({ a: Type.Array(Type.String()) });
    expectTypeOf<Infer<typeof box>>().toEqualTypeOf<Static<typeof box>>();
    expectTypeOf<Infer<Guard<{ a: 1 }>>>().toEqualTypeOf<{ a: 1 }>();
    expectTypeOf<Infer<number>>().toEqualTypeOf<unknown>();
  });

  it("gives each tool its arguments and result", () => {
    const tools = {
      bash: { args: z.object({ command: z.string() }), result: z.string() },
      read: { args: Type.Object({}) },
    };
    expectTypeOf<ArgsOf<typeof tools, "bash">>().toEqualTypeOf<{ command: string }>();
    expectTypeOf<ResultOf<typeof tools, "bash">>().toEqualTypeOf<string>();
    expectTypeOf<ResultOf<typeof tools, "read">>().toEqualTypeOf<unknown>();
    expectTypeOf<Extract<ToolCall<typeof tools>, { tool: "bash" }>["args"]>().toEqualTypeOf<{
      readonly command: string;
    }>();
    const engine = makeEngine({ tools });
    expectTypeOf(engine).toEqualTypeOf<HookEngine<typeof tools>>();
    expect(engine.report.handlers).toBe(0);
  });

  it("freezes at any depth, and leaves functions alone", () => {
    expectTypeOf<DeepReadonly<{ a: { b: string[] }; f: (x: number) => string }>>().toEqualTypeOf<{
      readonly a: { readonly b: readonly string[] };
      readonly f: (x: number) => string;
    }>();
  });
});

describe("TypeBox schemas are checked without TypeBox", () => {
  const problem = async (schema: object, value: unknown) => {
    const checked = await compileSchema(schema as never, "test", compileJsonSchema)(value);
    return checked.ok ? undefined : checked.problem;
  };

  it.each<[string, object, unknown, unknown]>([
    ["objects", Type.Object({ a: Type.String() }), { a: "x" }, { a: 1 }],
    ["required members", Type.Object({ a: Type.String() }), { a: "x" }, {}],
    ["optional members", Type.Object({ a: Type.Optional(Type.Number()) }), {}, { a: "1" }],
    [
      "no other members",
      Type.Object({ a: Type.Any() }, { additionalProperties: false }),
      { a: 1 },
      { a: 1, b: 2 },
    ],
    [
      "other members of a type",
      Type.Object({}, { additionalProperties: Type.Number() }),
      { x: 1 },
      { x: "1" },
    ],
    ["arrays", Type.Array(Type.Integer(), { minItems: 1, maxItems: 2, uniqueItems: true }), [1, 2], [1, 1]],
    ["tuples", Type.Tuple([Type.String(), Type.Number()]), ["a", 1], ["a", 1, 2]],
    ["unions", Type.Union([Type.Literal("a"), Type.Null()]), null, "b"],
    [
      "intersections",
      Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number() })], {
        unevaluatedProperties: false,
      }),
      { a: 1, b: 2 },
      { a: 1, b: 2, c: 3 },
    ],
    ["exclusions", Type.Not(Type.String()), 1, "x"],
    ["records", Type.Record(Type.String({ pattern: "^x" }), Type.Boolean()), { x1: true }, { x1: 1 }],
    ["enumerations", Type.Enum({ A: "a", B: "b" }), "a", "c"],
    ["patterns", Type.String({ pattern: "^a+$" }), "aa", "ab"],
    ["lengths", Type.String({ minLength: 2, maxLength: 3 }), "ab", "a"],
    ["lengths in characters", Type.String({ maxLength: 1 }), "😀", "ab"],
    ["bounds", Type.Number({ minimum: 1, exclusiveMaximum: 3 }), 1, 3],
    ["multiples", Type.Number({ multipleOf: 0.5 }), 1.5, 1.2],
    [
      "recursion",
      Type.Recursive(self => Type.Object({ next: Type.Union([Type.Null(), self]) })),
      { next: { next: null } },
      { next: { next: 1 } },
    ],
    [
      "references",
      Type.Module({ A: Type.Object({ b: Type.Ref("B") }), B: Type.Integer() }).Import("A"),
      { b: 1 },
      { b: 1.5 },
    ],
    ["template literals", Type.TemplateLiteral("a-${string}"), "a-x", "b-x"],
    ["anything", Type.Object({ a: Type.Unknown() }), { a: [] }, []],
  ])("%s", async (_, schema, good, bad) => {
    expect(await problem(schema, good)).toBeUndefined();
    expect(await problem(schema, bad)).toEqual(expect.any(String));
  });

  it("names the place of what is wrong", async () => {
    const schema = Type.Object({ list: Type.Array(Type.Object({ n: Type.Number() })) });
    expect(await problem(schema, { list: [{ n: 1 }, { n: "x" }] })).toBe("list: [1]: n: must be number");
  });

  it.each([
    Type.Date(),
    Type.BigInt(),
    Type.Function([], Type.Any()),
    { if: {} },
    { dependentRequired: {} },
    { properties: { a: { anyOf: [{ oddly: 1 }] } } },
  ])("refuses at once what it could not check: %j", schema => {
    expect(() => compileSchema(schema as never, "tools.x.args", compileJsonSchema)).toThrow(/tools\.x\.args/);
  });

  it("knows every keyword that is checked, and no other", () => {
    expect(Object.keys(createAjv().RULES.keywords).sort()).toEqual([...KEYWORDS].sort());
  });

  it("lets nothing pass where only the library finds that it cannot check", async () => {
    expect(await problem({ $ref: "#/definitions/absent" }, 1)).toContain(
      "test: this JSON Schema cannot be checked",
    );
  });

  it("inherited members are not there", async () => {
    expect(await problem(Type.Object({ toString: Type.Any() }), {})).toEqual(expect.any(String));
  });
});

describe("problems of Standard Schemas", () => {
  it("are told with their place", async () => {
    const checked = await compileSchema(
      z.object({ a: z.object({ b: z.string() }) }),
      "x",
      compileJsonSchema,
    )({ a: { b: 1 } });
    expect(checked).toMatchObject({ ok: false, problem: expect.stringContaining("a.b") });
  });
});
