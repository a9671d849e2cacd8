import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createNodeSystem } from "../../src/system/node.ts";
import { recordCall } from "../commands/agent-call.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Machine, newMachine } from "./machine.ts";

/** A machine on which an agent changed `name` from one text to another. */
export async function changedMachine(before: string, after: string, name = "notes.txt") {
  const machine = newMachine();
  const project = temporaryDirectory();
  const path = join(project, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, before);
  const change = await record(machine, project, `edit ${name}`, name, () => writeFileSync(path, after));
  return { machine, project, path, change };
}

export function record(machine: Machine, project: string, command: string, name: string, act: () => void) {
  const { stateHome } = machine.places;
  const place = { home: dirname(stateHome), project, stateHome };
  return recordCall(createNodeSystem(), place, { command, targets: [name], session: "session-1" }, act);
}
