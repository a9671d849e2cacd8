import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { PLAIN_INSTALL } from "../../src/install/install-report.ts";
import type { Package } from "../../src/install/package.ts";
import type { UninstallRequest } from "../../src/install/uninstall.ts";
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
