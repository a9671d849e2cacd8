// Builds an OpenTelemetry Collector from its Go modules (the OTLP receiver and the debug exporter of v0.110.0) and ships
// the logs of real hook runs to it. `npm run test:collector`; needs Go, and the modules the first time.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "0.110.0";
const LINES = 6;
const root = fileURLToPath(new URL("../..", import.meta.url));
const cache =
  process.env.AMPLIHACK_TEST_COLLECTOR ?? join(homedir(), ".cache", "amplihack-collector", VERSION);
const program = join(cache, "otelcol");

if (!existsSync(program)) {
  console.log(`building the collector v${VERSION}, which takes some minutes …`);
  mkdirSync(cache, { recursive: true });
  const sources = fileURLToPath(new URL("./receiver", import.meta.url));
  const { status } = spawnSync("go", ["build", "-trimpath", "-o", program, "."], {
    cwd: sources,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}

// Not below a temporary directory, whose loss the guard would not ask about.
const home = mkdtempSync(join(homedir(), ".amplihack-collector-"));
const run = (file, words, input = "") =>
  spawnSync(process.execPath, [join(root, "dist", "bin", file), ...words], {
    cwd: home,
    input,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: home },
  });
const refuse = () => {
  for (let line = 0; line < LINES; line++) {
    const tool = { tool_name: "Bash", tool_input: { command: `rm -rf ~/secret-${line} ~` } };
    const payload = { hook_event_name: "PreToolUse", session_id: "collector", cwd: home, ...tool };
    run("amplihack-hooks.cjs", ["pre-tool-use"], JSON.stringify(payload));
  }
};

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A collector that prints everything it takes. */
async function startCollector(port) {
  const config = join(home, "collector.yaml");
  writeFileSync(
    config,
    `receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { debug: { verbosity: detailed } }
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    logs: { receivers: [otlp], exporters: [debug] }
    metrics: { receivers: [otlp], exporters: [debug] }
`,
  );
  const child = spawn(program, ["--config", config], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", chunk => (printed += chunk));
  const ended = once(child, "close");
  while (!printed.includes("Everything is ready")) {
    assert.equal(child.exitCode, null, printed);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
      return printed;
    },
  };
}

const idsIn = text => [...text.matchAll(/log\.record\.uid: Str\((\w+)\)/g)].map(([, id]) => id);

try {
  refuse();
  const port = await freePort();
  const ship = () =>
    run("amplihack.cjs", ["ship", "--once", "--json", "--to", `otlp=http://127.0.0.1:${port}`]);
  const first = await startCollector(port);
  assert.deepEqual(JSON.parse(ship().stdout), { success: true, sent: 2 * LINES });
  assert.deepEqual(JSON.parse(ship().stdout), { success: true, sent: 0 });
  const before = await first.stop();
  assert.equal(new Set(idsIn(before)).size, 2 * LINES);
  assert.equal(idsIn(before).length, 2 * LINES, "nothing arrives twice");
  assert.ok(!before.includes("secret-"), "commands stay here");
  for (const word of [
    "gen_ai.tool.name: Str(Bash)",
    "gen_ai.conversation.id: Str(collector)",
    "SeverityText: WARN",
  ])
    assert.ok(before.includes(word), word);
  for (const name of ["amplihack.guard.verdicts", "amplihack.hook.duration", "amplihack.audit.head"])
    assert.ok(before.includes(`-> Name: ${name}`), name);
  const [seq, hash] = run("amplihack.cjs", ["audit", "head"]).stdout.trim().split(":");
  assert.equal(seq, String(LINES));
  assert.ok(before.includes(`amplihack.audit.hash: Str(${hash})`), "the head arrives");

  refuse();
  const failed = ship();
  assert.equal(failed.status, 1, "a collector that is gone is a failure");
  const second = await startCollector(port);
  assert.deepEqual(JSON.parse(ship().stdout), { success: true, sent: 2 * LINES });
  const after = idsIn(await second.stop());
  assert.equal(new Set([...idsIn(before), ...after]).size, 4 * LINES, "nothing is lost or doubled");
  console.log(`collector v${VERSION}: ${4 * LINES} records arrived once each, over a restart`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
