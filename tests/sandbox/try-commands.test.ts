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

  const check = async ({ kind, ...row }: PlacedRow, command: string, killedAt: number) => {
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
    const error = await applyIn(tried, held.record).then(
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
    // The same once more, by a process that is killed on the way: the next start finishes it or takes it back.
    const killed = await projects.make(kind);
    const untouched = { tree: readTree(killed.home), printed: await printGit(killed) };
    const again = await tryIn(killed, command, { cwd: places(killed) });
    if (again.held === undefined) throw new Error("nothing was held the second time");
    await applyIn(killed, again.held.record, dyingSystem(killedAt).system).catch(() => {});
    const left = await startAgain(killed, again.held.record.project);
    if (left.length > 0) {
      expect(left).toMatchObject([{ status: "held" }]);
      expect(changedPaths(untouched.tree, readTree(killed.home))).toEqual([]);
      expect(await printGit(killed)).toBe(untouched.printed);
    } else {
      expect(
        changedPaths(inProject(readTree(killed.home), folder), inProject(readTree(tried.home), folder)),
      ).toEqual([]);
      expect(withoutIds(await printGit(killed))).toBe(withoutIds(await printGit(tried)));
    }
    return "applied";
  };

  /** Another tenth operation of apply for each row. */
  const KILLED_AT = [10, 20, 30, 40, 50, 60];
  it.each(
    ROWS.map(
      ({ row, command }, index) =>
        [
          row.kind,
          command.replaceAll("\n", "⏎"),
          row,
          command,
          KILLED_AT[index % KILLED_AT.length] ?? 10,
        ] as const,
    ),
  )("%s: %s", { timeout: 120_000 }, async (_, __, row, command, killedAt) => {
    expect(["applied", "held", "elsewhere", "unchanged"]).toContain(await check(row, command, killedAt));
  });
});
