// `npm run test:amplifier`: installs Amplifier's public package into a virtual environment and lets its own hook registry
// call the hook program, in a network with nothing in it.
import { deepEqual, equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "2.0.2";
const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = process.env.AMPLIHACK_TEST_HOSTS ?? join(homedir(), ".cache", "amplihack-hosts");
const folder = join(cache, `amplifier-core-${VERSION}`);
const python = join(folder, "bin", "python");

function run(program, ...words) {
  const ran = spawnSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  if (ran.status !== 0)
    throw new Error(`${program} ${words.join(" ")} ended with ${ran.status ?? ran.error}`);
  return ran.stdout;
}

if (!existsSync(python)) {
  mkdirSync(cache, { recursive: true });
  run("python3", "-m", "venv", folder);
  run(python, "-m", "pip", "install", "-q", `amplifier-core==${VERSION}`);
}
// Below the home: the guard judges what lies in temporary directories less strictly.
const home = mkdtempSync(join(homedir(), ".amplihack-amplifier-"));
try {
  const project = join(home, "project");
  run("git", "init", "-q", project);
  const isolate = ["--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const program = [process.execPath, join(root, "dist", "bin", "amplihack-hooks.cjs")];
  const prove = join(root, "tests", "amplifier", "prove.py");
  const said = JSON.parse(run("unshare", ...isolate, python, prove, home, project, ...program));
  equal(said.version, VERSION);
  equal(said.start.action, "inject_context");
  equal(said.allowed.action, "continue");
  equal(said.denied.action, "deny");
  match(said.denied.reason, /^Denied \[fs\.root\]/);
  equal(said.asked.action, "deny");
  match(said.asked.reason, /amplihack guard allow-once [A-Z0-9]+/);
  equal(said.after.action, "continue");
  equal(said.end.action, "continue");
  // A deny ends the chain: the handler after ours saw only what may run.
  deepEqual(said.ran, ["git status"]);
  console.log(
    `amplifier-core ${VERSION}: context at the start, refusal, question as a refusal; all as it should be`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
