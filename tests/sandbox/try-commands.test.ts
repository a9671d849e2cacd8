import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { printGit } from "../history/commands/git-facts.ts";
import { Projects } from "../history/commands/projects.ts";
import { type PlacedRow, rowsOf } from "../history/commands/row.ts";
import { runShell } from "../history/commands/run-shell.ts";
import { DELETIONS } from "../history/commands/tables/deletions.ts";
import { GIT_HISTORY } from "../history/commands/tables/git-history.ts";
import { GIT_WORK } from "../history/commands/tables/git-work.ts";
import { OVERWRITING } from "../history/commands/tables/overwriting.ts";
import { changedPaths, readTree, type Tree } from "../history/commands/tree.ts";
import { applyIn, canTry, discardIn, dyingSystem, startAgain, tryIn } from "./try-scene.ts";

/** All of them take minutes: `npm run test:sandbox`. */
const RUNS_ALL = process.env["AMPLIHACK_TEST_SANDBOX"] === "1";
const EVERY = 15;
const ROWS = [DELETIONS, OVERWRITING, GIT_WORK, GIT_HISTORY]
  .flatMap(rowsOf)
  .flatMap(row => {
    const { input } = row.call;
    const command = typeof input === "object" && "command" in input ? input["command"] : undefined;
    return typeof command === "string" ? [{ row, command }] : [];
  })
  // Chance, and what root may do outside the sandbox only.
  .filter(({ command }) => !/urandom|^cp -f README.md src\/read-only/.test(command))
  .filter((_, index) => RUNS_ALL || index % EVERY === 0);

/** Commits have a time in them, so what git prints is compared without their names. */
function withoutIds(printed: string): string {
  return printed.replace(/\b[0-9a-f]{7,40}\b/g, "ID").replace(/\b\d{10}\b/g, "TIME");
}

/** Every tenth operation of apply; in a run of few rows another one for each row. */
function tenthsOf(count: number, row: number): readonly number[] {
  const all = Array.from({ length: Math.floor(count / 10) }, (_, index) => 10 * (index + 1));
  return RUNS_ALL || all.length === 0 ? all : [all[row % all.length] ?? 10];
}

/** Homes have different names, which files of linked worktrees and an absolute link hold. */
function inProject(tree: Tree, folder: string): Tree {
  return new Map(
    [...tree].filter(
      ([path]) => path.startsWith(folder) && !/\/(\.git|gitdir|absolute)$|\.git\/worktrees/.test(path),
    ),
  );
}

describe.skipIf(!canTry)("commands that lose something, tried", () => {
  const projects = new Projects();

  const check = async ({ kind, ...row }: PlacedRow, command: string, number: number) => {
    const [tried, bare] = [await projects.make(kind), await projects.make(kind)];
    const places = (scene: typeof tried) =>
      row.in === undefined ? scene.project : join(scene.project, row.in);
    const folder = tried.project.slice(tried.home.length + 1);
    const isInside = (path: string) =>
      path === folder || path.startsWith(`${folder}/`) || path.includes("/.git/");
    const outside = (tree: Tree): Tree => new Map([...tree].filter(([path]) => !isInside(path)));
    const first = readTree(bare.home);
    const { code: bareCode } = await runShell(command, { cwd: places(bare), env: bare.env });
    const isElsewhere =
      !existsSync(bare.home) || changedPaths(outside(first), outside(readTree(bare.home))).length > 0;
    const before = { tree: readTree(tried.home), printed: await printGit(tried) };
    const { code, held } = await tryIn(tried, command, { cwd: places(tried) });
    expect(changedPaths(before.tree, readTree(tried.home))).toEqual([]);
    expect(await printGit(tried)).toBe(before.printed);
    // What a command would do elsewhere it cannot do in the sandbox; and the project itself stays.
    if (isElsewhere || !existsSync(bare.project) || held === undefined) {
      if (held !== undefined) await discardIn(tried, held.record);
      return held === undefined ? "unchanged" : "elsewhere";
    }
    expect(code).toBe(bareCode);
    const whole = dyingSystem(Number.POSITIVE_INFINITY);
    const error = await applyIn(tried, held.record, whole.system).then(
      () => undefined,
      failure => failure,
    );
    if (error !== undefined) {
      expect(error.causes?.join("\n")).toMatch(/other names/);
      expect(changedPaths(before.tree, readTree(tried.home))).toEqual([]);
      return "held";
    }
    expect(
      changedPaths(inProject(readTree(bare.home), folder), inProject(readTree(tried.home), folder)),
    ).toEqual([]);
    expect(withoutIds(await printGit(tried))).toBe(withoutIds(await printGit(bare)));
    // The same once more, by processes that are killed on the way: the next start finishes it or takes it back.
    let again: Awaited<ReturnType<typeof tryAgain>> | undefined;
    for (const at of tenthsOf(whole.count(), number)) {
      again ??= await tryAgain(kind, command, places);
      const { scene, record, untouched } = again;
      await applyIn(scene, record, dyingSystem(at).system).catch(() => {});
      const left = await startAgain(scene, record.project);
      const said = `killed at operation ${at} of ${whole.count()}`;
      if (left.length > 0) {
        expect(left, said).toMatchObject([{ status: "held" }]);
        expect(changedPaths(untouched.tree, readTree(scene.home)), said).toEqual([]);
        expect(await printGit(scene), said).toBe(untouched.printed);
        continue;
      }
      expect(
        changedPaths(inProject(readTree(scene.home), folder), inProject(readTree(tried.home), folder)),
        said,
      ).toEqual([]);
      expect(withoutIds(await printGit(scene)), said).toBe(withoutIds(await printGit(tried)));
      again = undefined;
    }
    return "applied";
  };

  const tryAgain = async (
    kind: PlacedRow["kind"],
    command: string,
    placeIn: (scene: Awaited<ReturnType<typeof projects.make>>) => string,
  ) => {
    const scene = await projects.make(kind);
    const untouched = { tree: readTree(scene.home), printed: await printGit(scene) };
    const { held } = await tryIn(scene, command, { cwd: placeIn(scene) });
    if (held === undefined) throw new Error("nothing was held the second time");
    return { scene, record: held.record, untouched };
  };

  it.each(
    ROWS.map(
      ({ row, command }, index) => [row.kind, command.replaceAll("\n", "⏎"), row, command, index] as const,
    ),
  )("%s: %s", { timeout: 600_000 }, async (_, __, row, command, index) => {
    expect(["applied", "held", "elsewhere", "unchanged"]).toContain(await check(row, command, index));
  });
});
