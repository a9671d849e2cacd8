import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/shell/limits.ts";
import { calls, read } from "./reading.ts";

/** Names of what makes each text hard; every one must get an answer within the step limits. */
const HOSTILE: Readonly<Record<string, string>> = {
  "256 KiB of opening braces": "{".repeat(256 * 1024),
  "100 KiB of brace lists without an end": "{a,".repeat(34_000),
  "braces that multiply": `echo ${"{a,b}".repeat(200)}`,
  "5,000 nested substitutions": `${"$(".repeat(5000)}rm -rf /${")".repeat(5000)}`,
  "5,000 nested quoted substitutions": `${'"$('.repeat(5000)}rm${')"'.repeat(5000)}`,
  "5,000 subshells": `${"( ".repeat(5000)}rm -rf /${" )".repeat(5000)}`,
  "5,000 groups": `${"{ ".repeat(5000)}rm -rf /;${" }".repeat(5000)}`,
  "5,000 function heads": "f() ".repeat(5000),
  "5,000 coprocesses": "coproc ".repeat(5000),
  "60,000 old arithmetic brackets": "$[".repeat(60_000),
  "60,000 arithmetic openings": "$((".repeat(60_000),
  "100 KiB of backquotes": "`".repeat(100_000),
  "20,000 here-documents": "cat <<a ".repeat(20_000),
  "a word of 200,000 letters": `rm ${"a".repeat(200_000)}`,
  "a word of 200,000 slashes": `rm ${"/".repeat(200_000)}x`,
  "100,000 stars": `rm ${"*".repeat(100_000)}`,
  "50,000 open brackets": `rm ${"[".repeat(50_000)}`,
  "a pattern that backtracks": `x=${"a".repeat(4000)}; echo \${x%%*a*a*a*a*b} \${x//a*a*b/c}`,
  "an expression that backtracks": `echo ${"a".repeat(4000)} | sed 's/a*a*a*a*b/x/g' | sh`,
  "text that doubles": `x=a; ${"x=$x$x; ".repeat(100)} echo $x`,
  "unknown text that doubles": `x=$Y; ${"x=$x-$x; ".repeat(100)} echo $x`,
  "an array that doubles": `a=(1 2); ${'a=("${a[@]}" "${a[@]}"); '.repeat(60)} echo "\${a[@]}"`,
  "functions that double": `${Array.from({ length: 40 }, (_, level) => `f${level}() { f${level + 1}; f${level + 1}; };`).join(" ")} f0`,
  "loops in loops": `${"for i in {1..60}; do ".repeat(8)} rm $i; ${"done; ".repeat(8)}`,
  "alternatives in alternatives": `${Array.from({ length: 60 }, (_, index) => `if a; then x${index}=1; else x${index}=2; fi;`).join(" ")} rm ${Array.from({ length: 60 }, (_, index) => `$x${index}`).join("")}`,
  "eval of itself": `x='eval "$x"'; eval "$x"`,
  "a script that runs itself": `echo 'sh a' > a; sh a`,
  "an alias of itself": "alias a='b' b='a'; a",
  "a function that calls itself": "f() { f; f; }; f",
  "a trap that sets itself": `trap 'trap "$x" EXIT' EXIT`,
  "2,000 exports": Array.from({ length: 2000 }, (_, index) => `export x${index}=1`).join("; "),
  "100 KiB of semicolons": ";".repeat(100_000),
  "100 KiB of ampersands": "a&".repeat(50_000),
  "30,000 pipes": "a | ".repeat(30_000),
  "NUL bytes": "rm -rf /\u0000; rm -rf x\u0000",
  "lone surrogates": "rm \ud800 '\udfff' $'\\ud800' \udc00*",
  "control characters": "rm \u001b[31m \u0007 \u007f",
  "private use characters": 'X=$Y; bash -c "rm \ue000\ue001 $X \ue002"',
  "bidirectional text": "rm \u202e/ fr-",
  "carriage returns": "rm x\r\nrm y\r\n",
  "prototype names":
    "__proto__=1; constructor=2; rm $__proto__ $constructor ${toString} $hasOwnProperty; __proto__ x; constructor y",
  "a very long variable name": `${"a".repeat(100_000)}=1; rm $${"a".repeat(100_000)}`,
  "a very long here-document": `cat <<E\n${"line\n".repeat(40_000)}E`,
  "numbers without end": `rm {1..99999999999999} $((99999999999**99999999)) $((1/0)) {1..1..0}`,
};

