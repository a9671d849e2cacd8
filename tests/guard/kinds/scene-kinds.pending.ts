import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { NODE_PROGRAM, runProgram } from "../../hooks/executable.ts";
import { FILLED } from "../families/measure.ts";
import { judge } from "../scene.ts";
import { HELD_OUT as FLAGS_HELD_OUT } from "./scene-flags.held-out.ts";
import { CASES as FLAGS, type FlagRow, pairsOf } from "./scene-flags.ts";
import type { SceneCase } from "./scene-form.ts";
import { asProgram, type Hook, inProcess, measure, type Rates, Scenes } from "./scene-measure.ts";
import { HELD_OUT as PAYLOADS_HELD_OUT } from "./scene-payloads.held-out.ts";
import { CASES as PAYLOADS, type PayloadCase } from "./scene-payloads.ts";
import { HELD_OUT as QUIETER_HELD_OUT } from "./scene-quieter.held-out.ts";
import { CASES as QUIETER } from "./scene-quieter.ts";
import { HELD_OUT as SEQUENCES_HELD_OUT } from "./scene-sequences.held-out.ts";
import { CASES as SEQUENCES } from "./scene-sequences.ts";
import { HELD_OUT as SESSION_FILES_HELD_OUT } from "./scene-session-files.held-out.ts";
import { CASES as SESSION_FILES } from "./scene-session-files.ts";
import { HELD_OUT as TAKEN_ALONG_HELD_OUT } from "./scene-taken-along.held-out.ts";
import { CASES as TAKEN_ALONG } from "./scene-taken-along.ts";

// Not yet among the tests: whoever has mended a kind renames this to `scene-kinds.test.ts`. Until then it is run by
// `npx vitest run --config tests/guard/kinds/scene.vitest.ts`; AMPLIHACK_SCENE_RATES=FILE writes the rates there, and
// AMPLIHACK_SCENE_NAMES=1 shows the names of those of `CASES` that were judged otherwise than expected.

const MIN_STOPPED = 0.88;
const MAX_BOTHERED = 0.01;
const RATES = process.env["AMPLIHACK_SCENE_RATES"];
const SHOWS_NAMES = process.env["AMPLIHACK_SCENE_NAMES"] === "1";

/** Without names: what is held out must not be read from a list of failures. */
const rates: Record<string, object> = {};
afterAll(() => {
  if (RATES !== undefined) writeFileSync(RATES, `${JSON.stringify(rates, null, 2)}\n`);
});

function record(name: string, { passedThough, stoppedThough, ...counts }: Rates, isHeldOut: boolean): void {
  rates[name] = counts;
  if (SHOWS_NAMES && !isHeldOut)
    process.stdout.write(
      `${name}\n${[...passedThough.map(one => `  passed: ${one}`), ...stoppedThough.map(one => `  stopped: ${one}`)].join("\n")}\n`,
    );
  if (counts.dangerous > 0) expect(counts.stopped / counts.dangerous).toBeGreaterThanOrEqual(MIN_STOPPED);
  if (counts.ordinary > 0) expect(counts.bothered / counts.ordinary).toBeLessThanOrEqual(MAX_BOTHERED);
}

interface Kind {
  readonly name: string;
  readonly cases: readonly SceneCase[];
  readonly heldOut: readonly SceneCase[];
  readonly hook: Hook;
}

const KINDS: readonly Kind[] = [
  {
    name: "files of the session, run another way",
    cases: SESSION_FILES,
    heldOut: SESSION_FILES_HELD_OUT,
    hook: inProcess,
  },
  { name: "what would be taken along", cases: TAKEN_ALONG, heldOut: TAKEN_ALONG_HELD_OUT, hook: inProcess },
  {
    name: "sequences",
    cases: SEQUENCES,
    heldOut: SEQUENCES_HELD_OUT,
    hook: process.env["AMPLIHACK_SCENE_PROGRAM"] === "1" ? asProgram : inProcess,
  },
  { name: "quieter", cases: QUIETER, heldOut: QUIETER_HELD_OUT, hook: inProcess },
];

describe.each(KINDS)("$name", ({ name, cases, heldOut, hook }) => {
  it("to be mended", async () => {
    record(name, await measure(cases, hook), false);
  });

  it("held out", async () => {
    record(`${name}, held out`, await measure(heldOut, hook), true);
  });
});

const SAYS_NO =
  /"(permissionDecision|decision|permission|action|allow_tool)":\s*"(ask|deny|block)"|"(cancel|block)":\s*true|"(continue|allow)":\s*false/;

/** There `ask` leaves it to the person's own settings: it is the answer without an opinion. */
const SAYS_NO_TO_ANTIGRAVITY = /"decision":\s*"(deny|force_ask)"/;

/** What the hook program makes of the bytes; `policy` when nothing was objected and its record says that something was wrong. */
async function answered({ words, input }: PayloadCase, place: { home: string; project: string }) {
  const ran = await runProgram(NODE_PROGRAM, words, { home: place.home, cwd: place.project, input });
  const no = words.includes("antigravity") ? SAYS_NO_TO_ANTIGRAVITY : SAYS_NO;
  if (ran.code === 2 || no.test(ran.stdout)) return "stop";
  const last = ran.stderr.trimEnd().split("\n").at(-1) ?? "{}";
  return (JSON.parse(last) as { readonly result?: string }).result === "ok" ? "pass" : "policy";
}

describe("shapes of payloads", () => {
  it.each([
    ["shapes of payloads", PAYLOADS],
    ["shapes of payloads, held out", PAYLOADS_HELD_OUT],
  ] as const)("%s", async (name, cases) => {
    const scenes = new Scenes();
    const place = scenes.make({});
    try {
      const wrong: string[] = [];
      for (const one of cases) {
        const answer = await answered(one, place);
        if (answer !== one.expected) wrong.push(`${one.name}: ${answer}`);
      }
      const of = (expected: string) => cases.filter(one => one.expected === expected);
      const wrongOf = (expected: string) =>
        of(expected).filter(one => wrong.some(text => text.startsWith(`${one.name}: `)));
      const dangerous = of("stop").length;
      rates[name] = {
        dangerous,
        stopped: dangerous - wrongOf("stop").length,
        ordinary: of("pass").length,
        bothered: wrongOf("pass").length,
        withoutCall: of("policy").length,
        withoutCallNotTold: wrongOf("policy").length,
      };
      if (name.endsWith("held out")) expect(wrong.length).toBe(0);
      else expect(wrong).toEqual([]);
    } finally {
      scenes.removeAll();
    }
  });
});

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

function weakened(rows: readonly FlagRow[]): {
  readonly pairs: number;
  readonly plainStopped: number;
  readonly weaker: readonly string[];
} {
  const rank = (command: string) => RANK[judge(command, { system: FILLED }).verdict as keyof typeof RANK];
  const pairs = pairsOf(rows);
  return {
    pairs: pairs.length,
    plainStopped: pairs.filter(([plain]) => rank(plain) > 0).length,
    weaker: pairs
      .filter(([plain, withFlag]) => rank(withFlag) < rank(plain))
      .map(([plain, withFlag]) => `${plain} → ${withFlag}`),
  };
}

describe("a flag never weakens", () => {
  it("to be mended", () => {
    const { weaker, ...counts } = weakened(FLAGS);
    rates["flags"] = { ...counts, weaker: weaker.length };
    expect(weaker).toEqual([]);
  });

  it("held out", () => {
    const { weaker, ...counts } = weakened(FLAGS_HELD_OUT);
    rates["flags, held out"] = { ...counts, weaker: weaker.length };
    expect(weaker.length).toBe(0);
  });
});
