// `node scripts/build-native.mjs [--target MACHINE] [--without-image]` builds dist/native/amplihack-hooks: bundles the
// portable folders, compiles them to bytecode ahead of time and embeds them in the Rust host. On Linux it builds
// dist/native/amplihack-sandbox, too. Needs cargo; nothing else in the project does. MACHINE is Rust's name of another machine: `aarch64-unknown-linux-gnu` makes
// dist/native/amplihack-hooks-linux-arm64.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { buildConstants } from "./build-constants.mjs";
import { writeReached } from "./build-hooks.mjs";
import { buildSandbox } from "./build-sandbox.mjs";
import { ARGV_ENTRY, entryNames, entryPath, generatedEntries, nativeEntrySource } from "./entries.mjs";
import { loadSource } from "./load-source.mjs";
import { built, builtFor, builtTool, cargo, cargoTool, countRuns, run } from "./native-cargo.mjs";
import { imageRoom, packImage, writeImage } from "./native-image.mjs";
import { chooseTarget, thisMachine } from "./native-target.mjs";
import { inTrainingPlace, runPayload } from "./native-training.mjs";
import { pastDoors } from "./past-doors.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const GENERATED = "native/generated";
const USAGE_ENTRY = "no-opinion";

const { values: options } = parseArgs({
  options: { target: { type: "string" }, "without-image": { type: "boolean", default: false } },
});
const here = thisMachine();
const target = chooseTarget(options.target ?? here.name);
const OUTPUT = target.output;
// The program writes its image itself.
const isImaged = target.isLinux && target.runner !== undefined && !options["without-image"];

rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED, { recursive: true });

// Modules share chunks, and what is imported lazily is a chunk of its own that is loaded on demand.
const entries = [...(await entryNames()), ARGV_ENTRY];
const entryPoints = [
  ...entries.map(name => ({ in: entryPath(name), out: name })),
  ...(isImaged ? [{ in: "src/bin/native-rehearsal.ts", out: "rehearsal" }] : []),
];
const bundled = await build({
  entryPoints,
  write: false,
  metafile: true,
  outdir: GENERATED,
  bundle: true,
  format: "esm",
  splitting: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  minify: true,
  charset: "utf8",
  chunkNames: "[name]-[hash]",
  define: buildConstants(),
  inject: ["src/bin/native-text-decoder.ts"],
  logLevel: "warning",
  plugins: [generatedEntries(nativeEntrySource), pastDoors],
});
writeReached(
  entryPoints.map(({ out }) => `${GENERATED}/${out}.js`),
  bundled,
);

// Bytecode without debug information does not know the name of its own file, which `import()` asks for; all
// modules lie in one folder, so the host can load them without it.
for (const name of readdirSync(GENERATED)) {
  const path = `${GENERATED}/${name}`;
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(/\bimport\("\.\/([\w-]+)\.js"\)/g, 'amplihackHost.load("$1")'),
  );
}

// Bytecode is the same for all machines with the same order of bytes, which all of ours have.
cargoTool(here, "amplihack-bytecode");
run(builtTool("amplihack-bytecode"), [GENERATED]);

// The table of spellings comes from the same TypeScript that the hook program uses.
const tables = await loadSource({
  "protocol/events.ts": ["EVENTS", "eventKey"],
  "hosts/descriptors.ts": ["HOSTS"],
  "hosts/subcommands.ts": ["ALIASES", "STOCK_SUBCOMMANDS"],
  "hooks/program/command-line.ts": ["findEntry"],
});
const spellings = [
  ...tables.STOCK_SUBCOMMANDS.map(one => one.name),
  ...Object.keys(tables.ALIASES),
  ...tables.EVENTS.map(one => one.name),
  ...Object.values(tables.HOSTS).flatMap(host => Object.keys(host.events)),
];
const table = new Map(spellings.map(name => [tables.eventKey(name), tables.findEntry(name)]));
table.set(tables.eventKey(ARGV_ENTRY), ARGV_ENTRY);
const modules = readdirSync(GENERATED)
  .filter(name => name.endsWith(".bc"))
  .map(name => name.slice(0, -3));
