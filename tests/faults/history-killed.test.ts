import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import { bundleProgram } from "../bundle-program.ts";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import {
  begin,
  complete,
  finishLeft,
  type HistoryScene,
  historyOf,
  leaveRunning,
  pictureOf,
  prepare,
  ruin,
  type SceneKind,
  undo,
} from "./history-scene.ts";

const program = bundleProgram(new URL("./programs/dying-history.ts", import.meta.url));
const PHASES = ["begin", "complete", "ended", "undo"] as const;
type Phase = (typeof PHASES)[number];

function open(home: string): HistoryScene {
  return { system: createNodeSystem(), home, project: `${home}/project` };
}

function git({ home, project }: HistoryScene, ...words: readonly string[]): string {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...identity, ...words], { cwd: project, env, encoding: "utf8" });
}

/** What people see: the files, and what git tells. */
function look(scene: HistoryScene, kind: SceneKind): string {
  const files = pictureOf(scene)
    .split("\n")
    .filter(line => !line.startsWith(".git"))
    // In a repository, an empty folder that an unknown program takes is not promised.
    .filter(line => kind !== "unknown in git" || !line.startsWith("work/empty "));
  const questions =
    kind === "git" || kind === "unknown in git"
      ? [["status", "--porcelain=v2", "--branch"], ["stash", "list"], ["for-each-ref"]]
      : [];
  const told = questions.flatMap(words => git(scene, ...words).split("\n"));
  return [...files, ...told].join("\n");
}

function prepareOnDisk(scene: HistoryScene, kind: SceneKind): void {
  scene.system.files.makeDirectory(scene.project, 0o755);
  prepare(scene);
  if (kind !== "git" && kind !== "unknown in git") return;
  git(scene, "init", "--quiet", "--initial-branch=main");
  git(scene, "add", "work", "notes.md");
  git(scene, "commit", "--quiet", "--message=All");
  scene.system.files.append(`${scene.project}/notes.md`, scene.system.text.encode("and more\n"), 0o644);
  scene.system.files.append(`${scene.project}/work/one.ts`, scene.system.text.encode("staged\n"), 0o644);
  git(scene, "add", "work/one.ts");
}

function call(scene: HistoryScene, kind: SceneKind): void {
  if (kind !== "git") {
    ruin(scene);
    return;
  }
  git(scene, "stash", "push", "--quiet", "--include-untracked");
  git(scene, "commit", "--quiet", "--allow-empty", "--message=Another");
  git(scene, "stash", "drop", "--quiet");
}

/** The steps up to this phase, and what could be seen before all of them. */
async function reach(scene: HistoryScene, kind: SceneKind, phase: Phase): Promise<string> {
  prepareOnDisk(scene, kind);
  const before = look(scene, kind);
  if (phase === "begin") return before;
  await begin(scene, kind);
  call(scene, kind);
  if (phase === "undo") await complete(scene);
  if (phase === "ended") leaveRunning(scene);
  return before;
}

function runPhase({ home }: HistoryScene, kind: SceneKind, phase: Phase, when = 0, at = "before") {
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  return spawnSync(process.execPath, [program, home, phase, kind, String(when), at], {
    env,
    encoding: "utf8",
  });
}

async function finish(scene: HistoryScene, kind: SceneKind, phase: Phase): Promise<boolean> {
  if (phase === "begin") call(scene, kind);
  const stands = () =>
    historyOf(scene)
      .listChanges({})
      .changes.some(change => change.kind === "call" && change.undoneBy === undefined);
  if (phase === "ended") await finishLeft(scene);
  else if (phase !== "undo") await complete(scene);
  const isKept = stands();
  if (isKept) await undo(scene, { force: true });
  return isKept;
}

describe.each<SceneKind>(["unknown", "git", "unknown in git"])("a real process of the history (%s)", kind => {
  it.each(PHASES)(
    "killed in the middle of `%s` leaves a history that can be read and undone",
    async phase => {
      const top = temporaryDirectory();
      const model = open(`${top}/model`);
      const before = await reach(model, kind, phase);
      const saved = `${top}/saved`;
      cpSync(model.home, saved, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      const total = Number(runPhase(model, kind, phase).stdout);
      expect(total).toBeGreaterThan(1);
      for (let step = 1; step <= total; step += runs(11, 1)) {
        const scene = open(model.home);
        rmSync(scene.home, { recursive: true });
        cpSync(saved, scene.home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
        const { signal } = runPhase(scene, kind, phase, step, step % 2 === 0 ? "before" : "after");
        // An id that is taken costs one operation more, so that the last few may not be reached.
        if (signal !== "SIGKILL") expect(step).toBeGreaterThan(total - 3);
        if (phase === "begin") expect(look(scene, kind)).toBe(before);
        expect(historyOf(scene).listChanges({}).problems).toEqual([]);
        const isKept = await finish(scene, kind, phase);
        if (isKept || phase !== "begin") expect(look(scene, kind)).toBe(before);
        expect(pictureOf(scene)).not.toMatch(/[0-9a-f]{12}\.tmp/);
      }
    },
  );
});
