import { spawnSync } from "node:child_process";
import { findOnPath } from "../install/index.ts";
import { programPath } from "../state/index.ts";
import type { System } from "../system/index.ts";
import type { Terminal } from "./terminal.ts";

/** Ends by itself when all fits on the screen, shows colours, leaves what was shown. */
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
  const { error, status } = spawnSync("/bin/sh", ["-c", pager], {
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
