import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/protocol/index.ts";
import { conditionProblem, evaluateCondition } from "../../src/recipes/conditions/evaluate.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";

const CONTEXT: JsonObject = {
  name: "Ada",
  empty: "",
  zero: 0,
  count: 5,
  price: 2.75,
  yes: true,
  no: false,
  nothing: null,
  text: "a,b,c",
  "my-var": "dash",
  list: [1, "two", { deep: "value" }],
  object: { key: "value", nested: { inner: 7 } },
  version: "1.10",
  id: "12345678901234567890",
  injected: "' or true or '",
  emoji: "a🎉b",
};

const TRUE = [
  "true",
  "True",
  "name",
  "not empty",
  "not not name",
  "name == 'Ada'",
  'name == "Ada"',
  "name != 'Bob'",
  "(name == 'Ada') and (count > 4)",
  "name == 'Ada' && count >= 5 || no",
  "no or yes",
  "count == '5'",
  "count == '5.0'",
  "1 == '1'",
  "yes == 'true'",
  "yes == 'True'",
  "no == 'false'",
  "yes == 1",
  "no == 0",
  "missing == nothing",
  "not (missing == '')",
  "null == none",
  "'b' < 'c'",
  "'Z' < 'a'",
  "no < yes",
  "yes > 0",
  "count > '4'",
  "'10' > 9",
  "not ('abc' < 5)",
  "not ('abc' >= 5)",
  "not (nothing < 1)",
  "not (nothing <= nothing)",
  "yes > 'false'",
  "'d' in name",
  "'x' not in name",
  "5 in '15'",
  "'two' in list",
  "'1' in list",
  "'key' in object",
  "not ('value' in object)",
  "name in ['Ada', 'Bob',]",
  "count not in [1, 2, 3]",
  "not []",
  "[0]",
  "list[2].deep == 'value'",
  "list[2]['deep'] == 'value'",
  "object.nested.inner == 7",
  "list['0'] == null",
  "object['key'] == 'value'",
  "list.0 == 1",
  "not list[99]",
  "not name[0]",
  "not object.nothing.at.all",
  "my-var == 'dash'",
  "int('42') == 42",
  "int(' -7 ') == -7",
  "int(price) == 2",
  "int(-2.75) == -2",
  "int(count) == 5",
  "int(yes) == 1",
  "int(list) == 0",
  "float('2.75') == price",
  "str(count) == '5'",
  "str(5.0) == '5'",
  "str(nothing) == ''",
  'str(list) == \'[1,"two",{"deep":"value"}]\'',
  "bool('x')",
  "len(name) == 3",
  "len(emoji) == 3",
  "len(list) == 3",
  "len(object) == 2",
  "len(count) == 0",
  "min(3, 1, 2) == 1",
  "max(3, 1, 2) == 3",
  "max('a', 'b') == 'b'",
  "' x '.strip() == 'x'",
  "' x '.lstrip() == 'x '",
  "' x '.rstrip() == ' x'",
  "name.lower() == 'ada'",
  "name.upper().lower().title() == 'Ada'",
  "'hello wORLD'.title() == 'Hello World'",
  "name.startswith('A')",
  "name.endswith('a')",
  "text.replace(',', '-') == 'a-b-c'",
  "text.split(',')[1] == 'b'",
  "len(' a  b '.split()) == 2",
  "'-'.join(text.split(',')) == 'a-b-c'",
  "text.count(',') == 2",
  "emoji.find('b') == 2",
  "text.find('z') == -1",
  "count.startswith(5)",
  "nothing.strip() == ''",
  "text.count(1) == 0",
  "version == '1.10'",
  "version != '1.1'",
  "id == 12345678901234567890",
  "id != 12345678901234567891",
  "{{name}} == 'Ada'",
  "{{object.nested.inner}} > 6",
  "'{{name}}' == 'Ada'",
  "'x-{{count}}' == 'x-5'",
  "'{{missing}}' == ''",
  "'\\{{name}}' == '\\{\\{name}}'",
  "'it\\'s' == \"it's\"",
  "injected == \"' or true or '\"",
  "'{{injected}}' == injected",
  "TRUE == none",
  "no and int('x') == 1 or yes",
  "yes or int('x') == 1",
];

const FALSE = [
  "false",
  "False",
  "empty",
  "zero",
  "nothing",
  "missing",
  "[]",
  "not name",
  "injected == 'x'",
  "1.5 == '1.50x'",
];

