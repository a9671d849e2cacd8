// `npm run bench -- --against COMMIT`: this tree and another commit in one run, taking turns, with the ratio new/old of
// cold starts on Node, of cold starts of the native program where cargo is installed, and of the guard's decisions. A
// folder in place of the commit is a checkout that is built already.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { KINDS } from "./guard.mjs";
import { measureCommands, percentiles } from "./measure.mjs";

const HERE = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const ROUNDS = 60;
const TURNS = 40;
const WARM_UP_TURNS = 5;
const COMMANDS = {
  "pre-tool-use, plain": ["pre-tool-use", "git status"],
  "pre-tool-use, ordinary": ["pre-tool-use", "npm run build && git add -A"],
  "pre-tool-use, full": ["pre-tool-use", 'for f in a b; do echo "$f" | grep x && rm -rf "$f/dist"; done'],
  "post-tool-use": ["post-tool-use", "ls"],
};

/** Rows with the figures of both trees; `ratio` is new/old. */
export async function benchAgainst(commit) {
  const isBuilt = existsSync(commit) && statSync(commit).isDirectory();
  const other = isBuilt ? resolve(commit) : checkOut(commit);
  try {
    const hasNative = buildAll(isBuilt ? [HERE] : [HERE, other], other);
    return [...startRows(other, hasNative), ...(await guardRows(other))];
  } finally {
    if (!isBuilt) run("git", ["worktree", "remove", "--force", other], HERE);
  }
}

function checkOut(commit) {
  const folder = mkdtempSync(join(tmpdir(), "amplihack-against-"));
  rmSync(folder, { recursive: true });
  run("git", ["worktree", "add", "--quiet", "--detach", folder, commit], HERE);
  shareModules(folder);
  return folder;
}

/** Hard links where they are possible: a bundler that follows a symbolic link would leave the tree. */
function shareModules(folder) {
  const words = how => [how, join(HERE, "node_modules"), join(folder, "node_modules")];
  if (spawnSync("cp", words("-al"), { stdio: "ignore" }).status === 0) return;
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  run("cp", words("-a"), folder);
}

/** Whether both trees have a native program. */
function buildAll(trees, other) {
  for (const tree of trees) run("npm", ["run", "--silent", "build"], tree);
  const hasCargo = spawnSync("cargo", ["--version"], { stdio: "ignore" }).status === 0;
  if (hasCargo) for (const tree of trees) run("npm", ["run", "--silent", "build:native"], tree);
  return hasCargo && existsSync(nativeProgram(other));
}

const nativeProgram = tree => join(tree, "dist/native/amplihack-hooks");

function run(program, words, cwd) {
  process.stderr.write(`${program} ${words.join(" ")} in ${cwd} …\n`);
  const { status } = spawnSync(program, words, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status} in ${cwd}`);
}

function startRows(other, hasNative) {
  const home = mkdtempSync(join(tmpdir(), "amplihack-bench-"));
  try {
    const cwd = join(home, "project");
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    const engines = {
      Node: tree => [process.execPath, join(tree, "dist/bin/amplihack-hooks.cjs")],
      ...(hasNative ? { native: tree => [nativeProgram(tree)] } : {}),
    };
    const names = Object.keys(engines).flatMap(engine =>
      Object.keys(COMMANDS).map(command => ({ engine, command, name: `${engine} ${command}` })),
    );
    const commands = names.flatMap(({ engine, command, name }) =>
      [
        ["old", other],
        ["new", HERE],
      ].map(([side, tree]) => {
        const [subcommand, text] = COMMANDS[command];
        const argv = [...engines[engine](tree), subcommand];
        return [`${side} ${name}`, { argv, input: payload(cwd, subcommand, text) }];
      }),
    );
    const figures = measureCommands(Object.fromEntries(commands), {
      rounds: ROUNDS,
      env: { HOME: home },
      cwd,
    });
    return names.map(({ name }) => row(name, figures[`old ${name}`], figures[`new ${name}`], "ms"));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function payload(cwd, subcommand, command) {
  const event = subcommand === "pre-tool-use" ? "PreToolUse" : "PostToolUse";
  const tool = { tool_name: "Bash", tool_input: { command } };
  return JSON.stringify({ hook_event_name: event, session_id: "bench", cwd, ...tool });
}

function row(name, old, { p50, p95 }, unit) {
  return { name, old: old.p50, p50, p95, unit, ratio: p50 / old.p50 };
}

/** Each tree's guard has a process of its own, and they decide in turns. */
async function guardRows(other) {
  const sides = { old: startJudge(other), new: startJudge(HERE) };
  try {
    const rows = [];
    for (const kind of [...Object.keys(KINDS), "mixed"]) {
      const microseconds = { old: [], new: [] };
      for (let turn = 0; turn < TURNS + WARM_UP_TURNS; turn++) {
        for (const [side, judge] of Object.entries(sides)) {
          const each = await judge.ask(kind);
          if (turn >= WARM_UP_TURNS) microseconds[side].push(each);
        }
      }
      const [old, now] = [percentiles(microseconds.old), percentiles(microseconds.new)];
      rows.push(row(`decision of the guard, ${kind}`, old, now, "µs"));
    }
    return rows;
  } finally {
    for (const judge of Object.values(sides)) judge.end();
  }
}

function startJudge(tree) {
  const script = fileURLToPath(new URL("judge-in-turns.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, tree], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(kind) {
      child.stdin.write(`${kind}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the guard of ${tree} gave no answer`);
      return Number(value);
    },
    end: () => child.stdin.end(),
  };
}
