import { join, type System } from "../system/index.ts";
import type { Policy } from "./policy.ts";

const FOLDER = "sandbox";
const POLICIES = "policies";
const ID_LENGTH = 24;

export function policiesFolder(stateHome: string): string {
  return join(stateHome, FOLDER, POLICIES);
}

export function policyPath(stateHome: string, id: string): string {
  return join(policiesFolder(stateHome), `${id}.json`);
}

/** Writes a policy where only its id leads to it, and only this user can read it. */
export function writePolicy(
  { files, random, text }: Pick<System, "files" | "random" | "text">,
  stateHome: string,
  policy: Policy,
): string {
  files.makeDirectory(stateHome, 0o700);
  for (const folder of [join(stateHome, FOLDER), join(stateHome, FOLDER, POLICIES)])
    files.makeDirectory(folder, 0o700);
  const id = random.hex(ID_LENGTH);
  files.createExclusive(policyPath(stateHome, id), text.encode(JSON.stringify(policy)), 0o600);
  return id;
}
