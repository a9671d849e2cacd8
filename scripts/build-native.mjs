// Builds native/target/release/amplihack-hooks: bundles the portable folders, compiles them to bytecode ahead
// of time and embeds them in the Rust host. Needs cargo; nothing else in the project does.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { entryNames, nativeEntrySource } from "./entries.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const GENERATED = "native/generated";
const OUTPUT = "dist/native/amplihack-hooks";
const USAGE_ENTRY = "no-opinion";

function run(program, args, env = process.env) {
  const result = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"], env });
  if (result.error?.code === "ENOENT") {
    console.error(
      `build:native needs ${program}, which is not installed. Install Rust 1.87 or newer with cargo, then run npm run build:native again.`,
    );
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

const target = /^host: (.+)$/m.exec(spawnSync("rustc", ["-vV"], { encoding: "utf8" }).stdout ?? "")?.[1];
const RELEASE = `native/target/${target}/release`;

function cargo(name) {
  const place = ["--manifest-path", "native/Cargo.toml", "--package", name];
  run("cargo", ["build", "--release", "--quiet", "--locked", "--target", target, ...place], {
    ...process.env,
    RUSTFLAGS: process.platform === "linux" ? "-C target-feature=+crt-static -C relocation-model=static" : "",
  });
}

rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED, { recursive: true });

// Modules share chunks, and what is imported lazily is a chunk of its own that is loaded on demand.
const entries = entryNames();
await build({
  entryPoints: entries.map(name => ({ in: `native-entry:${name}`, out: name })),
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
  define: { __AMPLIHACK_VERSION__: JSON.stringify(version) },
  logLevel: "warning",
  plugins: [
    {
      name: "native-entry",
      setup(builder) {
        builder.onResolve({ filter: /^native-entry:/ }, ({ path }) => ({
          path: path.slice(13),
          namespace: "native-entry",
        }));
        builder.onLoad({ filter: /.*/, namespace: "native-entry" }, ({ path }) => ({
          contents: nativeEntrySource(path),
          resolveDir: process.cwd(),
          loader: "ts",
        }));
      },
    },
  ],
});

// Bytecode without debug information does not know the name of its own file, which `import()` asks for; all
// modules lie in one folder, so the host can load them without it.
for (const name of readdirSync(GENERATED)) {
  const path = `${GENERATED}/${name}`;
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(/\bimport\("\.\/([\w-]+)\.js"\)/g, 'amplihackHost.load("$1")'),
  );
}

cargo("amplihack-bytecode");
run(`${RELEASE}/amplihack-bytecode`, [GENERATED]);

// The table of spellings comes from the same TypeScript that the hook program uses.
await build({
  stdin: {
    contents: `export { EVENTS, eventKey } from "./src/protocol/events.ts";
export { HOSTS } from "./src/hosts/descriptors.ts";
export { ALIASES, STOCK_SUBCOMMANDS } from "./src/hosts/subcommands.ts";
export { findEntry } from "./src/hooks/command-line.ts";`,
    resolveDir: process.cwd(),
    loader: "ts",
  },
  bundle: true,
  format: "esm",
  outfile: `${GENERATED}/spellings.mjs`,
  logLevel: "warning",
});
const tables = await import(new URL(`../${GENERATED}/spellings.mjs`, import.meta.url).href);
const spellings = [
  ...tables.STOCK_SUBCOMMANDS.map(one => one.name),
  ...Object.keys(tables.ALIASES),
  ...tables.EVENTS.map(one => one.name),
  ...Object.values(tables.HOSTS).flatMap(host => Object.keys(host.events)),
];
const table = new Map(spellings.map(name => [tables.eventKey(name), tables.findEntry(name)]));
const modules = readdirSync(GENERATED)
  .filter(name => name.endsWith(".bc"))
  .map(name => name.slice(0, -3));
writeFileSync(
  `${GENERATED}/modules.rs`,
  [
    `pub const VERSION: &str = ${JSON.stringify(version)};`,
    `pub const USAGE_ENTRY: &str = ${JSON.stringify(USAGE_ENTRY)};`,
    `pub static ALSO: &[&str] = &[${modules.filter(name => name.startsWith("guard-")).map(name => JSON.stringify(name))}];`,
    `pub static ENTRIES: &[(&str, &str)] = &[${[...table]
      .map(([key, entry]) => `(${JSON.stringify(key)}, ${JSON.stringify(entry)})`)
      .join(", ")}];`,
    `pub static MODULES: &[(&str, &[u8])] = &[${modules.map(name => `(${JSON.stringify(name)}, include_bytes!("${name}.bc"))`).join(", ")}];`,
    "",
  ].join("\n"),
);
cargo("amplihack-native");
mkdirSync("dist/native", { recursive: true });
rmSync(OUTPUT, { force: true });
copyFileSync(`${RELEASE}/amplihack-hooks`, OUTPUT);
// An image holds addresses of the program, which only an executable at a fixed place keeps.
if (process.platform === "linux") run(`${RELEASE}/amplihack-hooks`, ["--write-image", OUTPUT]);
console.log(`${OUTPUT}: ${(statSync(OUTPUT).size / 1024 / 1024).toFixed(2)} MB`);
