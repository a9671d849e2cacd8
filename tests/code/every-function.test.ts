import { describe, expect, it } from "vitest";
import { AWK } from "../../src/code/languages/awk.ts";
import { JAVASCRIPT } from "../../src/code/languages/javascript/library.ts";
import { LUA } from "../../src/code/languages/lua.ts";
import { PERL } from "../../src/code/languages/perl/library.ts";
import { PHP } from "../../src/code/languages/php.ts";
import { POWERSHELL } from "../../src/code/languages/powershell/library.ts";
import { PYTHON } from "../../src/code/languages/python/library.ts";
import { RUBY } from "../../src/code/languages/ruby/library.ts";
import {
  createChoice,
  type Datum,
  listDatum,
  recordDatum,
  reference,
  textDatum,
} from "../../src/code/meaning/datum.ts";
import { createContext } from "../../src/code/meaning/evaluate.ts";
import type {
  FunctionCall,
  LanguageDefinition,
  LibraryFunction,
} from "../../src/code/meaning/evaluation-context.ts";
import { createReadingBudget, createSource } from "../../src/code/syntax/source.ts";
import type { CodeCall } from "../../src/shell/facts.ts";
import { text, unknown } from "../../src/shell/value.ts";
import { contextOf } from "./reading.ts";

// Every function that the readers know, called with every shape of arguments that programs have: too few, numbers,
// lists, records, things by reference, one of several, and what nobody knows.

const LIBRARIES: readonly LanguageDefinition[] = [PYTHON, JAVASCRIPT, PERL, PHP, LUA, RUBY, AWK, POWERSHELL];

/** Makes one argument; with `hide`, the same kind of thing whose text nobody knows. */
type Make = (hide: boolean) => Datum;

const word =
  (content: string, type = "text"): Make =>
  hide =>
    hide ? textDatum(unknown("any", "?"), type) : textDatum(text(content), type);
const list =
  (...items: readonly Make[]): Make =>
  hide =>
    listDatum(items.map(item => item(hide)));
const openList: Make = hide => listDatum([word("one")(hide)], true);
const record =
  (fields: Readonly<Record<string, Make>>): Make =>
  hide =>
    recordDatum(Object.entries(fields).map(([name, make]) => [name, make(hide)] as const));
const named =
  (path: string): Make =>
  () =>
    reference(path);
const either =
  (...options: readonly Make[]): Make =>
  hide =>
    createChoice(options.map(option => option(hide)));

const WORDS: readonly Make[] = [
  word("/etc/a"),
  word("~/b"),
  word(""),
  word("w"),
  word("https://example.com/x?y=z"),
  word("cm0gLXJmIC8="),
  word("65"),
  word("%s of %d"),
  word("/etc/p", "path"),
  list(word("rm"), word("-rf"), word("/")),
  list(list(word("a"), word("1")), word("9")),
  openList,
  record({
    recursive: word("true"),
    path: word("/r"),
    body: word("sent"),
    shell: word("1"),
    cwd: word("/c"),
  }),
  named("os.system"),
  either(word("/one"), word("/two")),
];

/** Argument lists: none, each one alone, and each one beside two plain ones on either side. */
const LISTS: readonly (readonly Make[])[] = [
  [],
  ...WORDS.map(one => [one]),
  ...WORDS.map(one => [one, word("/x"), word("r")]),
  ...WORDS.map(one => [word("/x"), one]),
  ...WORDS.map(one => [word("3"), word("/x"), one, word("last")]),
];
const RECEIVERS: readonly (Make | undefined)[] = [
  undefined,
  word("726d"),
  word("/etc/q", "path"),
  list(word("b"), word("a")),
  openList,
  record({ key: word("value"), "/x": word("v") }),
  named("socket.socket()"),
];
const NAMED: Readonly<Record<string, Make>> = {
  path: word("/n"),
  cwd: word("/d"),
  shell: word("true"),
  Recurse: word("true"),
  mode: word("w"),
  data: word("sent"),
  target: named("os.system"),
};

