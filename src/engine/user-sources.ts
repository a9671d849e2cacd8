import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorCode } from "../system/node.ts";
import type { HookSource } from "./options.ts";

/**
 * The user's `~/.amplihack/hooks.jsonc` and, with `projectDir`, that of the project, as sources to hand to an engine.
 * Files that are not there are left out; one that cannot be read is handed over as the failure, which the engine
 * reports. What a project brings is for the engine's trust store to decide.
 */
export function userSources(
  options: { readonly home?: string; readonly projectDir?: string } = {},
): readonly HookSource[] {
  const { home = homedir(), projectDir } = options;
  const read = (kind: "user" | "project", folder: string): readonly HookSource[] => {
    const path = join(folder, ".amplihack", "hooks.jsonc");
    try {
      return [{ kind, dialect: "claude", data: readFileSync(path, "utf8"), path }];
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return [];
      return [{ kind, dialect: "claude", data: error, path }];
    }
  };
  const isApart = projectDir !== undefined && join(projectDir) !== join(home);
  return [...read("user", home), ...(isApart ? read("project", projectDir) : [])];
}
