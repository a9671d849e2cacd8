import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseArgv } from "../../src/programs/model/analyse.ts";
import { LIMITS } from "../../src/shell/limits.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";
import { ADVERSARIAL, ORDINARY } from "./corpus.ts";
import { CONTEXT, line, read } from "./reading.ts";

const FRAGMENTS = [
  ...'rm -rf / ; | & && || ( ) { } $( ) ` \' " \\ \n # < > << <<< <( $(( )) [[ ]] ${ } * ? [ ] ~ ! = += x a=b $x "$@" ${x:-y} eval bash -c sudo env xargs find -exec {} \\; for in do done if then fi while case esac function f() cd .. git python3 -c base64 -d EOF sh trap EXIT read source alias export {a,b} {1..9}'.split(
    " ",
  ),
  " ",
  "\n",
];

const shellLike = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map(parts => parts.join(" "));
const glued = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map(parts => parts.join(""));
const cut = fc
  .tuple(fc.constantFrom(...ORDINARY, ...ADVERSARIAL), fc.nat(200))
  .map(([command, length]) => command.slice(0, length));
const mixed = fc
  .tuple(fc.constantFrom(...ADVERSARIAL), fc.constantFrom(...ORDINARY), fc.nat(80))
  .map(([one, two, at]) => one.slice(0, at) + two + one.slice(at));

function check(command: string): void {
  const facts = read(command);
  expect(facts.unexamined.filter(({ reason }) => reason === "failure")).toEqual([]);
  expect(facts.steps).toBeLessThan(2 * (LIMITS.steps + LIMITS.words));
  for (const [index, invocation] of facts.invocations.entries()) {
    expect(invocation.id).toBe(index);
    expect(invocation.argv.length).toBeGreaterThan(0);
    expect(invocation.span.start).toBeLessThanOrEqual(invocation.span.end);
    expect(invocation.span.end).toBeLessThanOrEqual(command.length);
    if (invocation.parent !== undefined) expect(invocation.parent.invocation).toBeLessThan(index);
  }
}

describe("any text", () => {
  it("gets an answer", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: anyCharacter, maxLength: 200 })),
        check,
      ),
      { numRuns: runs(500) },
    );
  });

  it("that looks like shell gets an answer", () => {
    fc.assert(fc.property(fc.oneof(shellLike, glued), check), { numRuns: runs(1500) });
  });

  it("that is a piece or a mixture of real commands gets an answer", () => {
    fc.assert(fc.property(fc.oneof(cut, mixed), check), { numRuns: runs(1500) });
  });

  it("gets the same answer twice", () => {
    fc.assert(
      fc.property(fc.oneof(shellLike, cut), command => {
        expect(read(command)).toEqual(read(command));
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("the work", () => {
  it.each([
    ["statements", (count: number) => "echo a b; ".repeat(count)],
    ["words", (count: number) => `echo ${"a ".repeat(count)}`],
    ["assignments", (count: number) => "x=a$y; ".repeat(count)],
    ["pipes", (count: number) => `echo a ${"| cat ".repeat(count)}`],
    ["substitutions", (count: number) => "echo $(echo a); ".repeat(count)],
    ["a long word", (count: number) => `echo ${"a".repeat(count * 20)}`],
    ["a here-document", (count: number) => `cat <<E\n${"line $x\n".repeat(count)}E`],
    ["quotes", (count: number) => `echo ${"'a'\"b\"".repeat(count)}`],
    ["loops", (count: number) => "for i in a b; do echo $i; done; ".repeat(count)],
    ["functions", (count: number) => "f() { echo $1; }; f x; ".repeat(count)],
  ])("grows with the text and no faster: %s", (_, make) => {
    const small = read(make(50)).steps;
    const large = read(make(200)).steps;
    expect(large).toBeLessThan(small * 4 * 1.5 + 100);
  });
});

describe("a ready argv", () => {
  it("is one invocation, words untouched", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 6 }), words => {
        const [first] = analyseArgv(["/usr/bin/some-program", ...words], CONTEXT).invocations;
        expect(
          first?.argv.map(word =>
            word.pieces.map(piece => (piece.kind === "text" ? piece.text : "?")).join(""),
          ),
        ).toEqual(["/usr/bin/some-program", ...words]);
      }),
      { numRuns: runs(200) },
    );
  });

  it("is followed like any other", () => {
    expect(analyseArgv(["sudo", "bash", "-c", "rm -rf /x"], CONTEXT).invocations.map(line)).toEqual([
      "sudo bash -c rm -rf /x",
      "bash -c rm -rf /x",
      "rm -rf /x",
    ]);
    expect(analyseArgv(["rm", "$HOME", "*"], CONTEXT).invocations.map(line)).toEqual(["rm $HOME *"]);
  });
});
