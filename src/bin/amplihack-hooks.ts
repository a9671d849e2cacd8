#!/usr/bin/env node
import { join } from "node:path";
import { version } from "../version.ts";
import type { HookMain } from "./hook-start.ts";

/**
 * The names the installer writes. Their entries are loaded at once; every other spelling is first looked up in
 * the tables of all hosts, which ordinary calls need not load.
 */
const INSTALLED = new Set([
  "pre-tool-use",
  "post-tool-use",
  "stop",
  "session-start",
  "session-stop",
  "user-prompt-submit",
  "workflow-classification-reminder",
  "pre-compact",
  "guard-argv",
]);

/** One file per hook, so that an event pays only for what it uses. */
function load<T>(entry: string): T {
  return require(join(__dirname, "hook-entries", `${entry}.cjs`)) as T;
}

const argv = process.argv.slice(2);
const [name = ""] = argv;
if (name === "--version" || name === "-V") {
  process.stdout.write(`amplihack-hooks ${version}\n`);
} else {
  const entry = INSTALLED.has(name)
    ? name
    : load<{ findEntry(name: string): string }>("no-opinion").findEntry(name);
  load<{ main: HookMain }>(entry).main(argv);
}
