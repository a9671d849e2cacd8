import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Footprint } from "../../src/guard/footprint.ts";
import { NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { beginCall } from "../../src/history/begin.ts";
import { completeChange } from "../../src/history/complete.ts";
import { type HistoryContext, openContext } from "../../src/history/context.ts";
import { findOpen } from "../../src/history/open-changes.ts";
import { runs } from "../generated-inputs.ts";
import { AMPLE, type TestProject, testProject } from "./project.ts";

// Calls that run at the same time, as those of several agents do and of programs in the background: each looks at the
// tree when it begins and when it ends, with the work of the others in between.

const NAMES = ["a.txt", "b.txt", "c.txt", "new.txt"];
const GIT = ["git checkout -q -- .", "git reset -q --hard", "git stash -q -u", "git commit -qam work"];

interface Call {
  readonly kind: "known" | "unknown" | "git";
  /** by turns: each is one moment of the call */
  readonly does: readonly string[];
  readonly names: readonly string[];
}

const effect = (path: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> =>
  fc
    .tuple(path, fc.constantFrom("printf one >", "printf two >", "printf b >", "rm -f"))
    .map(([at, does]) => [at, `${does} ${at}`] as const);

const call = (hasGit: boolean): fc.Arbitrary<Call> => {
  const effects = fc.array(effect(fc.constantFrom(...NAMES)), { minLength: 1, maxLength: 3 });
  const files = fc.tuple(fc.constantFrom("known" as const, "unknown" as const), effects).map(
    ([kind, chosen]): Call => ({
      kind,
      does: chosen.map(([, does]) => does),
      names: chosen.map(([path]) => path),
    }),
  );
  if (!hasGit) return files;
  const git = fc
    .constantFrom(...GIT)
    .map((command): Call => ({ kind: "git", does: [`${command} 2>/dev/null`], names: [] }));
  return fc.oneof({ weight: 4, arbitrary: files }, { weight: 1, arbitrary: git });
};

function footprintOf(project: TestProject, { kind, names }: Call): Partial<Footprint> {
  if (kind === "unknown") return { unknownIn: [project.root] };
  if (kind === "known") return { targets: names.map(path => project.target(path, "write")) };
  const place = { top: project.root, gitDirectory: `${project.root}/.git` };
  return { repositories: [{ ...place, changesFiles: true, changesState: true, changesIgnored: false }] };
}

function start(hasGit: boolean): TestProject {
  const project = testProject();
  project.write({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
  if (!hasGit) return project;
  project.git("init", "-q", "-b", "main");
  project.git("add", "-A");
  project.git("commit", "-qm", "one");
  project.write({ "c.txt": "changed" });
  return project;
}

/** Each number is the next moment of that call: its beginning, its effects one by one, its end. */
async function play(hasGit: boolean, calls: readonly Call[], moments: readonly number[]): Promise<void> {
  const project = start(hasGit);
  const before = project.state();
  const next = calls.map(() => 0);
  for (const at of moments) {
    const one = calls[at];
    const step = next[at] ?? 0;
    if (one === undefined) throw new Error("there is no such call");
    next[at] = step + 1;
    const [name, session] = [`program ${at}`, `s${at % 2}`];
    if (step === 0) await project.begin(name, footprintOf(project, one), session);
    else if (step <= one.does.length) project.shell(one.does[step - 1] ?? "");
    else await project.end(name, session);
  }
  const ids = project.history.listChanges({}).changes.map(({ id }) => id);
  if (ids.length > 0) {
    const plan = await project.history.planUndo({ kind: "ids", ids });
    expect(plan.conflicts).toEqual([]);
    await project.history.applyUndo(plan);
  }
  expect(project.state()).toEqual(before);
}

const momentsOf = (calls: readonly Call[]) =>
  calls.flatMap(({ does }, at) => Array.from({ length: does.length + 2 }, () => at));

describe("calls that run at the same time", () => {
  for (const hasGit of [true, false])
    it(`are taken back together ${hasGit ? "in a repository" : "without git"}`, async () => {
      const scene = fc.array(call(hasGit), { minLength: 2, maxLength: 3 }).chain(calls => {
        const all = momentsOf(calls);
        return fc.tuple(
          fc.constant(calls),
          fc.shuffledSubarray(
            all.map((at, index) => ({ at, index })),
            {
              minLength: all.length,
              maxLength: all.length,
            },
          ),
        );
      });
      await fc.assert(
        fc.asyncProperty(scene, ([calls, moments]) =>
          play(
            hasGit,
            calls,
            moments.map(({ at }) => at),
          ),
        ),
        { numRuns: hasGit ? runs(12, 120) : runs(30, 300) },
      );
    });
});

describe("what a call writes while an unknown program of another session runs", () => {
  const begin = (context: HistoryContext, session: string, footprint: Partial<Footprint>) =>
    beginCall(
      context,
      {
        host: "claude-code",
        session,
        tool: "Bash",
        toolUseId: session,
        command: session,
        verdict: "allow",
        rules: [],
      },
      { ...NO_FOOTPRINT, ...footprint },
    );

  async function end(context: HistoryContext, session: string): Promise<readonly string[]> {
    const [open] = findOpen(context.store, session);
    const change = open === undefined ? undefined : await completeChange(context, open, { exit: "ok" });
    return (change?.files ?? []).map(({ path, what, after }) => {
      const size = after.kind === "file" ? after.size : after.kind;
      return `${what} ${path.slice(context.places.project.length + 1)} ${size}`;
    });
  }

  it.each(["", "ha"])("is that call's as a whole, where the program began when it was %j", async half => {
    const p = testProject();
    const before = p.state();
    await begin(p.context, "named", { targets: [p.target("new.txt", "write")] });
    p.write({ "new.txt": half });
    await begin(p.context, "unknown", { unknownIn: [p.root] });
    p.write({ "new.txt": "half" });
    expect(await end(p.context, "named")).toEqual(["created new.txt 4"]);
    expect(await end(p.context, "unknown")).toEqual([]);
    await p.undo();
    expect(p.state()).toEqual(before);
  });

  it("is that call's too when the program began in the millisecond in which it ended", async () => {
    const p = testProject();
    const { system, places } = p.context;
    const nowMs = system.clock.nowMs();
    const context = openContext({ ...system, clock: { ...system.clock, nowMs: () => nowMs } }, places, AMPLE);
    p.write({ "a.txt": "one" });
    await begin(context, "named", { targets: [p.target("a.txt", "write"), p.target("new.txt", "write")] });
    await begin(context, "unknown", { unknownIn: [p.root] });
    p.write({ "a.txt": "another", "new.txt": "new" });
    expect(await end(context, "named")).toEqual(["changed a.txt 7", "created new.txt 3"]);
    p.write({ "mine.txt": "mine" });
    expect(await end(context, "unknown")).toEqual(["created mine.txt 4"]);
  });

  it("and what the program makes of it afterwards is the program's", async () => {
    const p = testProject();
    const { system, places } = p.context;
    const nowMs = system.clock.nowMs();
    const context = openContext({ ...system, clock: { ...system.clock, nowMs: () => nowMs } }, places, AMPLE);
    p.write({ "a.txt": "one" });
    await begin(context, "named", { targets: [p.target("a.txt", "write")] });
    p.write({ "a.txt": "another" });
    await end(context, "named");
    await begin(context, "unknown", { unknownIn: [p.root] });
    p.write({ "a.txt": "of the program" });
    expect(await end(context, "unknown")).toEqual(["changed a.txt 14"]);
    const [unknown] = p.history.listChanges({}).changes;
    expect(unknown?.files).toMatchObject([{ before: { kind: "file", size: 7 } }]);
    expect(unknown?.files[0]).not.toHaveProperty("wentOn");
    await p.undo(unknown?.id);
    expect(p.read("a.txt")).toBe("another");
  });

  it("and what begins after the end of a call is no part of it, however fast it was", async () => {
    const p = testProject();
    const { system, places } = p.context;
    let nowMs = system.clock.nowMs();
    const clock = {
      ...system.clock,
      nowMs: () => nowMs,
      sleepMs(ms: number) {
        nowMs += ms;
      },
    };
    const context = openContext({ ...system, clock }, places, AMPLE);
    for (const session of ["first", "second"]) {
      p.write({ "a.txt": "one" });
      await begin(context, session, { targets: [p.target("a.txt")] });
      p.shell("rm a.txt");
      expect(await end(context, session)).toEqual(["deleted a.txt absent"]);
    }
    await p.undo();
    expect(p.read("a.txt")).toBe("one");
  });
});
