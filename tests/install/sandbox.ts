import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { PLAIN_INSTALL } from "../../src/install/install-report.ts";
import type { Package } from "../../src/install/package.ts";
import type { UninstallRequest } from "../../src/install/uninstall.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { System } from "../../src/system/system.ts";
import { version } from "../../src/version.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export const PACKAGE_ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
export const PACKAGE: Package = { root: PACKAGE_ROOT, version, node: process.execPath, isEphemeral: false };

export const INSTALL = PLAIN_INSTALL;

export const UNINSTALL: UninstallRequest = {
  hosts: undefined,
  scope: undefined,
  isBackupWanted: false,
  isDryRun: false,
  isDataKept: false,
  isPurging: false,
  isForced: false,
};

/** A home, a project and a folder of programs on the real disk, and a system that sees nothing else. */
export interface Sandbox {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** what its programs take for the machine's temporary folder */
  readonly temporary: string;
  /** the only folder on PATH besides the machine's own */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly system: System;
  write(name: string, content: string | Uint8Array, mode?: number): string;
  read(name: string): string;
  /** every file below the home and the project, by name, as text; links as `-> target` */
  snapshot(): Readonly<Record<string, string>>;
}

export function createSandbox(more: Readonly<Record<string, string>> = {}): Sandbox {
  const root = temporaryDirectory();
  const home = join(root, "home");
  const project = join(root, "project");
  const bin = join(root, "bin");
  // A temporary folder of its own: what lies in the machine's, this checkout perhaps, counts as lasting.
  const temporary = join(root, "tmp");
  for (const folder of [home, join(project, ".git"), bin, temporary]) mkdirSync(folder, { recursive: true });
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, TMPDIR: temporary, ...more };
  return {
    root,
    home,
    project,
    temporary,
    bin,
    env,
    system: systemIn(project, env),
    write(name, content, mode = 0o644) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content, { mode });
      return path;
    },
    read: name => readFileSync(join(root, name), "utf8"),
    snapshot: () => ({ ...listFiles(home, "home"), ...listFiles(project, "project") }),
  };
}

/** A package whose programs are files without content; `createQuickSandbox` answers in their place. Doctor asks for all. */
export function makeQuickPackage(entries: readonly string[] = []): Package {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-package-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(root, "dist/bin");
  mkdirSync(join(bin, "hook-entries"), { recursive: true });
  const programs = [
    "amplihack-hooks.cjs",
    "amplihack.cjs",
    ...entries.map(name => `hook-entries/${name}.cjs`),
  ];
  for (const name of programs) writeFileSync(join(bin, name), "");
  for (const name of ["agents", "skills"])
    cpSync(join(PACKAGE_ROOT, name), join(root, name), { recursive: true });
  return { ...PACKAGE, root };
}

/** A sandbox whose staged hook program is answered for: what is tested is the installation, not the hooks. */
export function createQuickSandbox(): Sandbox {
  const sandbox = createSandbox();
  return { ...sandbox, system: quickSystemIn(sandbox.project, sandbox.env) };
}

export function quickSystemIn(cwd: string, env: Readonly<Record<string, string>>): System {
  const system = systemIn(cwd, env);
  const quick = createMemorySystem({
    run: ({ argv }) => ({ stdout: argv[1] === "--version" ? `amplihack-hooks ${version}\n` : "{}\n" }),
  });
  const start: System["processes"]["start"] = request =>
    (isStagedProgram(request.argv[0]) ? quick : system).processes.start(request);
  return { ...system, processes: Object.assign(Object.create(system.processes), { start }) };
}

/** As it was staged: one that a test has changed is started. */
function isStagedProgram(path: string): boolean {
  const isExecutable = ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
  return isExecutable && path.endsWith("/amplihack-hooks") && readFileSync(path, "utf8").includes("&& exec ");
}

/** The real system, in another directory and with another environment. */
export function systemIn(cwd: string, env: Readonly<Record<string, string>>): System {
  const system = createNodeSystem();
  return {
    ...system,
    files: Object.assign(Object.create(system.files) as System["files"], { workingDirectory: () => cwd }),
    env: { get: name => env[name], names: () => Object.keys(env) },
    processes: system.processes,
  };
}

export function listFiles(folder: string, name: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const key = `${name}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, listFiles(path, key));
    else if (entry.isSymbolicLink()) found[key] = `-> ${readlinkSync(path)}`;
    else found[key] = `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "latin1")}`;
  }
  return found;
}

export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Runs something at the end of the test, whatever happens. */
export function atEnd(action: () => void): void {
  onTestFinished(action);
}
