import { describe, expect, it } from "vitest";
import { copyMachine, createMemorySystem, type MemoryMachine, ProcessDied } from "../../src/system/memory.ts";
import { runs } from "../generated-inputs.ts";
import {
  begin,
  complete,
  type HistoryScene,
  historyOf,
  pictureOf,
  prepare,
  ruin,
  undo,
} from "./history-scene.ts";

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;
type Kind = "named" | "unknown";
/** Every operation in the long run; else one in three, and in each test other ones. */
const STRIDE = runs(3, 1);

/** A new process on a machine, or on one that is fresh. */
function open(machine?: MemoryMachine) {
  const system = createMemorySystem({ cwd: PROJECT, ...(machine === undefined ? {} : { machine }) });
  return { system, home: HOME, project: PROJECT };
}

function openPrepared() {
  const scene = open();
  prepare(scene);
  return scene;
}

async function openRuined(kind: Kind) {
  const scene = openPrepared();
  await begin(scene, kind);
  ruin(scene);
  return scene;
}

async function openDone(kind: Kind) {
  const scene = await openRuined(kind);
  await complete(scene);
  return scene;
}

const BEFORE = pictureOf(openPrepared());
const RUINED = (() => {
  const scene = openPrepared();
  ruin(scene);
  return pictureOf(scene);
})();

/**
 * Does the same work many times, each time on a copy of the machine with another file operation at which it fails or dies, and collects what is wrong afterwards.
 */
async function everyStep(
  machine: MemoryMachine,
  fault: "fail" | "die",
  work: (scene: HistoryScene) => Promise<unknown>,
  check: (next: HistoryScene, ended: Ended) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const whole = open(copyMachine(machine));
  await work(whole);
  const total = whole.system.faults.count;
  expect(total).toBeGreaterThan(10);
  const complaints: string[] = [];
  const first = 1 + (total % STRIDE);
  for (let step = first; step <= total; step += STRIDE) {
    const scene = open(copyMachine(machine));
    if (fault === "fail") scene.system.faults.failAt(step, "ENOSPC");
    else scene.system.faults.dieAt(step);
    const ended = await settle(work(scene));
    const failed = scene.system.calls[step - 1];
    scene.system.processes.die();
    const next = open(scene.system.machine);
    const found = await check(next, ended).catch(error => [`it fails: ${error}`]);
    complaints.push(...found.map(line => `step ${step} (${failed?.operation} ${failed?.path}): ${line}`));
  }
  return complaints;
}

type Ended = { readonly value: unknown } | { readonly error: unknown };

function settle(work: Promise<unknown>): Promise<Ended> {
  return work.then(
    value => ({ value }),
    error => ({ error }),
  );
}

/** A line that a killed process left half written is told of and left out; anything else is wrong. */
function unreadable(scene: HistoryScene): readonly string[] {
  const { problems } = historyOf(scene).listChanges({});
  return problems.filter(problem => !problem.endsWith("is damaged and was left out"));
}

function differs(scene: HistoryScene, expected: string, what: string): readonly string[] {
  const found = pictureOf(scene);
  return found === expected ? [] : [`${what}:\n${found}`];
}

describe.each<Kind>(["named", "unknown"])("the history of a call whose effects are %s", kind => {
  it("keeps everything, or says what it did not keep, whichever operation of the capture fails", async () => {
    const { system } = openPrepared();
    const complaints = await everyStep(
      system.machine,
      "fail",
      scene => begin(scene, kind),
      async (next, ended) => {
        if ("error" in ended) return [`it throws ${ended.error}`];
        const { isComplete, lost } = ended.value as Awaited<ReturnType<typeof begin>>;
        const found = [...differs(next, BEFORE, "the files are others"), ...unreadable(next)];
        if (!isComplete) return lost.length === 0 ? [...found, "it does not say what was not kept"] : found;
        ruin(next);
        await complete(next);
        await undo(next);
        return [...found, ...differs(next, BEFORE, "what was kept does not come back")];
      },
    );
    expect(complaints).toEqual([]);
  });

  it("can be read, and an open change undone, wherever the capture was killed", async () => {
    const { system } = openPrepared();
    const complaints = await everyStep(
      system.machine,
      "die",
      scene => begin(scene, kind),
      async (next, ended) => {
        const found = [...differs(next, BEFORE, "the files are others"), ...unreadable(next)];
        if (!("error" in ended && ended.error instanceof ProcessDied)) found.push("it did not die");
        ruin(next);
        const [open] = historyOf(next).listChanges({}).changes;
        if (open !== undefined) {
          await undo(next);
          found.push(...differs(next, BEFORE, "the open change does not come back"));
        }
        return found;
      },
    );
    expect(complaints).toEqual([]);
  });

  it.each(["fail", "die"] as const)("is whole although operations at the end of the call %s", async fault => {
    const { system } = await openRuined(kind);
    const complaints = await everyStep(system.machine, fault, complete, async next => {
      const found = [...differs(next, RUINED, "the files are others"), ...unreadable(next)];
      await complete(next);
      const { plan } = await undo(next);
      const isTold = plan.changes.some(change => !change.isComplete && change.notKept.length > 0);
      return isTold ? found : [...found, ...differs(next, BEFORE, "it does not come back")];
    });
    expect(complaints).toEqual([]);
  });

  it("is undone or not undone, and says which, whichever operation of the undo fails", async () => {
    const { system } = await openDone(kind);
    const complaints = await everyStep(system.machine, "fail", undo, async (next, ended) => {
      if (!("error" in ended)) return [...differs(next, BEFORE, "undone only in part"), ...unreadable(next)];
      const found = [...differs(next, RUINED, "not taken back"), ...unreadable(next)];
      await undo(next);
      return [...found, ...differs(next, BEFORE, "it does not come back")];
    });
    expect(complaints).toEqual([]);
  });

  it("is undone by the next undo, wherever the first was killed", async () => {
    const { system } = await openDone(kind);
    const complaints = await everyStep(system.machine, "die", undo, async next => {
      const found = unreadable(next);
      const { changes } = historyOf(next).listChanges({});
      const isStanding = changes.some(({ kind, undoneBy }) => kind === "call" && undoneBy === undefined);
      if (isStanding) await undo(next, { force: true });
      return [...found, ...differs(next, BEFORE, "it does not come back")];
    });
    expect(complaints).toEqual([]);
  });
});
