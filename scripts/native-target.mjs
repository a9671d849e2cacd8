// For which machine the native program is built, with what, and how a program for it is run here.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute } from "node:path";

/**
 * @typedef {object} Target a machine to build for
 * @property {string | undefined} name Rust's name of it
 * @property {boolean} isLinux
 * @property {string} cargo
 * @property {string} rustc
 * @property {Readonly<Record<string, string>>} env what cargo must be told
 * @property {string} compiler of C
 * @property {readonly string[] | undefined} runner words before a program for it; undefined where none can be run
 * @property {string} output where the program goes
 */

/** Machines that a program can be built for on another one. The packages are Debian's. */
const OTHERS = {
  "aarch64-unknown-linux-gnu": {
    platform: "linux-arm64",
    compiler: "aarch64-linux-gnu-gcc",
    emulators: ["qemu-aarch64-static", "qemu-aarch64"],
    packages: {
      rust: "cargo-web rustc-web libstd-rust-web-dev:arm64",
      compiler: "gcc-aarch64-linux-gnu",
      library: "libc6-dev-arm64-cross",
      emulator: "qemu-user-static",
    },
    setUp: "dpkg --add-architecture arm64 && apt-get update && apt-get install",
  },
};

/** Rust as it is found first; a distribution may have the library of a machine that it lacks. */
const TOOLS = [
  { cargo: "cargo", rustc: "rustc", env: {} },
  { cargo: "/usr/bin/cargo", rustc: "/usr/bin/rustc", env: { RUSTC: "/usr/bin/rustc" } },
];

/** What a program prints; nothing where it is not installed. */
export const answer = (program, ...args) => spawnSync(program, args, { encoding: "utf8" }).stdout ?? "";

/** @returns {Target} */
export function thisMachine() {
  return {
    name: /^host: (.+)$/m.exec(answer("rustc", "-vV"))?.[1],
    isLinux: process.platform === "linux",
    ...TOOLS[0],
    compiler: "cc",
    runner: [],
    output: "dist/native/amplihack-hooks",
  };
}

/**
 * Ends the process where that machine is unknown or something is missing to build for it. Without an emulator the
 * program is built, and starts slower.
 * @returns {Target}
 */
export function chooseTarget(name) {
  const here = thisMachine();
  if (name === here.name) return here;
  if (!Object.hasOwn(OTHERS, name)) {
    const names = [here.name, ...Object.keys(OTHERS)].join(", ");
    console.error(`build:native cannot build for ${name} here; expected one of ${names}`);
    process.exit(2);
  }
  const lacking = lackingFor(name);
  if (lacking.length > 0) console.error(describeLack(name, lacking));
  if (lacking.some(what => what !== "emulator")) process.exit(1);
  if (lacking.length > 0)
    console.error("Without an emulator it is made without counts and image, and starts slower.");
  const { platform, compiler, emulators } = OTHERS[name];
  const tools = TOOLS.find(({ rustc }) => hasLibrary(rustc, name));
  const emulator = emulators.find(isInstalled);
  const spelt = name.replaceAll("-", "_");
  return {
    ...tools,
    name,
    isLinux: true,
    env: {
      ...tools.env,
      [`CARGO_TARGET_${spelt.toUpperCase()}_LINKER`]: compiler,
      [`CC_${spelt}`]: compiler,
    },
    compiler,
    runner: emulator === undefined ? undefined : [emulator],
    output: `dist/native/amplihack-hooks-${platform}`,
  };
}

/**
 * Words before a program of a platform by Node's name, undefined where it cannot be run here.
 * @returns {readonly string[] | undefined}
 */
export function runnerFor(platform, program) {
  if (platform === `${process.platform}-${process.arch}`) return [];
  const known = Object.values(OTHERS).find(other => other.platform === platform);
  const isElf = readFileSync(program).subarray(0, 4).toString("latin1") === "\x7fELF";
  const emulator = isElf ? known?.emulators.find(isInstalled) : undefined;
  return emulator === undefined ? undefined : [emulator];
}

/** What is not installed here to build for that machine and to run the result: keys of its packages. */
export function lackingFor(name) {
  const { compiler, emulators } = OTHERS[name];
  const isThere = {
    rust: TOOLS.some(({ rustc }) => hasLibrary(rustc, name)),
    compiler: isInstalled(compiler),
    // Without a path the compiler says that it knows no such file.
    library: isAbsolute(answer(compiler, "-print-file-name=libc.a").trim()),
    emulator: emulators.some(isInstalled),
  };
  return Object.keys(isThere).filter(what => !isThere[what]);
}

export function describeLack(name, lacking) {
  const { compiler, emulators, packages, setUp } = OTHERS[name];
  const words = {
    rust: `Rust's library for it`,
    compiler: `its C compiler, ${compiler}`,
    library: "its static C library",
    emulator: `an emulator, ${emulators.join(" or ")}`,
  };
  const listed = lacking.map(what => words[what]).join("; ");
  const hasRustup = lacking.includes("rust") && isInstalled("rustup");
  const names = lacking.filter(what => what !== "rust" || !hasRustup).map(what => packages[what]);
  const commands = [
    ...(hasRustup ? [`rustup target add ${name}`] : []),
    // Of Rust's packages one is for the other machine.
    ...(names.length > 0 ? [`${hasRustup ? "apt-get install" : setUp} ${names.join(" ")}`] : []),
  ];
  return `To build for ${name} and to run the result, this is missing: ${listed}.\nOn Debian: ${commands.join(" && ")}`;
}

const isInstalled = program => answer(program, "--version") !== "";

function hasLibrary(rustc, name) {
  return existsSync(answer(rustc, "--print", "target-libdir", "--target", name).trim());
}
