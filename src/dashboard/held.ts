import { finishEnded, openContext } from "../history/index.ts";
import { findPackage } from "../install/index.ts";
import { loadSandbox, type TriedChanges, type TryContext, type TryRecord } from "../sandbox/index.ts";
import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { count } from "../text/index.ts";
import type { DataFiles } from "./entries.ts";

/** Changes of commands that were tried, which wait for the person's word. */
export interface HeldTries {
  /** newest first, of all projects */
  list(): Promise<readonly { readonly record: TryRecord; readonly changes: TriedChanges }[]>;
  /** What came of it, in words. Throws a `Problem` where nothing was done. */
  decide(id: string, answer: "apply" | "discard"): Promise<string>;
}

export function heldTries(system: System, { stateHome, home, history, guard }: DataFiles): HeldTries {
  const open = async () => {
    const sandbox = await loadSandbox();
    const platform = `${process.platform}-${process.arch}`;
    const places = { stateHome, packageRoot: findPackage(system).root, platform };
    const program = sandbox.findSandboxProgram(system, places) ?? "";
    const { regenerable } = guard.paths;
    const contextOf = (project: string): TryContext => ({
      history: openContext(system, { stateHome, project, home, temps: [], regenerable }, history),
      program,
      stateHome,
    });
    const records = program === "" ? [] : sandbox.listTries(system, stateHome);
    return { sandbox, program, contextOf, held: records.filter(({ status }) => status === "held") };
  };
  return {
    async list() {
      const { sandbox, program, held } = await open();
      return held.map(record => ({ record, changes: sandbox.collectChanges(system, program, record) }));
    },
    async decide(id, answer) {
      const { sandbox, contextOf, held } = await open();
      const record = held.find(one => one.id === id);
      if (record === undefined) throw new Problem("it is no longer held", { kind: "not-found" });
      if (answer === "discard") {
        sandbox.removeTry(stateHome, record);
        return "Discarded: the project is as it was.";
      }
      const context = contextOf(record.project);
      await finishEnded(context.history);
      const { change, notKept } = await sandbox.applyTry(system, context, record, { verdict: "allow" });
      const lost = notKept.length === 0 ? "" : ` No undo brings back ${count(notKept.length, "path")}.`;
      return `Applied.${change === undefined ? "" : ` To take it back: amplihack undo ${change}.`}${lost}`;
    },
  };
}
