// Compiles the Rust crates of the native program, and the engine in C inside them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { inTrainingPlace } from "./native-training.mjs";

const PROFILE = resolve("native/target/profile");
const KEY = `${PROFILE}/key`;
const isLinux = process.platform === "linux";
const answer = (program, ...args) => spawnSync(program, args, { encoding: "utf8" }).stdout ?? "";
const target = /^host: (.+)$/m.exec(answer("rustc", "-vV"))?.[1];
/** Only GNU's compiler is known to read back its own counts this way. */
const isCountable = isLinux && answer("cc", "--version").includes("Free Software Foundation");

export const RELEASE = `native/target/${target}/release`;

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
function linuxFlags(counting) {
  const linked = [
    "-Wl,--no-eh-frame-hdr",
    `-Wl,-T,${resolve("native/host/without-unwinding.ld")}`,
    ...(isCountable ? ["-lgcov"] : []),
    "-lgcc",
  ];
  return {
    RUSTFLAGS: [
      "-C target-feature=+crt-static -C relocation-model=static",
      ...linked.map(word => `-C link-arg=${word}`),
    ].join(" "),
    CFLAGS: `-D__SANITIZE_ADDRESS__ -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables ${counting}`,
  };
}

export function cargo(name, ...more) {
  const counting = existsSync(PROFILE) ? `-fprofile-use=${PROFILE} -Wno-missing-profile` : "";
  cargoWith(counting, name, ...more);
}

function cargoWith(counting, name, ...more) {
  const env = isLinux ? { ...process.env, ...linuxFlags(counting) } : process.env;
  const place = ["--manifest-path", "native/Cargo.toml", "--package", name, ...more];
  run("cargo", ["build", "--release", "--quiet", "--locked", "--target", target, ...place], { env });
}

/** What decides where cargo compiles the engine: by that path the compiler knows its counts, and misses them silently. */
function countsKey() {
  const files = ["Cargo.toml", "Cargo.lock", "host/Cargo.toml"].map(name =>
    readFileSync(`native/${name}`, "utf8"),
  );
  return JSON.stringify([PROFILE, answer("rustc", "-vV"), linuxFlags("").RUSTFLAGS, ...files]);
}

/**
 * Lets the engine count what it executes in ordinary runs, so that the compiler makes that fast and the rest small.
 * The counts are of the engine's code, which rarely changes: they are kept while it is compiled in the same way.
 */
export function countRuns() {
  if (!isCountable) return;
  const key = countsKey();
  if (existsSync(KEY) && readFileSync(KEY, "utf8") === key) return;
  rmSync(PROFILE, { recursive: true, force: true });
  cargoWith(`-fprofile-generate=${PROFILE}`, "amplihack-native", "--features", "counting");
  mkdirSync(PROFILE, { recursive: true });
  try {
    inTrainingPlace(({ home, payloads }) => {
      const program = resolve(RELEASE, "amplihack-hooks");
      const env = { HOME: home, PATH: "/usr/bin:/bin" };
      for (const { subcommand, name, cwd, input } of payloads) {
        const { status } = spawnSync(program, [subcommand], { cwd, env, input });
        if (status !== 0) throw new Error(`a run that counts ended with ${status}, on ${subcommand} ${name}`);
      }
    });
  } catch (error) {
    rmSync(PROFILE, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(KEY, key);
}
