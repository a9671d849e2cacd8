// Installs the agent SDKs of package.json, compiles every example and test against their real types, and runs the tests
// with the SDKs' own mock models. `npm run test:sdks [-- FILE…]`.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installLocked } from "../install-locked.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

installLocked(folder, "--omit=optional");
run("npm", ["run", "build"]);
// The examples use the same packages, and the built package by its name.
const examples = join(root, "examples", "embedding");
rmSync(join(examples, "node_modules"), { recursive: true, force: true });
symlinkSync(join(folder, "node_modules"), join(examples, "node_modules"), "junction");
rmSync(join(examples, "build"), { recursive: true, force: true });
run("npx", ["tsc", "-p", examples]);
run("npx", ["tsc", "-p", "tests/sdks/tsconfig.json"]);
// The Claude Agent SDK drives a program; the one that `npm run test:hosts` installed is used when it is there. It runs
// without a network.
const hosts = JSON.parse(readFileSync(new URL("../hosts/versions.json", import.meta.url), "utf8"));
const cache = process.env.AMPLIHACK_TEST_HOSTS ?? join(homedir(), ".cache", "amplihack-hosts");
const claude = join(cache, `claude-code-${hosts["claude-code"].version}`, "node_modules", ".bin", "claude");
const isolate = ["--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const canIsolate = spawnSync("unshare", [...isolate, "true"]).status === 0;
const vitest = ["npx", "vitest", "run", "--config", "tests/sdks/vitest.config.ts", ...process.argv.slice(2)];
if (canIsolate && existsSync(claude)) process.env.AMPLIHACK_TEST_CLAUDE = claude;
else console.log("SKIPPED sessions of the Claude Agent SDK: run `npm run test:hosts` first, on Linux");
if (canIsolate) run("unshare", [...isolate, ...vitest]);
else run(vitest[0], vitest.slice(1));
