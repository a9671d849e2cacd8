import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeArgv, judgeTool } from "../../src/exports/guard.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";
import { contextFor, judge, machine, readCorpus } from "./scene.ts";

const corpus = [
  ...readCorpus("ordinary.txt"),
  ...readCorpus("dangerous.txt"),
  ...readCorpus("dangerous-more.txt"),
];

describe("hundreds of patterns", () => {
  it("cost one listing of the directory they stand in per reader, however many they are", () => {
    const listings = (count: number) => {
      const system = machine();
      const listed: string[] = [];
      const files = Object.assign(Object.create(system.files), {
        list(path: string) {
          listed.push(path);
          return system.files.list(path);
        },
      });
      const patterns = Array.from({ length: count }, (_, index) => `*.x${index}`);
      judge(`rm -rf ${patterns.join(" ")}`, { system: { ...system, files } });
      return listed.length;
    };
    expect(listings(250)).toBe(listings(2));
    expect(listings(2)).toBeGreaterThan(0);
  });
});

describe("any text at all", () => {
  it("gets an answer and never a failure", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(..."rm -f/$(){}[]'\"`|&;<>*?!#\\\n=~"), maxLength: 120 }),
    );
    fc.assert(
      fc.property(text, command => {
        const { verdict, failure, reason } = judge(command);
        return (
          ["allow", "ask", "deny"].includes(verdict) &&
          failure === undefined &&
          (verdict === "allow") === (reason === undefined)
        );
      }),
      { numRuns: runs(1500) },
    );
  });

  it("cut off anywhere gets an answer", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...corpus),
        fc.nat(),
        (command, cut) => judge(command.slice(0, cut % (command.length + 1))).failure === undefined,
      ),
      { numRuns: runs(1500) },
    );
  });

  it("spliced together gets an answer", () => {
    fc.assert(
      fc.property(fc.constantFrom(...corpus), fc.constantFrom(...corpus), fc.nat(), (one, other, cut) => {
        const at = cut % (one.length + 1);
        return judge(one.slice(0, at) + other + one.slice(at)).failure === undefined;
      }),
      { numRuns: runs(800) },
    );
  });
});

describe("text made to tire the guard", () => {
  it.each([
    ["parentheses", "(".repeat(5000)],
    ["substitutions", "$(".repeat(5000)],
    ["braces", "{".repeat(9000)],
    ["a long word", `echo ${"a".repeat(200_000)}`],
    ["a long pipeline", Array.from({ length: 2000 }, () => "cat").join(" | ")],
    ["many commands", Array.from({ length: 3000 }, (_, index) => `echo ${index}`).join("; ")],
    ["brace bombs", "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"],
    [
      "nested shells",
      Array.from({ length: 14 })
        .reduce<string>(inner => `bash -c ${JSON.stringify(inner)}`, "rm -rf /")
        .slice(0, 200_000),
    ],
    ["flags without end", `sudo ${"-a ".repeat(5000)} mv x y`],
    ["loops in loops", `${"for i in 1 2 3 4 5 6 7 8; do ".repeat(8)} echo $i; ${"done; ".repeat(8)}`],
    ["nul bytes", "rm\u0000 -rf /"],
    ["one megabyte", "x".repeat(1024 * 1024)],
  ])("is answered: %s", (_, command) => expect(judge(command).failure).toBeUndefined());

  it("is never allowed in silence when a dangerous word was not looked at", () => {
    for (const command of [
      `${"x".repeat(300 * 1024)}; rm -rf /`,
      `${"$(".repeat(200)}rm -rf /${")".repeat(200)}`,
      Array.from({ length: 5000 }, () => "rm -rf $X").join("\n"),
    ]) {
      expect(judge(command).verdict).not.toBe("allow");
    }
  });
});

