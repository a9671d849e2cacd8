import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { System } from "../../system/index.ts";

/** A user with an empty home and an empty project, removed after the trial. */
export interface TemporaryUser {
  readonly home: string;
  readonly project: string;
  /** the environment of everything this user starts: nothing is inherited but the way to programs */
  readonly env: Readonly<Record<string, string>>;
  /** the real system, seen by this user */
  readonly system: System;
  /** Writes below the home; anything but text as JSON. */
  write(name: string, content: unknown): void;
  remove(): void;
}

/** Directories of a user. */
export interface UserPlace {
  readonly home: string;
  readonly project: string;
  /** their `TMPDIR` */
  readonly temporary: string;
}

/** With a `place` that exists the user works there, and what is in it stays. */
export function createTemporaryUser(
  system: System,
  more: Readonly<Record<string, string>> = {},
  place?: UserPlace,
): TemporaryUser {
  const root = place === undefined ? mkdtempSync(join(realpathSync(tmpdir()), "amplihack-live-")) : undefined;
  const { home, project, temporary } = place ?? makePlace(root ?? "");
  const env = {
    PATH: system.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/sh",
    CI: "1",
    AMPLIHACK_NONINTERACTIVE: "1",
    ...more,
  };
  return {
    home,
    project,
    env,
    system: {
      ...system,
      files: Object.assign(Object.create(system.files) as System["files"], {
        workingDirectory: () => project,
      }),
      env: { get: name => Reflect.get(env, name) as string | undefined, names: () => Object.keys(env) },
      processes: system.processes,
    },
    write(name, content) {
      const path = join(home, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2), {
        mode: 0o600,
      });
    },
    remove() {
      if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function makePlace(root: string): UserPlace {
  const place = { home: join(root, "home"), project: join(root, "project"), temporary: join(root, "tmp") };
  for (const folder of Object.values(place)) mkdirSync(folder);
  // A repository without commits, so that no host asks whether this is one.
  const git = join(place.project, ".git");
  for (const folder of ["objects", "refs"]) mkdirSync(join(git, folder), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/work\n");
  return place;
}
