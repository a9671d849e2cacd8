import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/protocol/index.ts";
import { placeholdersIn, renderTemplate, renderValue } from "../../src/recipes/values/template.ts";

const CONTEXT: JsonObject = {
  name: "Ada",
  "my-key": "dash",
  n: 42,
  half: 0.5,
  yes: true,
  nothing: null,
  list: ["zero", { deep: [1, 2] }],
  object: { b: 1, a: { c: "x" } },
  tricky: "{{name}}",
};

describe("a template", () => {
  it.each([
    ["{{name}}", "Ada"],
    ["<{{name}}>{{n}}", "<Ada>42"],
    ["{{my-key}}", "dash"],
    ["{{half}} {{yes}} {{nothing}}|", "0.5 true |"],
    ["{{list}}", '["zero",{"deep":[1,2]}]'],
    ["{{object}}", '{"b":1,"a":{"c":"x"}}'],
    ["{{object.a.c}}", "x"],
    ["{{list.0}} {{list.1.deep.1}}", "zero 2"],
    ["{{tricky}}", "{{name}}"],
    ['{"a":{{n}}}', '{"a":42}'],
    ["\\{{name}}", "{{name}}"],
    ["\\\\{{name}}", "\\\\Ada"],
    ["{{ name }}", "{{ name }}"],
    [
      "{{.Names}} {{#if x}} ${{ github.ref }} {{}} {{a b}} {{na",
      "{{.Names}} {{#if x}} ${{ github.ref }} {{}} {{a b}} {{na",
    ],
  ])("%s reads %s", (template, text) => {
    expect(renderTemplate(template, CONTEXT)).toEqual({ value: text, missing: [] });
  });

  it.each(["missing", "name.x", "list.2", "list.length", "constructor", "object.toString", "nothing.x"])(
    "puts nothing for {{%s}} and says so",
    path => {
      expect(renderTemplate(`<{{${path}}}>`, CONTEXT)).toEqual({ value: "<>", missing: [path] });
    },
  );

  it("is read once, however many backslashes it holds", () => {
    const text = `${"\\".repeat(400_000)}{{x`;
    expect(renderTemplate(text, {})).toEqual({ value: text, missing: [] });
  });

  it("never looks again at what it put in", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, value) => {
        const clean = before.replaceAll("{", "").replaceAll("\\", "");
        expect(renderTemplate(`${clean}{{v}}${clean}`, { v: value }).value).toBe(clean + value + clean);
      }),
    );
  });

  it("tells which placeholders are live", () => {
    expect(placeholdersIn("{{a}} \\{{b}} {{c.d}} {{ e }}")).toEqual(["a", "c.d"]);
  });
});

describe("a templated value", () => {
  it("keeps the type where the whole text is one placeholder", () => {
    const template = {
      all: "{{object}}",
      n: "{{n}}",
      text: "n={{n}}",
      none: "{{nothing}}",
      in: [["{{list}}"]],
      fixed: 7,
    };
    expect(renderValue(template, CONTEXT)).toEqual({
      value: {
        all: CONTEXT["object"],
        n: 42,
        text: "n=42",
        none: null,
        in: [[CONTEXT["list"]]],
        fixed: 7,
      },
      missing: [],
    });
  });

  it("is empty text where nothing is found", () => {
    expect(renderValue(["{{missing}}", "\\{{name}}"], CONTEXT)).toEqual({
      value: ["", "{{name}}"],
      missing: ["missing"],
    });
  });
});
