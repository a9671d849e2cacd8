import { spawnSync } from "node:child_process";
import { findOnPath } from "../install/index.ts";
import { programPath } from "../state/index.ts";
import { childEnvironment, type System } from "../system/index.ts";
import { CommandError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

const FALLBACKS = ["nano", "vi"];

/** Opens a file in `$VISUAL` or `$EDITOR` and waits until the editor ends. */
export function editFile(system: System, terminal: Terminal, path: string): void {
  const editor = findEditor(system, terminal);
  if (editor === undefined)
    throw new CommandError("no editor is set", {
      kind: "environment",
      fix: `set EDITOR to the editor you use, or edit ${path} yourself`,
    });
  // Users set the variable as a line of shell, as git and crontab read it.
  const { error, status, signal } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "editor", path], {
    stdio: "inherit",
    env: childEnvironment(system, { PATH: programPath(system) }),
  });
  if (error === undefined && status === 0) return;
  throw new CommandError(
    `the editor '${editor}' failed: ${error?.message ?? signal ?? `exit code ${status}`}`,
    {
      kind: "failed",
      fix: "check VISUAL and EDITOR",
    },
  );
}

function findEditor(system: System, terminal: Terminal): string | undefined {
  const chosen = [system.env.get("VISUAL"), system.env.get("EDITOR")].find(
    line => (line ?? "").trim() !== "",
  );
  if (chosen !== undefined || !terminal.isInteractive) return chosen;
  return FALLBACKS.find(name => findOnPath(system, name) !== undefined);
}
