import { BUILT_IN } from "../../src/config/settings.ts";
import type { Footprint, FootprintTarget } from "../../src/guard/footprint.ts";
import { NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { finishEnded } from "../../src/history/background.ts";
import { beginCall } from "../../src/history/begin.ts";
import { completeChange } from "../../src/history/complete.ts";
import { type HistoryContext, openContext } from "../../src/history/context.ts";
import { type History, openHistory } from "../../src/history/index.ts";
import { findAllOpen, readOpen, replaceOpen } from "../../src/history/open-changes.ts";
import type { System } from "../../src/system/system.ts";

/** A project without git, and what a call does in it: the same on a disk in memory and on a real one. */
export interface HistoryScene {
  readonly system: System;
  readonly home: string;
  readonly project: string;
}

const SETTINGS = { ...BUILT_IN.history, budgetMs: 60_000 };
const CALL = {
  host: "claude-code",
  session: "session",
  tool: "Bash",
  toolUseId: "call-1",
  command: "the call",
  verdict: "allow",
  rules: [],
} as const;

/** What the guard says before the call: all paths by name, nothing but the directory, or a repository. */
export type SceneKind = "named" | "unknown" | "git" | "unknown in git";

export function footprintOf(kind: SceneKind, { project }: HistoryScene): Footprint {
  const target = (name: string, how: FootprintTarget["how"], isTree = false) => ({
    path: `${project}/${name}`,
    how,
    isTree,
  });
  if (kind === "git") {
    const repository = {
      top: project,
      gitDirectory: `${project}/.git`,
      changesFiles: true,
      changesState: true,
    };
    return { ...NO_FOOTPRINT, repositories: [repository] };
  }
  if (kind === "unknown" || kind === "unknown in git") return { ...NO_FOOTPRINT, unknownIn: [project] };
  return {
    ...NO_FOOTPRINT,
    targets: [
      target("work", "delete", true),
      target("notes.md", "write"),
      target("run.sh", "attributes"),
      target("new.txt", "write"),
      target("deep/new/file.txt", "write"),
      target("old.txt", "move"),
      target("moved.txt", "write"),
      target("link", "delete"),
    ],
  };
}

export function prepare({ system: { files, text }, project }: HistoryScene): void {
  const write = (name: string, content: string, mode = 0o644) =>
    files.createExclusive(`${project}/${name}`, text.encode(content), mode);
  files.makeDirectory(`${project}/work/empty`, 0o755);
  files.makeDirectory(`${project}/work/inner`, 0o755);
  write("work/one.ts", "export const one = 1;\n");
  write("work/inner/two.ts", "export const two = 2;\n");
  write("work/inner/nothing", "");
  write("notes.md", "mine\n".repeat(50));
  write("run.sh", "#!/bin/sh\n", 0o755);
  write("old.txt", "an old text\n");
  write("untouched.txt", "nobody's business\n");
  files.symlink("notes.md", `${project}/link`);
}

/** The call itself. */
export function ruin({ system: { files, text }, project }: HistoryScene): void {
  const replace = (name: string, content: string) => {
    files.createExclusive(`${project}/${name}.tmp`, text.encode(content), 0o644);
    files.rename(`${project}/${name}.tmp`, `${project}/${name}`);
  };
  for (const name of ["work/inner/two.ts", "work/inner/nothing", "work/one.ts", "link"])
    files.remove(`${project}/${name}`);
  for (const name of ["work/inner", "work/empty", "work"]) files.removeDirectory(`${project}/${name}`);
  replace("notes.md", "overwritten\n");
  replace("new.txt", "new\n");
  files.makeDirectory(`${project}/deep/new`, 0o755);
  replace("deep/new/file.txt", "deep\n");
  files.changeMode(`${project}/run.sh`, 0o600);
  files.rename(`${project}/old.txt`, `${project}/moved.txt`);
}

/** Every path of the project with kind, mode and content. */
export function pictureOf({ system: { files, text }, project }: HistoryScene): string {
  const look = (directory: string): readonly string[] =>
    files.listFacts(directory).flatMap(({ name, kind, mode }) => {
      const path = `${directory}/${name}`;
      const line = `${path.slice(project.length + 1)} ${kind} ${mode.toString(8)}`;
      if (kind === "directory") return [line, ...look(path)];
      const content = kind === "symlink" ? files.readLink(path) : text.decode(files.read(path, 1e6)).text;
      return [`${line} ${JSON.stringify(content)}`];
    });
  return look(project).join("\n");
}

export function contextOf({ system, home, project }: HistoryScene): HistoryContext {
  const places = { project, home, stateHome: `${home}/.amplihack`, temps: ["/tmp"], regenerable: [] };
  return openContext(system, places, SETTINGS);
}

export function historyOf({ system, home, project }: HistoryScene): History {
  return openHistory(system, { stateHome: `${home}/.amplihack`, project }, SETTINGS);
}

export function begin(scene: HistoryScene, kind: SceneKind) {
  return beginCall(contextOf(scene), CALL, footprintOf(kind, scene));
}

/** Its host has called the call ended; processes of it went on, and have ended since. */
export function leaveRunning(scene: HistoryScene): void {
  const { store, system } = contextOf(scene);
  const gone = { pid: 2 ** 22 + 1, start: "1", host: system.processes.self.host };
  for (const file of findAllOpen(store)) {
    const open = readOpen(store, file);
    if (open === undefined) continue;
    replaceOpen(store, file, { ...open, running: { processes: [gone], end: { exit: "ok" } } });
    store.writeSealed(store.path("running", file.id), file.path);
  }
}

/** What any later event does with it. */
export async function finishLeft(scene: HistoryScene): Promise<void> {
  await finishEnded(contextOf(scene));
}

/** What the hook does after the call, and the next prompt with what is still open. */
export async function complete(scene: HistoryScene): Promise<void> {
  const context = contextOf(scene);
  for (const file of findAllOpen(context.store)) await completeChange(context, file, { exit: "ok" });
}

/** Undoes the newest change, with what is in conflict if need be. Undefined when there is none. */
export async function undo(scene: HistoryScene, options: { readonly force?: boolean } = {}) {
  const history = historyOf(scene);
  const plan = await history.planUndo({ kind: "newest" });
  return { plan, result: await history.applyUndo(plan, options) };
}
