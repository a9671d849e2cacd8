// `node scripts/release.mjs OUT [--key FILE] [--binaries FOLDER | --without-native [--platforms A,B]]`: makes a folder to
// publish from. Without native programs, hooks run on Node; the archive is for the platforms named, else for all.
//   amplihack-hooks-<platform>-<arch>   the native programs: FOLDER's, or those built here. Those of Linux are static, for
//                                       glibc and musl alike, so that npm need not be told of a C library
//   amplihack-sandbox-linux-<arch>      the programs that enforce the sandbox, beside them
//   npm/<package>/                      the main package and one package per native program
//   amplihack-<version>.tgz             the main package with all it needs at run time, which `amplihack update` takes
//   plugins/, amplihack-plugins-<version>.tgz   marketplaces of Claude Code and Codex, and an extension of Gemini CLI
//   amplihack-<version>.cdx.json        what all of it is made of, a CycloneDX document
//   SHA256SUMS, SHA256SUMS.sig          over all files above; the signature is Ed25519, base64, with the key of FILE
// No package has an install script: npm picks the native one by `os` and `cpu`, and none where there is none.
import { spawnSync } from "node:child_process";
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runnerFor } from "./native-target.mjs";
import { addArchive } from "./release-archive.mjs";
import { fail, writeJson } from "./release-files.mjs";
import { addPlugins } from "./release-plugins.mjs";
import { addSbom } from "./release-sbom.mjs";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
const BINARY = "amplihack-hooks";
/** Beside it in the packages for Linux: enforces the policy of a command. */
const SANDBOX = "amplihack-sandbox";
const PROBE_MS = 30_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: "string" },
    binaries: { type: "string" },
    "without-native": { type: "boolean", default: false },
    platforms: { type: "string" },
  },
});
const [out] = positionals.map(path => resolve(path));
if (out === undefined)
  fail("where to? usage: node scripts/release.mjs OUT [--key FILE] [--binaries FOLDER]", 2);
const isWithoutNative = values["without-native"];
if (isWithoutNative && values.binaries !== undefined)
  fail("--without-native and --binaries exclude each other", 2);
if (!isWithoutNative && values.platforms !== undefined) fail("--platforms needs --without-native", 2);
const wanted = values.platforms?.split(",") ?? PLATFORMS;
for (const platform of wanted)
  if (!PLATFORMS.includes(platform)) fail(`${platform} is none of ${PLATFORMS.join(", ")}`, 2);
const key = values.key === undefined ? undefined : readKey(resolve(values.key));
const folder = values.binaries === undefined ? undefined : resolve(values.binaries);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));

// npm proves where a package was built only if the package names that repository.
const { GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY: repository } = process.env;
const origin =
  repository === undefined ? {} : { repository: { type: "git", url: `git+${server}/${repository}.git` } };
const main = { ...JSON.parse(readFileSync("package.json", "utf8")), ...origin };
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "npm"), { recursive: true });

const present = isWithoutNative ? [] : PLATFORMS.filter(addNative);
if (present.length === 0 && !isWithoutNative)
  fail(
    "there is no native program to release; npm run build:native makes one, --without-native does without",
    1,
  );
const absent = PLATFORMS.filter(platform => !present.includes(platform));
if (isWithoutNative) console.log("without native programs: hooks run on Node");
else if (absent.length > 0)
  console.log(`without ${absent.join(", ")}: their programs are made on those machines`);
addMain();
addArchive(out, main.name, isWithoutNative ? wanted : present, present);
await addPlugins(out, main);
addSbom(out, main);
writeSums();
console.log(`${out}: version ${main.version} for ${(isWithoutNative ? wanted : present).join(", ")}`);

