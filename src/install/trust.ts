import type { UserDirectories } from "../state/index.ts";
import { dirname, join, type System } from "../system/index.ts";
import { changeTrust, fingerprints, type TrustStatus, trustStatus } from "./codex-trust.ts";
import { type FileEdit, readFile } from "./file-edit.ts";
import { findTarget, type RegistrationTarget } from "./targets.ts";

/** Whether the host runs only hooks whose fingerprint its user agreed to. */
export function hasFingerprints({ registration }: RegistrationTarget): boolean {
  return registration.fingerprints !== undefined;
}

/** The hooks file by the name under which the host keeps its state. */
export function trustedName(system: System, { scope, registration, path }: RegistrationTarget): string {
  const { relocation } = registration;
  const isMoved = scope === "user" && relocation && (system.env.get(relocation.variable) ?? "") !== "";
  const folder = dirname(path);
  if (!isMoved || system.files.follow(folder) === undefined) return path;
  return join(system.files.realPath(folder), path.slice(folder.length + 1));
}

/** The user's file that holds the fingerprints, of projects as well. */
export function trustFile(
  system: System,
  places: UserDirectories,
  { owner, registration }: RegistrationTarget,
): string {
  const folder = dirname(findTarget(system, places, owner, "user").path);
  return join(folder, registration.fingerprints?.file ?? "config.toml");
}

/** How the fingerprints change with the hooks file. */
export function trustEdit(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  hooks: FileEdit,
  isAgreed: boolean,
): FileEdit {
  const before = readFile(system, target.path) ?? "";
  const computed = hooks.compute(before);
  const after = computed.ok ? (computed.text ?? "") : before;
  const hooksFile = trustedName(system, target);
  return {
    path: trustFile(system, places, target),
    compute: current => changeTrust(current, { hooksFile, before, after, isAgreed }),
  };
}

/** How far the host trusts our hooks in a text of its hooks file. */
export function trustOf(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  hooks: string,
): readonly TrustStatus[] {
  const config = readFile(system, trustFile(system, places, target));
  return fingerprints(trustedName(system, target), hooks)
    .filter(each => each.isOurs)
    .map(each => trustStatus(config, each));
}