describe("hostile text", () => {
  it.each(Object.entries(HOSTILE))("%s", (_, command) => {
    const facts = read(command);
    expect(facts.steps).toBeLessThan(2 * (LIMITS.steps + LIMITS.words));
    expect(facts.invocations.length).toBeLessThan((2 * LIMITS.steps) / LIMITS.stepsOfStart);
    for (const { reason } of facts.unexamined) expect(reason).not.toBe("failure");
  });

  it.each([
    "5,000 nested substitutions",
    "5,000 subshells",
    "256 KiB of opening braces",
    "functions that double",
    "5,000 nested quoted substitutions",
  ])("%s leave a note", name => {
    expect(read(HOSTILE[name] ?? "").unexamined.length).toBeGreaterThan(0);
  });

  it("finds the dangerous words of what it could not read", () => {
    expect(read(HOSTILE["5,000 nested substitutions"] ?? "").unexamined[0]).toMatchObject({
      reason: "nesting",
      criticalWords: ["rm"],
    });
    const long = `${"echo a;".repeat(40_000)} g'i't push`;
    expect(read(long).unexamined).toMatchObject([{ reason: "input-size", criticalWords: ["git"] }]);
  });

  it("takes no harm from prototype names", () => {
    expect(calls("__proto__=/q; rm $__proto__; constructor=/r; rm $constructor", "rm")).toEqual([
      "rm /q",
      "rm /r",
    ]);
    expect(read("constructor x; __proto__ y; toString z").invocations.map(one => one.program)).toEqual([
      "constructor",
      "__proto__",
      "toString",
    ]);
    expect(calls("echo constructor | xargs rm; hasOwnProperty() { rm x; }; hasOwnProperty", "rm")).toEqual([
      "rm constructor",
      "rm x",
    ]);
  });

  it("keeps NUL, surrogates and private characters as they are", () => {
    expect(calls("rm '\ue000' \ud800", "rm")).toEqual(["rm \ue000 \ud800"]);
    expect(calls('bash -c "rm \ue000 $X"', "rm")).toEqual(["rm \ue000 {$X}"]);
  });
});

describe("text that is not complete or not shell", () => {
  const reasons = (command: string) => read(command).unexamined.map(one => one.reason);

  it.each([
    ['rm -rf "/', ["rm -rf /", "rm -rf /{what follows}"]],
    ["rm -rf '/", ["rm -rf /", "rm -rf /{what follows}"]],
    ["rm -rf $(", ["rm -rf"]],
    ["rm -rf / &&", ["rm -rf /"]],
    ["if true; then rm -rf /", ["rm -rf /"]],
    ["echo a; rm -rf / '", ["rm -rf / ", "rm -rf / {what follows}"]],
    ["rm a\nrm b '", ["rm a", "rm b ", "rm a", "rm b {what follows}"]],
    ["rm a\nrm b; if x; then rm c", ["rm a", "rm b", "rm c"]],
    ["rm a; rm b\nfor i in 1; do", ["rm a", "rm b"]],
    ["rm a\n\nrm b\ncat <(", ["rm a", "rm b"]],
  ])("%j waits for more in a shell that stays open, and is read as what it becomes", (command, expected) => {
    expect(reasons(command)).toEqual(["incomplete"]);
    expect(calls(command, "rm")).toEqual(expected);
  });

  it("reads a here-document without an end, because it runs", () => {
    expect(calls("bash <<E\nrm x", "rm")).toEqual(["rm x"]);
    expect(reasons("bash <<E\nrm x")).toEqual([]);
  });

  it.each([
    "rm a ) b; rm c",
    "rm (a)",
    "foreach i (a b); rm $i; end",
    "fi; rm x",
    "rm a;; rm b",
    "echo }{ | | rm x",
  ])("%s leaves a note with the dangerous words", command => {
    const notes = read(command).unexamined;
    expect(notes.length).toBeGreaterThan(0);
    expect(
      notes.some(one => one.reason === "syntax" && one.criticalWords.includes("rm")) ||
        calls(command, "rm").length > 0,
    ).toBe(true);
  });

  it("judges a broken substitution apart from its surroundings", () => {
    expect(calls("rm a; echo $(fi; rm b)", "rm")).toContain("rm a");
    expect(reasons("rm a; echo $(fi; rm b)")).toContain("syntax");
  });
});
