// Installs the agent SDKs of package.json, compiles every example and test against their real types, and runs the tests
// with the SDKs' own mock models. `npm run test:sdks [-- FILE…]`.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

function run(program, args, cwd = root) {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const lock = new URL("package-lock.json", import.meta.url);
const installed = new URL("node_modules/.package-lock.json", import.meta.url);
const versions = file =>
  JSON.stringify(
    Object.entries(JSON.parse(readFileSync(file, "utf8")).packages).flatMap(
      ([name, { version, optional }]) => (name === "" || optional ? [] : [[name, version]]),
    ),
  );
if (!existsSync(installed) || versions(lock) !== versions(installed))
  run(
    "npm",
    ["ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    folder,
  );
run("npx", ["tsc", "-p", "tests/sdks/tsconfig.json"]);
run("npx", ["vitest", "run", "--config", "tests/sdks/vitest.config.ts", ...process.argv.slice(2)]);
