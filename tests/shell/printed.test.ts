import { describe, expect, it } from "vitest";
import { lines, read } from "./reading.ts";

/** The program prints one line, which the shell behind the pipe runs. */
const PRINTED: readonly (readonly [program: string, ran: string])[] = [
  [String.raw`echo -e 'rm\x20-rf\040/'`, "rm -rf /"],
  [String.raw`echo -e '\u0072m x'`, "rm x"],
  [String.raw`echo -e '\U00000072m x'`, "rm x"],
  [String.raw`echo -e 'rm x\c y'`, "rm x"],
  [String.raw`echo -ne 'rm x\n'`, "rm x"],
  [String.raw`echo -E 'rm\tx'`, "rmtx"],
  [String.raw`echo -eE 'rm\tx'`, "rmtx"],
  [String.raw`printf '%q x\n' rm`, "rm x"],
  ["printf '%c%s x' rotten m", "rm x"],
  [String.raw`printf 'rm %d\n' 5`, "rm 5"],
  [String.raw`printf 'rm %d\n' "'A"`, "rm 65"],
  ["printf 'rm %d'", "rm 0"],
  [String.raw`printf '%b' 'rm\tx'`, "rm x"],
  [String.raw`printf 'rm %x\n' 255`, "rm ff"],
  [String.raw`printf 'rm %s\n' "$u"`, "rm {$u}"],
  [String.raw`printf 'rm %03d\n' 7`, "rm 007"],
  [String.raw`printf '\162\155 x\n'`, "rm x"],
  [String.raw`printf '\x72m x'`, "rm x"],
  [String.raw`printf 'rm %i %o %u\n' 8 8 8`, "rm 8 10 8"],
  [String.raw`printf 'rm %.1s\n' abc`, "rm a"],
  [String.raw`printf 'rm %%\n'`, "rm %"],
];

/** What a variable becomes on its way into a command. */
const EXPANDED: readonly (readonly [command: string, ran: string])[] = [
  [String.raw`$'rm\x20x'`, "rm x"],
  [String.raw`rm $'a\u00e9\U0001F600\cA\q'`, "rm aé😀\u0001\\q"],
  ["a=/x/y.txt; rm ${a%.txt} ${a#/x} ${a##*/} ${a%nope}", "rm /x/y /y.txt y.txt /x/y.txt"],
  [
    "a=abcabc; rm ${a/b/X} ${a//b/X} ${a/#a/X} ${a/%c/X} ${a/b} ${a//}",
    "rm aXcabc aXcaXc Xbcabc abcabX acabc abcabc",
  ],
  ["a=abc; rm ${a^} ${a^^} ${a,,} ${a^^b} ${a@Q}", "rm Abc ABC abc aBc 'abc'"],
  ["a=abc; rm ${a@U} ${a@u} ${a@L} ${a@P} ${a@E}", "rm ABC Abc abc abc abc"],
  ["a=abc; rm ${a:1} ${a:0:2} ${a: -1} ${#a} ${u:-x} ${a:+y}", "rm bc ab c 3 x y"],
  ["a=$u/x.txt; rm ${a%.txt} ${a%.md}", "rm {$u}/x {$u}/x.txt"],
  ["rm ${u%x} ${u/b/c} ${u^^} ${u@Q}", "rm {${u%x}} {${u/b/c}} {${u^^}} {${u@Q}}"],
  ["printf -v a 'rm %s' x; $a", "rm x"],
];

describe("what a program prints", () => {
  it.each(PRINTED)("%s, run by a shell", (program, ran) => {
    expect(lines(read(`${program} | sh`)).slice(2)).toEqual([ran]);
  });

  it("goes round again while there are words", () => {
    expect(lines(read(String.raw`printf '%s %s\n' rm x rm y | sh`)).slice(2)).toEqual(["rm x", "rm y"]);
  });
});

describe("what an expansion makes", () => {
  it.each(EXPANDED)("%s", (command, ran) => {
    expect(lines(read(command)).at(-1)).toBe(ran);
  });
});