const ERRORS: readonly (readonly [string, string])[] = [
  ["a == 'x' garbage", "unexpected token"],
  ["1 < 2 < 3", "unexpected token"],
  ["a ==", "unexpected end"],
  ["", "unexpected end"],
  ["(a", "unexpected end"],
  ["a)", "unexpected token"],
  ["'abc", "unterminated string"],
  ["1.5.2 == 1", "invalid number"],
  ["-", "unexpected character"],
  ["a = 1", "unexpected character"],
  ["a; b", "unexpected character"],
  ["__import__('os')", "Unsafe expression"],
  ["a.__class__", "Unsafe expression"],
  ["a['__proto__']", "Unsafe expression"],
  ["{{a.__proto__}}", "Unsafe expression"],
  ["'{{a.__proto__}}'", "Unsafe expression"],
  ["system('id')", "Unsafe expression: function 'system' is not allowed"],
  ["true or system('id')", "Unsafe expression: function 'system' is not allowed"],
  ["name.format('x')", "Unsafe expression: method '.format()' is not allowed"],
  ["int('4.5')", "cannot convert '4.5' to int"],
  ["float('x')", "cannot convert 'x' to float"],
  ["min(1)", "argument"],
  ["len()", "argument"],
  ["name.startswith()", "argument"],
  ["list.strip()", "list"],
  ["','.join('abc')", "list"],
  ["text.split('')", "separator"],
  ["list[-1]", "index"],
  ["list[1.5]", "index"],
  ["list[name]", "index"],
  [`${"(".repeat(33)}1${")".repeat(33)}`, "nested"],
  [`${"[".repeat(33)}1${"]".repeat(33)}`, "nested"],
  [`'${"é".repeat(4100)}'`, "8192 bytes"],
];

describe("conditions", () => {
  it.each(TRUE)("hold: %s", text => {
    expect(evaluateCondition(text, CONTEXT)).toEqual({ ok: true, value: true });
  });

  it.each(FALSE)("do not hold: %s", text => {
    expect(evaluateCondition(text, CONTEXT)).toEqual({ ok: true, value: false });
  });

  it.each(ERRORS)("are refused: %s", (text, message) => {
    const result = evaluateCondition(text, CONTEXT);
    expect(result).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  it("may nest brackets 32 deep", () => {
    expect(evaluateCondition(`${"(".repeat(32)}1${")".repeat(32)}`, {})).toEqual({ ok: true, value: true });
  });

  it("find no members of object prototypes", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty", "valueOf"]) {
      expect(evaluateCondition(`${name} == none`, {})).toEqual({ ok: true, value: true });
      expect(evaluateCondition(`object.${name} == none`, CONTEXT)).toEqual({ ok: true, value: true });
      expect(evaluateCondition(`'${name}' in object`, CONTEXT)).toEqual({ ok: true, value: false });
    }
  });

  it("stop a text that grows without bound", () => {
    const grow = `'${"x".repeat(1000)}'${".replace('x', 'xxxxxxxxxxxxxxxxxxxx')".repeat(10)}`;
    expect(evaluateCondition(grow, {})).toEqual({ ok: false, message: expect.stringContaining("grows") });
  });

  it("are checked without values", () => {
    expect(conditionProblem("int('x') == 1")).toBeUndefined();
    expect(conditionProblem("a ==")).toBe("unexpected end of condition");
  });
});

describe("the condition evaluator", () => {
  const word = fc.constantFrom(
    ..."and or not in true false null name list object.key count == != < <= > >= ( ) [ ] . , 'a' \"b\" 1 -2.5 0 {{name}} {{a.b}} '{{x}}' int( len( str( min( .strip() .split(',') [0] ['k'] __proto__ constructor && || ! = + \\ ' \" - é 🎉".split(
      " ",
    ),
  );
  const value = fc.letrec(tie => ({
    json: fc.oneof({ maxDepth: 3 }, fc.jsonValue({ maxDepth: 2 }), fc.array(tie("json"), { maxLength: 3 })),
  })).json;

  it("gives a boolean or a message for any text and any context", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(word, { maxLength: 25 }).map(words => words.join(" ")),
          fc.array(word, { maxLength: 25 }).map(words => words.join("")),
          fc.string({ unit: anyCharacter, maxLength: 60 }),
        ),
        fc.dictionary(fc.constantFrom("name", "list", "object", "count", "a", "x", "constructor"), value),
        (text, context) => {
          const result = evaluateCondition(text, context as JsonObject);
          expect(result.ok ? typeof result.value : typeof result.message).toBe(
            result.ok ? "boolean" : "string",
          );
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it("orders and equates consistently", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 1 }), fc.jsonValue({ maxDepth: 1 }), (a, b) => {
        const context = { a, b } as JsonObject;
        const holds = (text: string) => {
          const result = evaluateCondition(text, context);
          return result.ok && result.value;
        };
        expect(holds("a == b")).toBe(holds("b == a"));
        expect(holds("a == b")).toBe(!holds("a != b"));
        expect(holds("a < b")).toBe(holds("b > a"));
        expect(holds("a < b") && holds("a >= b")).toBe(false);
        expect(holds("a in b")).toBe(!holds("a not in b"));
      }),
      { numRuns: runs(1000) },
    );
  });
});
