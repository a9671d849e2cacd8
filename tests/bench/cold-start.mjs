import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { measureCommands } from "./measure.mjs";

const HOOKS = resolve("dist/bin/amplihack-hooks.cjs");
const CLI = resolve("dist/bin/amplihack.cjs");

/** What one call costs from start to exit, against a Node that does nothing. */
export async function bench() {
  const home = mkdtempSync(join(tmpdir(), "amplihack-bench-"));
  const payload = (event, input) =>
    JSON.stringify({
      hook_event_name: event,
      session_id: "bench",
      cwd: home,
      tool_name: "Bash",
      tool_input: input,
    });
  try {
    const figures = measureCommands(
      {
        "bare node -e 0": { argv: [process.execPath, "-e", "0"] },
        "amplihack-hooks post-tool-use": {
          argv: [process.execPath, HOOKS, "post-tool-use"],
          input: payload("PostToolUse", { command: "ls" }),
        },
        "amplihack-hooks pre-tool-use, plain": {
          argv: [process.execPath, HOOKS, "pre-tool-use"],
          input: payload("PreToolUse", { command: "git status" }),
        },
        "amplihack-hooks pre-tool-use, full": {
          argv: [process.execPath, HOOKS, "pre-tool-use"],
          input: payload("PreToolUse", {
            command: 'for f in a b; do echo "$f" | grep x && rm -rf "$f/dist"; done',
          }),
        },
        ...Object.fromEntries(
          [
            "--version",
            "--help",
            "completions bash",
            "recipe list",
            "status",
            "history",
            "undo --dry-run",
            "guard test ls",
          ].map(words => [`amplihack ${words}`, { argv: [process.execPath, CLI, ...words.split(" ")] }]),
        ),
      },
      { env: { HOME: home }, cwd: home },
    );
    const { p50: bare, p95: bareAtWorst } = figures["bare node -e 0"];
    const targets = {
      "amplihack-hooks post-tool-use": "bare + 10 ms",
      "amplihack-hooks pre-tool-use, plain": "bare + 3 ms",
      "amplihack-hooks pre-tool-use, full": "bare + 8 ms",
      "amplihack --version": "1.5 × bare",
      "amplihack --help": "150 ms",
      "amplihack completions bash": "150 ms",
      "amplihack recipe list": "150 ms",
      "amplihack status": "1.5 × bare",
      "amplihack history": "1.5 × bare",
      "amplihack undo --dry-run": "1.5 × bare",
      "amplihack guard test ls": "1.5 × bare",
    };
    return Object.entries(figures).flatMap(([name, { p50, p95 }]) => {
      const row = { name, p50, p95, ratio: p50 / bare, target: targets[name] };
      return name.startsWith("bare")
        ? [row]
        : [row, overBare(name, Math.max(0, p50 - bare), Math.max(0, p95 - bareAtWorst), bare)];
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function overBare(name, p50, p95, bare) {
  return { name: `${name}: over bare`, p50, p95, ratio: p50 / bare };
}
