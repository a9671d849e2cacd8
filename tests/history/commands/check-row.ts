import { join } from "node:path";
import { expect } from "vitest";
import { type GitFacts, printGit, readGit } from "./git-facts.ts";
import type { ProjectKind, Projects } from "./projects.ts";
import type { PlacedRow } from "./row.ts";
import { type HookRunner, Session, type } from "./session.ts";
import { expectNothing, unlike } from "./state.ts";
import { changedPaths, readTree } from "./tree.ts";

/** Every copy of a project starts with the same words of git. */
const firstWords = new Map<ProjectKind, Promise<GitFacts>>();

/** Makes the call of a row between its hooks, and takes it back: everything is as it was. */
export async function checkRow(projects: Projects, row: PlacedRow, runHook: HookRunner): Promise<void> {
  const scene = await projects.make(row.kind, row.settings);
  const words = firstWords.get(row.kind) ?? readGit(scene);
  firstWords.set(row.kind, words);
  const before = { tree: readTree(scene.home), ...(await words) };
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
