import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createHooks } from "hookable";
import compose from "koa-compose";
import tapable from "tapable";
import { percentiles, runCommands } from "./measure.mjs";

const { AsyncSeriesBailHook } = tapable;
const { createHookEngine } = await import(resolve("dist/engine/index.js"));

const CALL = {
  session_id: "bench",
  tool_name: "Bash",
  tool_input: { command: "ls -la", description: "list" },
};
const settings = (event, hooks, matcher) => ({ hooks: { [event]: [{ matcher, hooks }] } });
const source = data => ({ kind: "user", dialect: "claude", data });
const bigRounds = 2_000_000;

/** What the engine costs: nothing, microseconds, or one process; against a bare process of the same run. */
export async function bench() {
  const home = mkdtempSync(join(tmpdir(), "amplihack-bench-"));
  const env = { PATH: process.env.PATH, HOME: home };
  const make = options => createHookEngine({ projectDir: home, env, ...options });
  try {
    const rows = [
      ...unmatched(make),
      ...(await functions(make)),
      ...(await besideOthers(make)),
      ...(await registration(make)),
      ...compile(make),
      ...(await commands(make, home, env)),
    ];
    return [...rows, ...(await manyCommands(make)), ...(await muchOutput(make)), ...coldImports(home)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function unmatched(make) {
  const engine = make({
    sources: [source(settings("PreToolUse", [{ type: "command", command: "true" }], "Edit"))],
  });
  const perCall = work => {
    const list = [];
    for (let round = 0; round < 30; round++) {
      const start = process.hrtime.bigint();
      for (let index = 0; index < 20_000; index++) work();
      list.push(Number(process.hrtime.bigint() - start) / 20_000);
    }
    return percentiles(list);
  };
  const row = (name, work) => {
    perCall(work);
    return { name, ...perCall(work), unit: "ns", target: "≤ 150 ns" };
  };
  const rows = [
    row("has(), nothing matches", () => engine.has("PreToolUse", "Bash")),
    row("dispatch(), event without hooks", () => engine.dispatch("Stop", CALL)),
    row("dispatch(), nothing matches", () => engine.dispatch("PreToolUse", CALL)),
  ];
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < bigRounds; index++) engine.dispatch("PreToolUse", CALL);
  const grown = (process.memoryUsage().heapUsed - before) / 1024;
  rows.push({ name: "heap growth over 2 million of them", p50: grown, unit: "KiB", target: "< 512 KiB" });
  return rows;
}

async function microseconds(work, rounds = 20_000) {
  for (let round = 0; round < rounds / 4; round++) await work();
  const list = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint();
    await work();
    list.push(Number(process.hrtime.bigint() - start) / 1e3);
  }
  return percentiles(list);
}

async function functions(make) {
  const engine = make({});
  const isShell = value => typeof value === "object" && value !== null && typeof value.command === "string";
  const withHooks = count => {
    const hooked = make({ tools: { Bash: { args: isShell } } });
    for (let index = 0; index < count; index++)
      hooked.beforeToolCall("Bash", ({ args }) =>
        args.command.includes("rm -rf") ? { block: true, reason: "no" } : undefined,
      );
    return hooked;
  };
  const [one, ten] = [withHooks(1), withHooks(10)];
  return [
    {
      name: "await a dispatch without hooks",
      ...(await microseconds(() => engine.dispatch("Stop", CALL))),
      unit: "µs",
      target: "≤ 3 µs",
    },
    {
      name: "one typed hook",
      ...(await microseconds(() => one.dispatch("PreToolUse", CALL))),
      unit: "µs",
      target: "≤ 10 µs",
    },
    {
      name: "ten typed hooks",
      ...(await microseconds(() => ten.dispatch("PreToolUse", CALL))),
      unit: "µs",
      target: "≤ 40 µs",
    },
  ];
}

/** Microseconds of the processor, since other programs may run meanwhile. */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Registers hooks and dispatches once; per hook, so that a growing figure is a cost that grows faster than they. */
async function registration(make) {
  const rows = [];
  for (const count of [1000, 2000, 4000, 8000]) {
    const list = [];
    for (let round = 0; round < 12; round++) {
      const engine = make({});
      const start = processorTime();
      for (let index = 0; index < count; index++) engine.beforeToolCall("*", () => undefined);
      await engine.dispatch("PreToolUse", CALL);
      if (round > 1) list.push((processorTime() - start) / count);
      await engine.close();
    }
    rows.push({ name: `register ${count} hooks and dispatch, per hook`, ...percentiles(list), unit: "µs" });
  }
  return rows;
}

/** Synchronous hooks that have nothing to say, in each library's own way, measured in turns. */
async function besideOthers(make) {
  const rows = [];
  for (const count of [1, 10, 100, 1000]) {
    const isBad = name => name === "x";
    const engine = make({});
    const [sync, series] = [new AsyncSeriesBailHook(["call"]), new AsyncSeriesBailHook(["call"])];
    const hooks = createHooks();
    const middleware = [];
    const list = [];
    for (let index = 0; index < count; index++) {
      engine.beforeToolCall("*", call => (isBad(call.name) ? { block: true, reason: "no" } : undefined));
      sync.tap(`h${index}`, call => (isBad(call.tool_name) ? true : undefined));
      series.tapPromise(`h${index}`, async call => (isBad(call.tool_name) ? true : undefined));
      hooks.hook("call", call => (isBad(call.tool_name) ? true : undefined));
      middleware.push((call, next) => (isBad(call.tool_name) ? true : next()));
      list.push(call => (isBad(call.tool_name) ? true : undefined));
    }
    const composed = compose(middleware);
    const loop = async () => {
      for (const hook of list) {
        const said = await hook(CALL);
        if (said !== undefined) return said;
      }
    };
    const works = {
      "tapable, tap": () => sync.promise(CALL),
      "tapable, tapPromise": () => series.promise(CALL),
      hookable: () => hooks.callHook("call", CALL),
      "koa-compose": () => composed(CALL),
      "a loop that awaits": loop,
      engine: () => engine.dispatch("PreToolUse", CALL),
    };
    const times = new Map(Object.keys(works).map(name => [name, []]));
    const rounds = Math.max(40, Math.floor(40_000 / count));
    for (let turn = 0; turn < 12; turn++) {
      for (const [name, work] of Object.entries(works)) {
        const start = processorTime();
        for (let index = 0; index < rounds; index++) await work();
        if (turn > 1) times.get(name).push((processorTime() - start) / rounds);
      }
    }
    const ours = Math.min(...times.get("engine"));
    for (const [name, list] of times)
      rows.push({
        name: `${count} hook${count === 1 ? "" : "s"}: ${name}`,
        ...percentiles(list),
        unit: "µs",
        ratio: ours / Math.min(...list),
        ...(name.startsWith("tapable") ? { target: "≤ 3 ×" } : {}),
      });
  }
  return rows;
}

function compile(make) {
  const hooks = Array.from({ length: 1000 }, (_, index) => ({
    matcher: index % 2 ? `^tool-${index}` : `tool-${index}`,
    hooks: [{ type: "command", command: `check ${index}` }],
  }));
  const data = { hooks: { PreToolUse: hooks } };
  const list = [];
  for (let round = 0; round < 40; round++) {
    const start = process.hrtime.bigint();
    make({ sources: [source(data)] });
    list.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return [{ name: "compile 1000 handlers", ...percentiles(list), target: "≤ 30 ms" }];
}

/** A shell hook through the engine and the same command started by hand, in turn, so that noise hits both. */
async function commands(make, cwd, env) {
  const command = "cat > /dev/null";
  const engine = make({ sources: [source(settings("PreToolUse", [{ type: "command", command }]))] });
  const payload = JSON.stringify(CALL);
  const bare = () =>
    new Promise((done, fail) => {
      const child = spawn("bash", ["--noprofile", "--norc", "-c", command], { cwd, env, detached: true });
      child.stdout.resume();
      child.stderr.resume();
      child.once("error", fail);
      child.once("close", done);
      child.stdin.end(payload);
    });
  const hooked = make({});
  hooked.beforeToolCall("*", () => undefined);
  const ways = {
    bare,
    hook: () => engine.dispatch("PreToolUse", CALL),
    typed: () => hooked.dispatch("PreToolUse", CALL),
  };
  const samples = { bare: [], hook: [], typed: [] };
  for (let round = 0; round < 65; round++) {
    for (const [name, work] of Object.entries(ways)) {
      const start = process.hrtime.bigint();
      await work();
      if (round >= 5) samples[name].push(Number(process.hrtime.bigint() - start) / 1e6);
    }
  }
  await engine.close();
  const [spawned, shell, typed] = [
    percentiles(samples.bare),
    percentiles(samples.hook),
    percentiles(samples.typed),
  ];
  return [
    { name: "bare spawn of a shell", ...spawned, ratio: 1 },
    { name: "shell hook", ...shell, ratio: shell.p50 / spawned.p50 },
    {
      name: "shell hook: over the bare spawn",
      p50: Math.max(0, shell.p50 - spawned.p50),
      p95: Math.max(0, shell.p95 - spawned.p95),
      ratio: Math.max(0, shell.p50 - spawned.p50) / spawned.p50,
      target: "≤ 3 ms",
    },
    { name: "typed hook, in the same run", ...typed, ratio: typed.p50 / spawned.p50 },
  ];
}

/** A process that imports the engine, and one that imports nothing, in turns. */
function coldImports(folder) {
  const imported = { nothing: undefined, "amplihack/engine": "index", "amplihack/engine/core": "core" };
  const modules = Object.values(imported).map((name, number) => {
    const path = join(folder, `import-${number}.mjs`);
    const url = pathToFileURL(resolve(`dist/engine/${name}.js`)).href;
    writeFileSync(path, name === undefined ? "export {};\n" : `import ${JSON.stringify(url)};\n`);
    return { argv: [process.execPath, path] };
  });
  const rounds = runCommands(modules, { rounds: 33, env: { HOME: folder } });
  const [bare, ...others] = rounds.map(runs => percentiles(runs.slice(3).map(({ wall }) => wall)));
  return [bare, ...others].map((measured, number) => ({
    name: `cold import of ${Object.keys(imported)[number]}`,
    ...measured,
    ratio: measured.p50 / bare.p50,
    ...(number === 0 ? {} : { target: "≤ 2 ×" }),
  }));
}

async function manyCommands(make) {
  const hooks = Array.from({ length: 200 }, (_, index) => ({ type: "command", command: `: ${index}` }));
  const engine = make({ sources: [source(settings("PreToolUse", hooks))] });
  const before = process.memoryUsage().rss;
  const start = process.hrtime.bigint();
  await engine.dispatch("PreToolUse", CALL);
  const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
  const grown = Math.max(0, process.memoryUsage().rss - before) / 1024 / 1024;
  await engine.close();
  return [
    { name: "200 shell hooks, 16 at a time", p50: elapsed },
    { name: "200 shell hooks: resident growth", p50: grown, unit: "MiB", target: "< 100 MiB" },
  ];
}

async function muchOutput(make) {
  const command = "head -c 50000000 /dev/zero | tr '\\0' 'x'";
  const engine = make({ sources: [source(settings("PreToolUse", [{ type: "command", command }]))] });
  const before = process.memoryUsage().rss;
  await engine.dispatch("PreToolUse", CALL);
  const grown = Math.max(0, process.memoryUsage().rss - before) / 1024 / 1024;
  await engine.close();
  return [{ name: "50 MB of hook output: resident growth", p50: grown, unit: "MiB", target: "< 60 MiB" }];
}