/** The native programs of one platform, as files and as a package; false when there are none. */
function addNative(platform) {
  const built = builtFor(BINARY, platform);
  if (!existsSync(built)) return false;
  const [os, cpu] = platform.split("-");
  const place = join(out, "npm", `${main.name}-${platform}`);
  mkdirSync(place, { recursive: true });
  const names = [BINARY, SANDBOX].filter(name => existsSync(builtFor(name, platform)));
  for (const name of names)
    for (const copy of [join(out, `${name}-${platform}`), join(place, name)]) {
      cpSync(builtFor(name, platform), copy);
      chmodSync(copy, 0o755);
    }
  if (os === "linux" && !names.includes(SANDBOX))
    console.log(`without ${SANDBOX} for ${platform}: the sandbox is unavailable there`);
  checkVersion(platform, join(place, BINARY));
  cpSync("LICENSE", join(place, "LICENSE"));
  writeJson(join(place, "package.json"), {
    name: `${main.name}-${platform}`,
    version: main.version,
    description: `The native programs of ${main.name} for ${platform}.`,
    license: main.license,
    ...origin,
    os: [os],
    cpu: [cpu],
    files: names,
  });
  return true;
}

function builtFor(name, platform) {
  const isHere = platform === `${process.platform}-${process.arch}`;
  if (folder !== undefined) return join(folder, `${name}-${platform}`);
  return `dist/native/${isHere ? name : `${name}-${platform}`}`;
}

/** A program of another version would be refused by nobody, so it is asked here, where it can be run. */
function checkVersion(platform, program) {
  const runner = runnerFor(platform, program);
  if (runner === undefined) return;
  const [first, ...rest] = [...runner, program, "--version"];
  const { status, stdout, error } = spawnSync(first, rest, { encoding: "utf8", timeout: PROBE_MS });
  const said = error?.message ?? (stdout.trim() || `nothing, and ended with ${status}`);
  if (status !== 0 || said !== `${BINARY} ${main.version}`)
    fail(`the native program of ${platform} says "${said}" instead of "${BINARY} ${main.version}"`, 1);
}

/** The main package as it is published: what only a checkout needs is left out. */
function addMain() {
  if (!existsSync("dist/bin/amplihack-hooks.cjs")) fail("dist is not built; npm run build makes it", 1);
  const place = join(out, "npm", main.name);
  const isOurs = path => !path.startsWith(join("dist", "native"));
  for (const name of main.files)
    if (existsSync(name)) cpSync(name, join(place, name), { recursive: true, filter: isOurs });
  // What later releases are checked with; without a key there is nothing to check them by.
  if (key !== undefined)
    writeFileSync(
      join(place, "dist", "release-key.pem"),
      createPublicKey(key).export({ type: "spki", format: "pem" }),
    );
  const { scripts: _, devDependencies: __, ...published } = main;
  writeJson(join(place, "package.json"), {
    ...published,
    optionalDependencies: {
      ...main.optionalDependencies,
      ...Object.fromEntries(present.map(platform => [`${main.name}-${platform}`, main.version])),
    },
  });
}

function writeSums() {
  const names = readdirSync(out, { withFileTypes: true }).filter(one => one.isFile());
  const lines = names.map(({ name }) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
    return `${digest}  ${name}\n`;
  });
  const sums = lines.sort((left, right) => (left.slice(66) < right.slice(66) ? -1 : 1)).join("");
  writeFileSync(join(out, "SHA256SUMS"), sums);
  if (key === undefined)
    console.log("SHA256SUMS is not signed: no --key was given, so `amplihack update` will refuse it");
  else
    writeFileSync(join(out, "SHA256SUMS.sig"), `${sign(null, Buffer.from(sums), key).toString("base64")}\n`);
}

function readKey(path) {
  try {
    const read = createPrivateKey(readFileSync(path));
    if (read.asymmetricKeyType === "ed25519") return read;
    return fail(`${path} holds a key of type ${read.asymmetricKeyType}; expected ed25519`, 1);
  } catch (error) {
    return fail(`${path} cannot be read as a private key: ${error.message}`, 1);
  }
}
