// Builds the native program for arm64 where it is older than its sources, and runs its tests on an emulator.
// `npm run test:native:arm64 [-- FILE…]`: the files named, or those below.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nativeSourcesMs } from "../../scripts/native-sources.mjs";
import { chooseTarget, describeLack, lackingFor } from "../../scripts/native-target.mjs";

const MACHINE = "aarch64-unknown-linux-gnu";
/**
 * The others look for the program of this machine (`compare`, `install`) or start it thousands of times (`same-answers`).
 * `history` takes 4 minutes on a quiet machine; on a busy one hooks miss their deadline in it.
 */
const FILES = ["file", "golden", "executable", "configuration", "user-hooks", "transcripts", "hostile"];
/** An emulator needs memory and files for itself, and is too slow for the deadline of a hook where there is much to do. */
const NOT_EMULATED = [
  "address space is scarce",
  "does not fit into \\d+ kB of memory",
  "no file can be opened",
  "hurt while it judged",
  "more values than an engine can hold",
  "whatever goes wrong in it",
  "transcript-long-line",
  "passes, large:",
];
/** Tells the kernel to give programs for arm64 to an emulator, in a name space of its own and nowhere else. */
const HEADER = "\\x7fELF\\x02\\x01\\x01\\x00".concat("\\x00".repeat(8), "\\x02\\x00\\xb7\\x00");
const MASK = `${"\\xff".repeat(7)}\\x00${"\\xff".repeat(8)}\\xfe${"\\xff".repeat(3)}`;
const REGISTER = [
  ...["unshare", "--map-root-user", "--mount", "sh", "-c"],
  'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf %s "$0" > /proc/sys/fs/binfmt_misc/register && exec "$@"',
];

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
if (process.platform !== "linux") fail("the program for arm64 can be run on Linux only");
const lacking = lackingFor(MACHINE);
if (lacking.length > 0) fail(describeLack(MACHINE, lacking));
const { output, runner } = chooseTarget(MACHINE);
const builtMs = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (nativeSourcesMs("amplihack-hooks") > builtMs)
  run(["npm", "run", "build:native", "--", "--target", MACHINE]);
if (statSync("dist/bin/amplihack-hooks.cjs", { throwIfNoEntry: false }) === undefined)
  run(["npm", "run", "build"]);

const start = findStart();
const named = process.argv.slice(2);
const files = named.length > 0 ? named : FILES.map(name => `tests/native/${name}.test.ts`);
const names = `^(?!.*(${NOT_EMULATED.join("|")}))`;
run([...start, "node_modules/.bin/vitest", "run", "--maxWorkers=1", "--testNamePattern", names, ...files], {
  AMPLIHACK_TEST_EMULATED: join(process.cwd(), output),
});

/** Words before a command whose children may be programs for arm64. */
function findStart() {
  const [emulator] = runner;
  const path = spawnSync("sh", ["-c", 'command -v "$0"', emulator], { encoding: "utf8" }).stdout.trim();
  const own = [...REGISTER, `:amplihack-arm64:M::${HEADER}:${MASK}:${path}:F`];
  const isStarted = words => spawnSync(words[0], [...words.slice(1), output, "--version"]).status === 0;
  if (spawnSync(output, ["--version"]).status === 0) return [];
  if (isStarted(own)) return own;
  return fail(
    `the kernel does not start ${output}. That takes Linux 6.7 with user name spaces, or an emulator that is registered for the whole machine (Debian: binfmt-support and ${emulator}).`,
  );
}

function run([program, ...args], env = {}) {
  const { status } = spawnSync(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) process.exit(status ?? 1);
}

function fail(reason) {
  console.error(`test:native:arm64: ${reason}`);
  process.exit(1);
}