describe("text that hides what it says", () => {
  it.each(["echo a\u202eb", "ls \u200bx", "rm\u2060 x", "ls \u001b[2K", "echo \u{e0041}"])(
    "is asked about: %j",
    command => {
      expect(judge(command).findings.map(finding => finding.rule)).toContain("text.deceptive");
    },
  );

  it.each([
    "echo 'a\u200db'",
    'git commit -m "👨\u200d👩\u200d👧"',
    "echo 👨\u200d👩\u200d👧",
    "cat <<X\na\u202eb\nX",
    "echo naïve café",
    "echo 日本語",
  ])("is free as data: %j", command => {
    expect(judge(command).findings.map(finding => finding.rule)).not.toContain("text.deceptive");
  });
});

describe("a disk that does not answer", () => {
  it("changes no verdict on what is known by name", () => {
    const system = machine();
    system.faults.failUnder("/", "EIO");
    expect(judge("rm -rf /", { system }).verdict).toBe("deny");
    expect(judge("cat .env", { system }).verdict).toBe("ask");
  });
});

describe("words that are already expanded", () => {
  const argv = (...words: string[]) => judgeArgv(words, contextFor()).verdict;

  it("are judged without a shell between", () => {
    expect(argv("rm", "-rf", "/")).toBe("deny");
    expect(argv("rm", "-rf", "*")).toBe("ask");
    expect(argv("rm", "-rf", "node_modules")).toBe("allow");
    expect(argv("git", "push", "--force")).toBe("ask");
    expect(argv("git", "commit", "-m", "$(rm -rf /); rm -rf /")).toBe("allow");
    expect(argv("kubectl", "delete", "ns", "prod")).toBe("deny");
    expect(argv()).toBe("allow");
  });
});

describe("tool input of a strange shape", () => {
  it.each([
    null,
    5,
    "text",
    [],
    { file_path: 5 },
    { file_path: ["a", 5, ".env"] },
    { path: "\u0000" },
    { file_path: "a".repeat(100_000) },
  ])("gets an answer: %j", input => {
    const tool = { name: "Read", canonicalName: "Read", input };
    expect(["allow", "ask"]).toContain(
      judgeTool({ tool, facts: { command: null, paths: [] } }, contextFor()).verdict,
    );
  });
});

describe("the clock behind the steps", () => {
  const long = Array.from({ length: 200 }, (_, index) => `a${index}=1; echo $a${index}`).join("\n");

  it("asks about what was not examined in time", () => {
    const late = judge(`${long}\nls`, { isLate: () => true });
    expect(late.verdict).toBe("ask");
    expect(late.findings.map(finding => finding.rule)).toEqual(["guard.unexamined"]);
  });

  it("leaves everything alone that is examined in time", () => {
    expect(judge(`${long}\nls`, { isLate: () => false }).verdict).toBe("allow");
    expect(judge("ls; echo x", { isLate: () => true }).verdict).toBe("allow");
  });
});

describe("long chains", () => {
  it("end when the work allowed is done, and the rest is asked about", () => {
    const chain = Array.from({ length: 3000 }, (_, index) => `v${index}=1 && npm i`).join(" && ");
    expect(judge(chain).findings.map(finding => finding.rule)).toEqual(["guard.unexamined"]);
  });

  it("of statements are not named by the text of all others", () => {
    const { findings } = judge(`psql -c '${"drop table a; ".repeat(50)} select "prod"'`);
    expect(findings.map(({ rule, verdict }) => [rule, verdict])).toEqual([["db.drop", "ask"]]);
  });
});

describe("code behind a limit", () => {
  it.each([
    ["size", `echo ${"a".repeat(300 * 1024)}`],
    ["nesting", `${"$(".repeat(40)}echo${")".repeat(40)}`],
    ["words", Array.from({ length: 5000 }, () => "ls x").join("\n")],
  ])("is asked about, whatever it names: %s", (_, command) => {
    expect(judge(command).findings.map(finding => finding.rule)).toContain("guard.unexamined");
  });

  it("is not what a word with many forms is", () => {
    expect(judge("echo {1..5000}").verdict).toBe("allow");
  });
});