interface Shape {
  readonly receiver: Make | undefined;
  readonly positional: readonly Make[];
  readonly isNamed: boolean;
  readonly isOpenEnded: boolean;
}

/** Every list meets no receiver and two others by turns; names and open ends come along by turns too. */
function* shapesOf(): Generator<Shape> {
  for (const [number, positional] of LISTS.entries()) {
    for (const turn of [0, 1 + (number % 3), 4 + (number % 3)]) {
      const receiver = RECEIVERS[turn];
      yield {
        receiver,
        positional,
        isNamed: (number + turn) % 3 === 0,
        isOpenEnded: (number + turn) % 5 === 0,
      };
    }
  }
}

const SHAPES = [...shapesOf()];

function effectsOf(
  library: LanguageDefinition,
  path: string,
  libraryFunction: LibraryFunction,
  shape: Shape,
  hide: boolean,
) {
  const inputs = contextOf();
  const budget = createReadingBudget(1_000_000, inputs.budget);
  const context = createContext(library, createSource(text("")), inputs, 0, budget);
  const positional = shape.positional.map(make => make(hide));
  const names = shape.isNamed ? Object.entries(NAMED) : [];
  const given = names.map(([name, make]) => [name, make(hide)] as const);
  const call: FunctionCall = {
    name: path,
    receiver: shape.receiver?.(hide),
    positional,
    named: new Map(given),
    isOpenEnded: shape.isOpenEnded,
    words: [
      ...positional.map(value => ({ name: undefined, value })),
      ...given.map(([name, value]) => ({ name, value })),
    ],
    at: 0,
  };
  libraryFunction(call, context);
  return context.calls;
}

const FUNCTIONS = LIBRARIES.flatMap(library =>
  [library.functions, library.methods].flatMap(table =>
    [...table.keys()].map(path => ({ library, path, libraryFunction: table.get(path) as LibraryFunction })),
  ),
);

/** What hurts, by kind. Text that nobody knows is at least as bad as code as it would be as a command. */
const HARMS: Readonly<Partial<Record<CodeCall["kind"], string>>> = {
  shell: "starts something",
  spawn: "starts something",
  evaluate: "starts something",
  delete: "deletes",
  write: "changes",
  move: "changes",
  copy: "changes",
  mode: "changes rights",
};
/** A module by a name nobody knows is ordinary; only an address or a file of the program's own making is not. */
const LOADERS = new Set([
  "require",
  "import",
  "module.require",
  "require.main.require",
  "_load",
  "createRequire()",
]);

describe.each(LIBRARIES.map(library => [library.id, library] as const))("what %s calls", (_, library) => {
  const functions = FUNCTIONS.filter(one => one.library === library);

  it("means the same whenever it is called the same way", () => {
    for (const { path, libraryFunction } of functions) {
      for (const shape of SHAPES.filter((_shape, number) => number % 8 === path.length % 8)) {
        const first = effectsOf(library, path, libraryFunction, shape, false);
        const second = effectsOf(library, path, libraryFunction, shape, false);
        if (JSON.stringify(first) !== JSON.stringify(second)) expect(second).toEqual(first);
      }
    }
  });

  it("does no less harm when nobody knows the words", () => {
    const weaker = new Set<string>();
    for (const { path, libraryFunction } of functions.filter(one => !LOADERS.has(one.path))) {
      for (const shape of SHAPES) {
        const plain = effectsOf(library, path, libraryFunction, shape, false);
        const hidden = new Set(
          effectsOf(library, path, libraryFunction, shape, true).map(({ kind }) => HARMS[kind]),
        );
        for (const { kind } of plain)
          if (!hidden.has(HARMS[kind]) && HARMS[kind] !== undefined) weaker.add(`${path} ${kind}`);
      }
    }
    expect([...weaker]).toEqual([]);
  });
});
