import { findOnPath } from "../install/index.ts";
import { programPath } from "../state/index.ts";
import { childEnvironment, type System } from "../system/index.ts";
import { CommandError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

/** It takes longer to load than all the rest here. */
const loadChildProcess = (): typeof import("node:child_process") =>
  process.getBuiltinModule("node:child_process");

/** Options of `less`: quit when everything fits on one screen, pass colours through, keep the text on exit. */
const LESS_OPTIONS = "FRX";

/** Shows a long text: on a terminal through `$PAGER`, or `less` where that is not set; printed anywhere else. */
export function page(system: System, terminal: Terminal, text: string): void {
  const pager = findPager(system);
  if (pager === undefined || !hasWatcher(system)) {
    terminal.print(text);
    return;
  }
  const env = { ...process.env, PATH: programPath(system), LESS: process.env["LESS"] ?? LESS_OPTIONS };
  // A variable that users set as a line of shell, by the custom of every program that reads it.
  const { error, status } = loadChildProcess().spawnSync("/bin/sh", ["-c", pager], {
    input: text,
    stdio: ["pipe", "inherit", "inherit"],
    env,
  });
  const isGone = error !== undefined && "code" in error && error.code === "EPIPE";
  if ((error !== undefined && !isGone) || status === 126 || status === 127) terminal.print(text);
}

function hasWatcher(system: System): boolean {
  return system.stdio.isTerminal("stdout") && system.env.get("TERM") !== "dumb";
}

function findPager(system: System): string | undefined {
  const chosen = system.env.get("PAGER")?.trim();
  if (chosen === "" || chosen === "cat") return undefined;
  return chosen ?? (findOnPath(system, "less") === undefined ? undefined : "less");
}

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
  const { error, status, signal } = loadChildProcess().spawnSync(
    "/bin/sh",
    ["-c", `${editor} "$1"`, "editor", path],
    {
      stdio: "inherit",
      env: childEnvironment(system, { PATH: programPath(system) }),
    },
  );
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
