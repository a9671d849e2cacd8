import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { measureCommands } from "./measure.mjs";

const NATIVE = resolve("dist/native/amplihack-hooks");
const NODE = resolve("dist/bin/amplihack-hooks.cjs");
const CLI = resolve("dist/bin/amplihack.cjs");

/** Homes of people: without hooks, with one that is for other calls, and with one that is for this. */
const PEOPLE = {
  "no hooks": undefined,
  "one hook, not wanted": hook(`options: { when: ["terraform"] }, run: () => deny("no")`),
  "one portable hook": hook(`run: ({ input }) => (input.command === "x" ? deny("no") : undefined)`),
  "one hook on Node": hook(`run: ({ input }) => (process.pid === 0 ? deny(input.command) : undefined)`),
};

function hook(body) {
  return `import { defineHook, deny } from "amplihack/hooks";
export default defineHook({ name: "bench", event: "PreToolUse", tool: "Bash", ${body} });
`;
}

/** What hooks of one's own cost: the same call with and without them, in turns. */
export async function bench() {
  const root = mkdtempSync(join(tmpdir(), "amplihack-bench-"));
  try {
    const engines = { Node: [process.execPath, NODE], ...(existsSync(NATIVE) ? { native: [NATIVE] } : {}) };
    const commands = {};
    for (const [number, [person, text]] of Object.entries(PEOPLE).entries()) {
      // Paths of one length: every call handles them many times.
      const home = join(root, `home-${number}`);
      const cwd = join(home, "project");
      mkdirSync(join(cwd, ".claude"), { recursive: true });
      if (text !== undefined) build(home, cwd, text);
      const input = JSON.stringify({
        session_id: "bench",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "git status" },
        cwd,
      });
      for (const [engine, argv] of Object.entries(engines))
        commands[`${engine}, ${person}`] = { argv: ["env", `HOME=${home}`, ...argv, "pre-tool-use"], input };
    }
    const figures = measureCommands(commands, { env: {}, cwd: root });
    const targets = {
      "one hook, not wanted": "1.02 × no hooks",
      "one portable hook": "1.5 × no hooks, native",
      "one hook on Node": "one start of Node more",
    };
    return Object.entries(figures).map(([name, { p50, p95 }]) => {
      const [engine, ...rest] = name.split(", ");
      return {
        name,
        p50,
        p95,
        ratio: p50 / figures[`${engine}, no hooks`].p50,
        target: targets[rest.join(", ")],
      };
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function build(home, cwd, text) {
  mkdirSync(join(home, ".amplihack", "hooks"), { recursive: true });
  writeFileSync(join(home, ".amplihack", "hooks", "bench.ts"), text);
  const env = { PATH: process.env.PATH, HOME: home };
  const { status, stderr } = spawnSync(process.execPath, [CLI, "hooks", "build"], {
    cwd,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}
