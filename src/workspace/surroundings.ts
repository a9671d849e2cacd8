import { findHome, findSessionDirectory } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { isSecretVariable, isShadowedIn } from "./program-identity.ts";
import { findHostFolders, isAnswerDue, type Surroundings } from "./workspace.ts";

/** What the environment and the directory of a call say, for the hook program and for an embedded guard alike. */
export function readSurroundings(system: System, cwd: string | undefined): Surroundings {
  const { env, clock } = system;
  return {
    cwd: findSessionDirectory(system, cwd) ?? "/",
    home: findHome(system) ?? "/root",
    system,
    processDirectory: system.files.workingDirectory(),
    tmpdir: env.get("TMPDIR"),
    user: env.get("USER"),
    searchPath: env.get("PATH"),
    isShadowed: name => isShadowedIn(env, name),
    variable: name => env.get(name),
    hasSecretVariables: () => env.names().some(name => isSecretVariable(env, name)),
    nowMs: clock.nowMs(),
    hostFolders: findHostFolders(env),
    isLate: isAnswerDue(system),
  };
}
