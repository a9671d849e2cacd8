// Checks the package as it is published: the packed file is unpacked beside a program that uses it, compiled by several versions of
// TypeScript, and looked at by attw and publint; links of its README lead somewhere. `npm run test:package`.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installLocked } from "../install-locked.mjs";
import { deadLinks } from "./dead-links.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(folder, "node_modules");
const COMPILERS = ["5.4", "5.9", "6.0", "7.0"];
const RESOLUTIONS = [
  { module: "node16", moduleResolution: "node16" },
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
];

let failures = 0;

function report(what, problems) {
  const isGood = problems.trim() === "";
  if (!isGood) failures += 1;
  console.log(`${isGood ? "ok    " : "FAILED"}  ${what}${isGood ? "" : `\n${problems.trim()}\n`}`);
}

function run(program, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  return { isGood: status === 0, text: `${stdout ?? ""}${stderr ?? ""}${error ?? ""}` };
}

function mustRun(program, args, cwd) {
  const { isGood, text } = run(program, args, cwd);
  if (isGood) return text;
  console.error(text);
  process.exit(1);
}

/** A project with the packed package and what a user has beside it. */
function unpack(project) {
  mustRun("npm", ["run", "build"], root);
  mustRun("npm", ["pack", "--ignore-scripts", "--pack-destination", project], root);
  const tarball = readdirSync(project).find(name => name.endsWith(".tgz"));
  const unpacked = join(project, "node_modules", "amplihack");
  mkdirSync(unpacked, { recursive: true });
  mustRun("tar", ["-xzf", join(project, tarball), "-C", unpacked, "--strip-components=1"], project);
  for (const name of ["@types", "@opentelemetry", "zod"])
    symlinkSync(join(modules, name), join(project, "node_modules", name), "junction");
  cpSync(join(folder, "consumer.ts"), join(project, "consumer.ts"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
  return { tarball: join(project, tarball), unpacked };
}

/** Every sub-path of the package, so that none has declarations that do not compile. */
function importAll({ exports }) {
  const paths = Object.keys(exports).filter(path => !/\*|\.json$/.test(path));
  const lines = paths.map((path, index) => `export * as part${index} from "amplihack${path.slice(1)}";`);
  return `${lines.join("\n")}\n`;
}

function compile(project, version, resolution) {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2023", "esnext.disposable"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    ...resolution,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(modules, `typescript-${version}`, "bin", "tsc");
  const { isGood, text } = run(process.execPath, [tsc, "-p", project], project);
  report(`TypeScript ${version}, ${resolution.moduleResolution}`, isGood ? "" : text);
}

/** Every sub-path loads in this Node. */
function load(project, { exports }) {
  const paths = Object.keys(exports).filter(path => !/\*|\.json$/.test(path));
  const script = paths.map(path => `await import("amplihack${path.slice(1)}");`).join("\n");
  const { isGood, text } = run(process.execPath, ["--input-type=module", "-e", script], project);
  report(`Node ${process.versions.node} loads ${paths.length} sub-paths`, isGood ? "" : text);
}

installLocked(folder);
const project = mkdtempSync(join(tmpdir(), "amplihack-package-"));
try {
  const { tarball, unpacked } = unpack(project);
  const manifest = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
  writeFileSync(join(project, "every-part.ts"), importAll(manifest));
  report("links of the README", deadLinks(unpacked, "README.md").join("\n"));
  load(project, manifest);
  for (const version of COMPILERS)
    for (const resolution of RESOLUTIONS) compile(project, version, resolution);
  const bin = name => join(modules, ".bin", name);
  const attw = run(bin("attw"), ["--profile", "esm-only", "--no-emoji", "--no-color", tarball], project);
  report("attw --profile esm-only", attw.isGood ? "" : attw.text);
  const publint = run(bin("publint"), ["run", "--strict", "--pack", "false", unpacked], project);
  report("publint --strict", publint.isGood ? "" : publint.text);
} finally {
  rmSync(project, { recursive: true, force: true });
}
console.log(failures === 0 ? "the package is as it should be" : `${failures} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;
