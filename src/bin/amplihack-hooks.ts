#!/usr/bin/env node
import { writeSync } from "node:fs";
import { errorName, STOCK_HOOKS } from "../protocol/index.ts";
import { version } from "../version.ts";
import type { HookMain } from "./hook-start.ts";
import { loadEntry } from "./load-entry.ts";

/**
 * The names the installer writes. Their entries are loaded at once; every other spelling is first looked up in
 * the tables of all hosts, which ordinary calls need not load.
 */
const INSTALLED: ReadonlySet<string> = new Set([...STOCK_HOOKS.map(hook => hook.name), "guard-argv"]);

/** One file per hook, so that an event pays only for what it uses. */
function load<T>(entry: string): T {
  return loadEntry(`${__dirname}/hook-entries/${entry}.cjs`) as T;
}

/** A program that cannot even load still answers, with what every caller takes for silence. */
function refuseToBreak(name: string, error: unknown): void {
  const reason = errorName(error);
  if (name === "guard-argv") {
    process.exitCode = 1;
    writeSync(2, `amplihack-hooks: could not check this: the guard failed (${reason})\n`);
    return;
  }
  writeSync(
    2,
    `amplihack-hooks: could not check this: ${name} could not be loaded (${reason}); run: amplihack doctor\n`,
  );
  if (isAnsweredByPolicy()) return;
  process.exitCode = 0;
  writeSync(1, "{}\n");
  writeSync(
    2,
    `${JSON.stringify({ hook: name.replaceAll("-", "_"), duration_us: 0, result: "panic", error: "not loaded" })}\n`,
  );
}

/** The wrapper that started this knows the failure policy, and each host's words for it. */
function isAnsweredByPolicy(): boolean {
  if (!isStaged) return false;
  const { spawnSync } = require("node:child_process") as typeof import("node:child_process");
  const wrapper = `${place}/.claude/bin/amplihack-hooks`;
  const { status } = spawnSync(wrapper, ["--not-loaded", ...argv], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0 && status !== 2) return false;
  process.exitCode = status;
  return true;
}

/** The wrapper that an installation stages says where it lies; whoever starts the program otherwise does not. */
const [first, place, ...others] = process.argv.slice(2);
const isStaged = first === "--installed-in" && place !== undefined;
const argv = isStaged ? others : process.argv.slice(2);
const [name = ""] = argv;
if (name === "--version" || name === "-V") {
  writeSync(1, `amplihack-hooks ${version}\n`);
} else {
  try {
    const isInstalled = INSTALLED.has(name);
    const entry = isInstalled
      ? name
      : load<{ findEntry(name: string): string }>("no-opinion").findEntry(name);
    load<{ main: HookMain }>(entry).main(argv, isStaged ? place : undefined);
  } catch (error) {
    refuseToBreak(name, error);
  }
}
