import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkBwrap, findBwrap } from "../../src/sandbox/bwrap.ts";
import { checkLayers, usableLayers } from "../../src/sandbox/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { type Attempt, SETS, type SetName } from "./attempts/attempt.ts";
import { BESIDE } from "./attempts/beside.ts";
import { DETOURS } from "./attempts/detours.ts";
import { GIT } from "./attempts/git.ts";
import { HANDED } from "./attempts/handed.ts";
import { KERNEL } from "./attempts/kernel.ts";
import { LATER } from "./attempts/later.ts";
import { OTHERS } from "./attempts/others.ts";
import { REACH } from "./attempts/reach.ts";
import { READS } from "./attempts/reads.ts";
import { WRITES } from "./attempts/writes.ts";
import { type OutsideWorld, startWorld } from "./outside-world.ts";
import {
  type Account,
  environmentOf,
  giveScene,
  gotOut,
  ORDINARY,
  PYTHON,
  planFor,
  runInBwrap,
  runWords,
  wordsOf,
} from "./run-attempt.ts";
import { describeOutside, makeScene, PROGRAM, removeScene, type Scene } from "./scene.ts";
import { ScenePool } from "./scene-pool.ts";

const ATTEMPTS = [
  ...WRITES,
  ...GIT,
  ...READS,
  ...REACH,
  ...KERNEL,
  ...HANDED,
  ...LATER,
  ...OTHERS,
  ...DETOURS,
  ...BESIDE,
].filter(({ language }) => language !== "python" || PYTHON !== undefined);
const named = (attempts: readonly Attempt[]) => attempts.map(attempt => [attempt.name, attempt] as const);
/** All sets, as root and as an ordinary user; else the set that is used where everything works. */
const IS_WHOLE = process.env["AMPLIHACK_TEST_SANDBOX"] === "1";
const IS_ROOT = process.getuid?.() === 0;
const LEAST_SIGNAL_SCOPE = 6;

const report = existsSync(PROGRAM) ? checkLayers(PROGRAM, "/nonexistent") : undefined;

const foundBwrap = findBwrap(createNodeSystem());
const bwrap =
  foundBwrap !== undefined && usableLayers(checkBwrap(foundBwrap)) !== undefined ? foundBwrap : undefined;

/** Why a set cannot be tried on this machine; undefined where it can. */
function whyNot(set: SetName): string | undefined {
  if (set === "bwrap")
    return bwrap !== undefined ? undefined : "bwrap is not installed or may not do it here";
  if (report === undefined) return "npm run build:sandbox makes the program";
  const lacking = SETS[set].filter(layer => !report[layer].works);
  if (lacking.length > 0) return `no ${lacking.join(" and ")} here`;
  // Otherwise its attempts could signal processes of this machine.
  if (set === "without namespaces" && report.landlockVersion < LEAST_SIGNAL_SCOPE)
    return "Landlock is too old";
  return undefined;
}

const isLeft = ({ leaves }: Attempt, { project }: Scene) =>
  leaves !== undefined && existsSync(join(project, leaves));

const accounts: readonly (readonly [string, Account])[] = [
  ["as this user", undefined],
  ...(IS_ROOT && IS_WHOLE ? [["as an ordinary user", ORDINARY] as const] : []),
];

describe.each(accounts)("a command in the sandbox, %s", (_, account) => {
  let template: Scene;
  let world: OutsideWorld;
  let pool: ScenePool;
  beforeAll(async () => {
    template = makeScene();
    giveScene(template, account);
    world = await startWorld(template, account);
    pool = new ScenePool(template, world, account);
  });
  afterAll(() => {
    world.end();
    pool.remove();
    removeScene(template);
  });

  for (const set of Object.keys(SETS) as SetName[]) {
    const reason = whyNot(set);
    const isTried = reason === undefined && (IS_WHOLE || set === "all");
    describe.skipIf(!isTried)(reason === undefined ? `${set}:` : `${set} (${reason}):`, () => {
      it.concurrent.each(named(ATTEMPTS))("%s", async (_, attempt) => {
        const prepared = await pool.take(set, (scene, env) => planFor(scene, env, SETS[set]));
        const { scene, env, id } = prepared;
        const before = describeOutside(scene);
        const inputFile = attempt.readsOutside === true ? join(scene.outside, "file") : undefined;
        const ended = await (set === "bwrap"
          ? runInBwrap(bwrap ?? "", scene, wordsOf(attempt), { env, account, inputFile })
          : runWords([PROGRAM, "--home", scene.stateHome, id, "--", ...wordsOf(attempt)], scene, {
              env,
              account,
              inputFile,
            }));
        expect(ended.stderr).not.toMatch(/was not started|^bwrap: /);
        const isOut = gotOut(ended) || isLeft(attempt, scene);
        const isOpen = attempt.open.includes(set);
        // What works on every machine outside the sandbox is open for certain; the rest may be.
        if (!isOpen || attempt.worksBare) expect({ isOut, ...ended }).toMatchObject({ isOut: isOpen });
        if (!isOut) expect(describeOutside(scene)).toBe(before);
        expect(world.isAlive()).toBe(true);
        if (!isOut) pool.giveBack(set, prepared);
      });
    });
  }

  // An attempt that fails everywhere proves nothing.
  describe.skipIf(!IS_WHOLE)("without a sandbox each would get out:", () => {
    it.concurrent.each(named(ATTEMPTS.filter(({ worksBare }) => worksBare)))("%s", async (_, attempt) => {
      const scene = await pool.fresh();
      const ended = await runWords(wordsOf(attempt), scene, {
        env: environmentOf(scene, world),
        account,
        inputFile: attempt.readsOutside === true ? join(scene.outside, "file") : undefined,
      });
      const isOut = gotOut(ended) || isLeft(attempt, scene);
      expect({ isOut, ...ended }).toMatchObject({ isOut: true });
    });
  });
});