const lazy = [
  ...new Set(
    modules.flatMap(name => {
      const text = readFileSync(`${GENERATED}/${name}.js`, "utf8");
      return [...text.matchAll(/amplihackHost\.load\("([\w-]+)"\)/g)].map(([, loaded]) => loaded);
    }),
  ),
].sort();
const isSpare = name => name.startsWith("browser-");
const list = names => `&[${names.map(name => JSON.stringify(name))}]`;

function writeModules(embedded) {
  const lines = [
    `pub const VERSION: &str = ${JSON.stringify(version)};`,
    `pub const USAGE_ENTRY: &str = ${JSON.stringify(USAGE_ENTRY)};`,
    `pub const ARGV_ENTRY: &str = ${JSON.stringify(ARGV_ENTRY)};`,
    // What is imported lazily is loaded in the image; one module is large and rarely used.
    `#[cfg(target_os = "linux")] pub static ALSO: &[&str] = ${list(lazy.filter(name => !isSpare(name)))};`,
    `#[cfg(target_os = "linux")] pub static SPARE: &[&str] = ${list(lazy.filter(isSpare))};`,
    `pub static ENTRIES: &[(&str, &str)] = &[${[...table]
      .map(([key, entry]) => `(${JSON.stringify(key)}, ${JSON.stringify(entry)})`)
      .join(", ")}];`,
    `pub static MODULES: &[(&str, &[u8])] = &[${embedded.map(name => `(${JSON.stringify(name)}, include_bytes!("${name}.bc"))`).join(", ")}];`,
  ];
  writeFileSync(`${GENERATED}/modules.rs`, `${lines.join("\n")}\n`);
}

mkdirSync("dist/native", { recursive: true });
rmSync(OUTPUT, { force: true });
writeModules(modules);
writeFileSync(`${GENERATED}/image.bin`, imageRoom(0));
const isCounting = countRuns(target);
if (isImaged) {
  cargoTool(here, "amplihack-pack");
  buildImaged();
} else {
  cargo(target, "amplihack-native");
  copyFileSync(builtFor(target, "amplihack-hooks"), OUTPUT);
}
console.log(`${OUTPUT}: ${(statSync(OUTPUT).size / 1024 / 1024).toFixed(2)} MB`);
if (target.isLinux) buildSandbox(target);

/**
 * How much room the image needs is known once it was written, so a first build may be followed by a second. The program
 * that counts writes one of nearly the same length.
 */
function buildImaged() {
  const known = built(`${target.name}/image-length`);
  const executable = builtFor(target, "amplihack-hooks");
  let room = existsSync(known) ? Number(readFileSync(known, "utf8")) : 0;
  if (isCounting) room = roomFor(makeImage(executable));
  // The image holds what the modules became.
  writeModules([]);
  for (let attempt = 0; attempt < 3; attempt++) {
    writeFileSync(`${GENERATED}/image.bin`, imageRoom(room));
    cargo(target, "amplihack-native");
    const image = makeImage(executable);
    if (image.length <= room && room - image.length < 32_768) {
      copyFileSync(executable, OUTPUT);
      writeImage(OUTPUT, image);
      inTrainingPlace(({ home, payloads }) => {
        for (const payload of payloads.filter(({ hears }) => hears !== ""))
          runPayload([...target.runner, resolve(OUTPUT)], home, payload);
      });
      return;
    }
    room = roomFor(image);
    writeFileSync(known, String(room));
  }
  throw new Error("the room for the image could not be settled");
}

function roomFor({ length }) {
  return length + 8_192 - (length % 4_096);
}

function makeImage(executable) {
  return inTrainingPlace(({ home, payloads }) => {
    mkdirSync(join(home, "payloads"));
    for (const { subcommand, name, input } of payloads)
      writeFileSync(join(home, "payloads", `${name}.${subcommand}`), input);
    const args = ["--write-image", join(home, "image"), resolve(GENERATED), join(home, "payloads")];
    const [program, ...words] = [...target.runner, executable, ...args];
    // A program that counts leaves these counts elsewhere: ordinary runs write no image.
    run(program, words, { env: { HOME: home, PATH: "/usr/bin:/bin", GCOV_PREFIX: join(home, "counts") } });
    return packImage(readFileSync(join(home, "image")), builtTool("amplihack-pack"));
  });
}
