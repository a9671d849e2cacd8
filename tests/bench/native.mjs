import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compileRust, measureCommands } from "./measure.mjs";

const NATIVE = resolve("dist/native/amplihack-hooks");
const NODE = resolve("dist/bin/amplihack-hooks.cjs");
const TIME = "/usr/bin/time";
const MEGABYTE = 1024 * 1024;

/** The native program against a Rust program that does nothing, and against the same hooks on Node. */
export async function bench() {
  if (!existsSync(NATIVE)) return [{ name: "not built: npm run build:native" }];
  const home = mkdtempSync(join(tmpdir(), "amplihack-bench-"));
  try {
    const cwd = join(home, "project");
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    return [...timeRows(home, cwd), ...memoryRows(home, cwd), sizeRow()];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function timeRows(home, cwd) {
  const empty = compileEmpty(home);
  const plain = payload(cwd, "PreToolUse", "git status");
  const ordinary = payload(cwd, "PreToolUse", "npm run build && git add -A");
  const full = payload(cwd, "PreToolUse", 'for f in a b; do echo "$f" | grep x && rm -rf "$f/dist"; done');
  const commands = {
    ...(empty === undefined ? {} : { "empty Rust program": { argv: [empty] } }),
    "native pre-tool-use, pre-filter": { argv: [NATIVE, "pre-tool-use"], input: plain },
    "native pre-tool-use, ordinary": { argv: [NATIVE, "pre-tool-use"], input: ordinary },
    "native pre-tool-use, full": { argv: [NATIVE, "pre-tool-use"], input: full },
    "native post-tool-use": {
      argv: [NATIVE, "post-tool-use"],
      input: payload(cwd, "PostToolUse", "ls"),
    },
    "Node pre-tool-use, pre-filter": { argv: [process.execPath, NODE, "pre-tool-use"], input: plain },
    "Node pre-tool-use, ordinary": { argv: [process.execPath, NODE, "pre-tool-use"], input: ordinary },
  };
  const figures = measureCommands(commands, { env: { HOME: home }, cwd });
  const base = figures["empty Rust program"]?.p50;
  const targets = {
    "native pre-tool-use, pre-filter": "2 × empty",
    "native pre-tool-use, ordinary": "3 × empty, 1/15 of Node",
  };
  const rows = Object.entries(figures).map(([name, { p50, p95 }]) => ({
    name,
    p50,
    p95,
    ...(base === undefined ? {} : { ratio: p50 / base }),
    target: targets[name],
  }));
  const share = figures["Node pre-tool-use, ordinary"].p50 / figures["native pre-tool-use, ordinary"].p50;
  return [...rows, { name: "Node over native, ordinary", p50: share, unit: "×", target: "15 ×" }];
}

/** Peak of what lies in memory, told by the kernel at the end of the process through GNU time. */
function memoryRows(home, cwd) {
  if (process.platform !== "linux" || !existsSync(TIME)) return [{ name: `resident: needs ${TIME}` }];
  return [1, 64].map(kibibytes => {
    const input = payload(cwd, "PreToolUse", `echo ${"x".repeat(kibibytes * 1024 - 300)} > file`);
    const env = { PATH: process.env.PATH, HOME: home };
    const run = spawnSync(TIME, ["-f", "%M", NATIVE, "pre-tool-use"], { cwd, env, input, encoding: "utf8" });
    if (run.error) throw run.error;
    const peak = Number(run.stderr.trimEnd().split("\n").at(-1)) / 1024;
    return { name: `resident, payload of ${kibibytes} KiB`, p50: peak, unit: "MB", target: "12 MB" };
  });
}

function sizeRow() {
  return { name: "executable", p50: statSync(NATIVE).size / MEGABYTE, unit: "MB", target: "4 MB" };
}

function payload(cwd, event, command) {
  const tool = { tool_name: "Bash", tool_input: { command } };
  return JSON.stringify({ hook_event_name: event, session_id: "bench", cwd, ...tool });
}

/** The least a program of the same kind can cost; undefined where there is no Rust. */
function compileEmpty(folder) {
  const source = join(folder, "empty.rs");
  const program = join(folder, "empty");
  writeFileSync(source, "fn main() {}\n");
  return compileRust(source, program) ? program : undefined;
}
