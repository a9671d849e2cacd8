import { join } from "node:path";
import { expect } from "vitest";
import { printGit } from "./git-facts.ts";
import type { Projects } from "./projects.ts";
import type { PlacedRow } from "./row.ts";
import { type HookRunner, Session, type } from "./session.ts";
import { expectNothing, unlike } from "./state.ts";
import { changedPaths, readTree } from "./tree.ts";

/** Makes the call of a row between its hooks, and takes it back: everything is as it was. */
export async function checkRow(projects: Projects, row: PlacedRow, runHook: HookRunner): Promise<void> {
  const scene = await projects.make(row.kind, row.settings);
  const before = { tree: readTree(scene.home), ...(await projects.firstWords(row.kind, scene)) };
  const session = new Session(scene, runHook);
  const options = row.in === undefined ? {} : { cwd: join(scene.project, row.in) };
  const { decision, rules, output } = await session.make(row.call, options);
  const hasPassed = decision === "none";
  if (row.expected !== "either") {
    expect(hasPassed ? "passes" : "asks", rules.join(" ")).toBe(row.expected);
  }
  const after = readTree(scene.home);
  const hasChanged = changedPaths(before.tree, after).length > 0;
  if (!hasPassed) {
    expect(hasChanged, "changed although nothing ran").toBe(false);
    return;
  }
  if (!hasChanged && row.changesTimesOnly !== true) {
    expect(await printGit(scene), `nothing was changed: ${output}`).not.toBe(before.printed);
  }
  const undo = await type(scene, ["undo", "--yes"]);
  const undone = { printed: await printGit(scene), tree: readTree(scene.home) };
  expectNothing([
    ...(undo.code === 0 ? [] : [`undo ended with ${undo.code}: ${undo.stdout}${undo.stderr}`]),
    ...unlike(before, after, undone),
  ]);
}
