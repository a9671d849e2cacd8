// Compiles the Rust crates of the native program, and the engine in C inside them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { answer } from "./native-target.mjs";
import { inTrainingPlace, runPayload } from "./native-training.mjs";

/** What cargo leaves, in the folder that whoever builds several checkouts chose for all of them. */
export const built = path => resolve(process.env.CARGO_TARGET_DIR ?? "native/target", path);
/** Where it leaves a program for a machine. */
export const builtFor = (target, name) => built(`${target.name}/release/${name}`);
/** Where it leaves a program that only the build runs. */
export const builtTool = name => built(`tools/${name}`);
const profileOf = target => built(`${target.name}/profile`);
/** Only GNU's compiler is known to read back its own counts this way. */
const isCountable = target =>
  target.isLinux && answer(target.compiler, "--version").includes("Free Software Foundation");

export function run(program, args, { env = process.env, cwd } = {}) {
  const result = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"], env, cwd });
  if (result.error?.code === "ENOENT") {
    console.error(
      `build:native needs ${program}, which is not installed. Install Rust 1.88 or newer with cargo, then run npm run build:native again.`,
    );
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

// An image holds addresses of the program, which only an executable at a fixed place keeps. The engine packs
// small blocks into pages of its own unless it believes that an address sanitizer watches; here each block goes to
// the host, which knows better where it belongs.
function linuxFlags(target, counting) {
  const libraries = [...(isCountable(target) ? ["-lgcov"] : []), "-lgcc"];
  const linked = [
    "-Wl,--no-eh-frame-hdr",
    `-Wl,-T,${resolve("native/host/without-unwinding.ld")}`,
    // Rust links with its own linker on x64. GNU's, which it takes elsewhere, looks for each name only in what comes later.
    ...(target.name.startsWith("x86_64-")
      ? libraries
      : ["-Wl,-Bstatic,--start-group", ...libraries, "-lm", "-lc", "-Wl,--end-group"]),
  ];
  return {
    RUSTFLAGS: [
      "-C target-feature=+crt-static -C relocation-model=static",
      ...linked.map(word => `-C link-arg=${word}`),
    ].join(" "),
    CFLAGS: `-D__SANITIZE_ADDRESS__ -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables ${counting}`,
  };
}

export function cargo(target, name) {
  const profile = profileOf(target);
  cargoWith(target, existsSync(profile) ? `-fprofile-use=${profile} -Wno-missing-profile` : "", name);
}

/** Such a program is made quickly: the engine inside it is compiled a third time, and runs for a second. */
export function cargoTool(target, name) {
  const place = ["--manifest-path", "native/Cargo.toml", "--package", name];
  run(target.cargo, ["build", "--profile", "tools", "--quiet", "--locked", ...place]);
}

function cargoWith(target, counting, name, ...more) {
  const flags = target.isLinux ? linuxFlags(target, counting) : {};
  const place = ["--manifest-path", "native/Cargo.toml", "--package", name, ...more];
  run(target.cargo, ["build", "--release", "--quiet", "--locked", "--target", target.name, ...place], {
    env: { ...process.env, ...target.env, ...flags },
  });
}

/** What decides where cargo compiles the engine: by that path the compiler knows its counts, and misses them silently. */
function countsKey(target) {
  const files = ["Cargo.toml", "Cargo.lock", "host/Cargo.toml"].map(name =>
    readFileSync(`native/${name}`, "utf8"),
  );
  const versions = [answer(target.rustc, "-vV"), answer(target.compiler, "--version")];
  return JSON.stringify([profileOf(target), ...versions, linuxFlags(target, "").RUSTFLAGS, ...files]);
}

/**
 * Lets the engine count what it executes in ordinary runs, so that the compiler makes that fast and the rest small.
 * The counts are of the engine's code, which rarely changes: they are kept while it is compiled in the same way.
 * @returns {boolean} whether the program that cargo left is now one that counts
 */
export function countRuns(target) {
  if (!isCountable(target) || target.runner === undefined) return false;
  const key = countsKey(target);
  const profile = profileOf(target);
  if (existsSync(`${profile}/key`) && readFileSync(`${profile}/key`, "utf8") === key) return false;
  rmSync(profile, { recursive: true, force: true });
  cargoWith(target, `-fprofile-generate=${profile}`, "amplihack-native", "--features", "counting");
  mkdirSync(profile, { recursive: true });
  try {
    inTrainingPlace(({ home, payloads }) => {
      const argv = [...target.runner, builtFor(target, "amplihack-hooks")];
      for (const payload of payloads) runPayload(argv, home, payload);
    });
  } catch (error) {
    rmSync(profile, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(`${profile}/key`, key);
  return true;
}
