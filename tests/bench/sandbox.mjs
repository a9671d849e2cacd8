// What the sandbox costs: its start beside `bwrap` with the same layers and the same policy, what passes through the proxy in a
// second, `npm test` in a project of 10 000 files bare, in the sandbox and tried, and how a try grows with what
// was changed and with the size of the project. Needs `npm run build` and `npm run build:sandbox`. Everything happens in a folder
// of its own below HOME: a home of the bench's with a project in it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { connect as connectTls } from "node:tls";
import { loadSource } from "../../scripts/load-source.mjs";
import { measureCommands, percentiles, runCommands } from "./measure.mjs";

const PROGRAM = resolve("dist/native/amplihack-sandbox");
const CLI = [process.execPath, resolve("dist/bin/amplihack.cjs")];
const BWRAP = "/usr/bin/bwrap";
const MEGABYTE = 1024 * 1024;
const SENT = 256 * MEGABYTE;
const MODULES = 10_000;
const TEST_FILES = 40;
const CHANGED = [10, 100, 1_000];
const SIZES = [1_000, 10_000, 50_000];

export async function bench() {
  if (!existsSync(PROGRAM)) {
    process.stderr.write("  sandbox: not measured, npm run build:sandbox makes the program\n");
    return [];
  }
  const folder = mkdtempSync(join(homedir(), ".amplihack-bench-"));
  try {
    const rows = [];
    for (const measure of [startRows, proxyRows, testRows, growthRows]) {
      const found = await measure(folder);
      // Some of it takes minutes, so that figures are shown as they come.
      for (const { name, p50, unit = "ms", ratio = 1 } of found)
        process.stderr.write(`  ${name}: ${p50.toPrecision(3)} ${unit}, ${ratio.toFixed(2)} ×\n`);
      rows.push(...found);
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A start of these words that holds no `--`, which the launcher takes for the end of a command. */
function started(folder, name, words) {
  const file = join(folder, `${name.replace(/\W+/g, "-")}.sh`);
  const quoted = words.map(word => `'${word.replaceAll("'", "'\\''")}'`);
  writeFileSync(file, `exec ${quoted.join(" ")}\n`);
  return ["/bin/sh", file];
}

function openPlace(folder, name, files) {
  const home = join(folder, name);
  const project = join(home, "project");
  mkdirSync(join(home, ".amplihack/sandbox"), { recursive: true, mode: 0o700 });
  mkdirSync(project);
  for (let at = 0; at < files; at++) {
    const path = join(project, `src/part-${Math.floor(at / 100)}/file-${at}.js`);
    if (at % 100 === 0) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      `export const value = ${at};\nexport const text = ${JSON.stringify("x".repeat(200))};\n`,
    );
  }
  const env = { HOME: home, PATH: process.env.PATH };
  const git = (...words) =>
    // Without tidying in the background, which would go on while something is measured or removed.
    spawnSync(
      "git",
      [
        ...["user.name=bench", "user.email=bench@example.org", "gc.auto=0", "maintenance.auto=false"].flatMap(
          one => ["-c", one],
        ),
        ...words,
      ],
      {
        cwd: project,
        env,
      },
    );
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  return { home, project, env };
}

/** The same policy for both, without Landlock, which `bwrap` does not use. The words are prepared once for all starts. */
async function startRows(folder) {
  const { home, project, env } = openPlace(folder, "start", 100);
  const { planPolicy, prepareBwrap, writePolicy, survey, createNodeSystem, BUILT_IN } = await loadSource({
    "sandbox/index.ts": ["planPolicy", "writePolicy"],
    "sandbox/start.ts": ["prepareBwrap"],
    "workspace/index.ts": ["survey"],
    "system/node.ts": ["createNodeSystem"],
    "config/index.ts": ["BUILT_IN"],
  });
  const system = createNodeSystem();
  const stateHome = join(home, ".amplihack");
  const workspace = survey({ cwd: project, home, system, settings: BUILT_IN.guard, stateHome });
  const settings = { ...BUILT_IN.sandbox, network: "off" };
  const planned = layers => planPolicy(system, workspace, { settings, layers, leftovers: "kill" }).policy;
  const start = layers => [
    PROGRAM,
    "--home",
    stateHome,
    writePolicy(system, stateHome, planned(layers)),
    "--",
  ];
  const words = ["/bin/true"];
  const commands = {
    "a command, bare": { argv: words, env },
    "a start, amplihack-sandbox without Landlock": {
      argv: [...start(["namespaces", "seccomp"]), ...words],
      env,
    },
    "a start, amplihack-sandbox with all layers": {
      argv: [...start(["namespaces", "landlock", "seccomp"]), ...words],
      env,
    },
  };
  const prepared = existsSync(BWRAP)
    ? prepareBwrap(system, {
        policy: planned(["namespaces", "seccomp"]),
        words,
        directory: project,
        stateHome,
      })
    : undefined;
  if (prepared !== undefined) {
    const filter = join(folder, "filter");
    writeFileSync(filter, prepared.filter);
    const script = `exec 3< '${filter}' 4> /dev/null; exec "$@"`;
    commands["a start, bwrap"] = { argv: ["/bin/sh", "-c", script, "sh", BWRAP, ...prepared.words], env };
  }
  const scripts = Object.entries(commands).map(([name, { argv }]) => [
    name,
    { argv: started(folder, name, argv), env },
  ]);
  const measured = measureCommands(Object.fromEntries(scripts), { rounds: 60, cwd: project });
  const base = measured["a start, bwrap"]?.p50;
  return Object.entries(measured).map(([name, figures]) => ({
    name,
    ...figures,
    ...(base === undefined ? {} : { ratio: figures.p50 / base }),
    ...(name.includes("without Landlock") ? { target: "1.5 ×" } : {}),
  }));
}

/** What a TLS client sends first: the proxy looks for the name in it. */
async function helloFor(name) {
  return new Promise(answer => {
    const server = createServer(socket =>
      socket.once("data", bytes => {
        socket.destroy();
        server.close();
        answer(bytes);
      }),
    );
    server.listen(0, "127.0.0.1", () => {
      const client = connectTls({ port: server.address().port, host: "127.0.0.1", servername: name });
      client.on("error", () => {});
    });
  });
}

async function proxyRows() {
  const { createProxy } = await loadSource({ "sandbox/proxy.ts": ["createProxy"] });
  const block = Buffer.alloc(MEGABYTE, "x");
  const server = createServer(socket => {
    socket.on("error", () => {});
    socket.once("data", () => {
      let left = SENT / MEGABYTE;
      const send = () => {
        while (left > 0) {
          left--;
          if (!socket.write(block)) return socket.once("drain", send);
        }
        socket.end();
      };
      send();
    });
  });
  const listen = one => new Promise(done => one.listen(0, "127.0.0.1", () => done(one.address().port)));
  const port = await listen(server);
  const proxy = createProxy({
    allowed: [`bench.test:${port}`],
    onRefused: (place, reason) => process.stderr.write(`  ${place}: ${reason}\n`),
    resolve: async () => ["127.0.0.1"],
    isOwn: () => false,
  });
  const through = await listen(proxy);
  const hello = await helloFor("bench.test");
  const receive = (at, first) =>
    new Promise((done, fail) => {
      const start = process.hrtime.bigint();
      let read = 0;
      const socket = connect(at, "127.0.0.1", () => socket.write(first));
      socket.on("error", fail);
      socket.on("data", bytes => {
        if (read === 0 && bytes.subarray(0, 4).toString() === "HTTP") socket.write(hello);
        read += bytes.length;
      });
      socket.on("close", () => done(read / MEGABYTE / (Number(process.hrtime.bigint() - start) / 1e9)));
    });
  const rates = { directly: [], "through the proxy": [] };
  for (let round = 0; round < 9; round++) {
    rates.directly.push(await receive(port, hello));
    rates["through the proxy"].push(await receive(through, `CONNECT bench.test:${port} HTTP/1.1\r\n\r\n`));
  }
  server.close();
  proxy.close();
  const direct = percentiles(rates.directly).p50;
  return Object.entries(rates).map(([name, list]) => {
    const { p50, p95 } = percentiles(list);
    return { name: `a large file, ${name}`, p50, p95, unit: "MB/s", ratio: p50 / direct };
  });
}

/** `node --test` over files that each load some of the modules: what a test run of a project of this size does. */
function testRows(folder) {
  const { project, env } = openPlace(folder, "tests", MODULES);
  const each = MODULES / TEST_FILES;
  mkdirSync(join(project, "test"));
  for (let number = 0; number < TEST_FILES; number++) {
    const names = Array.from({ length: each }, (_, at) => number * each + at);
    const lines = names.map(
      at => `import * as m${at} from "../src/part-${Math.floor(at / 100)}/file-${at}.js";`,
    );
    const checks = names.map(at => `test("file ${at}", () => assert.equal(m${at}.value, ${at}));`);
    const head = 'import test from "node:test";\nimport assert from "node:assert";\n';
    writeFileSync(join(project, `test/test-${number}.js`), [head, ...lines, ...checks].join("\n"));
  }
  const script = "node --test test/ > result.txt";
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", scripts: { test: script } }));
  const amplihack = (...words) => ({
    argv: started(folder, `test ${words.join(" ")}`, [...CLI, ...words, "--", "npm", "test"]),
    env,
  });
  const commands = {
    bare: { argv: ["npm", "test"], env },
    "in the sandbox": amplihack("sandbox", "run", "--network", "off"),
    "tried and discarded": amplihack("try", "--network", "off", "--discard"),
    "tried and applied": amplihack("try", "--network", "off", "--apply"),
  };
  const names = Object.keys(commands);
  const samples = runCommands(Object.values(commands), { rounds: 4, cwd: project });
  const medians = samples.map(runs => percentiles(runs.slice(1).map(({ wall }) => wall)));
  // Other work on the machine disturbs it less.
  const processor = samples.map(runs => percentiles(runs.slice(1).map(run => run.processor ?? Number.NaN)));
  if (!/# pass 10000/.test(readFileSync(join(project, "result.txt"), "utf8")))
    throw new Error("the tests of the bench's project did not pass");
  return names.flatMap((name, at) =>
    [
      ["", medians],
      [", processor time", processor],
    ].flatMap(([kind, figures]) =>
      Number.isNaN(figures[at].p50)
        ? []
        : {
            name: `npm test, 10 000 files, ${name}${kind}`,
            ...figures[at],
            ratio: figures[at].p50 / figures[0].p50,
            ...(name.startsWith("tried and discarded") ? { target: "1.1 ×" } : {}),
          },
    ),
  );
}

/** By what was changed in a project of 10 000 files, and by the size of a project in which 10 are. */
function growthRows(folder) {
  const rows = [];
  const change = (place, count, name) => {
    const script = `for (let at = 0; at < ${count}; at++) require("node:fs").appendFileSync(\`src/part-\${Math.floor(at / 100)}/file-\${at}.js\`, "x")`;
    const command = {
      argv: started(folder, name, [
        ...[...CLI, "try", "--network", "off", "--apply", "--"],
        ...["node", "-e", script],
      ]),
      env: place.env,
    };
    const [runs] = runCommands([command], { rounds: 4, cwd: place.project });
    rows.push({ name, ...percentiles(runs.slice(1).map(({ wall }) => wall)) });
  };
  for (const size of SIZES) {
    const place = openPlace(folder, `size-${size}`, size);
    if (size === MODULES)
      for (const count of CHANGED) change(place, count, `try and apply, ${count} of ${size} files changed`);
    else change(place, CHANGED[0], `try and apply, ${CHANGED[0]} of ${size} files changed`);
    rmSync(place.home, { recursive: true, force: true });
  }
  const first = rows[0]?.p50 ?? 1;
  return rows.map(row => ({ ...row, ratio: row.p50 / first }));
}
