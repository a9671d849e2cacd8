import type { Config } from "../../config/index.ts";
import { trustFile } from "../../hooks/index.ts";
import { defined, type Json, StrictMembers } from "../../protocol/index.ts";
import { AtomicJsonFile } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";

/** Where one person's hooks are, and those of a project. */
export interface HookPlaces {
  readonly home: string;
  readonly stateHome: string;
  readonly projectRoot: string;
}

/** One source that is to be built, and what it belongs to. */
export interface WantedSource {
  readonly path: string;
  readonly project: string | undefined;
  /** the name of the package it is the entry of */
  readonly packageName: string | undefined;
}

export function userHooksFolder(stateHome: string): string {
  return join(stateHome, "hooks");
}

export function projectHooksFolder(projectRoot: string): string {
  return join(projectRoot, ".amplihack", "hooks");
}

export function packageNames(config: Pick<Config, "hooks">): readonly string[] {
  return [...new Set(config.hooks.packages)].sort();
}

/** A file of a project, or a package, with the content that the user agreed to. */
interface TrustedContent {
  /** the file, or `package:NAME` */
  readonly path: string;
  /** of the file and everything that it imports */
  readonly sha256: string;
  /** those files, of a script that a hook runs */
  readonly paths?: readonly string[] | undefined;
}

/** What the user agreed to: nothing else of a project runs. */
export class TrustedHooks {
  private readonly file: AtomicJsonFile<readonly TrustedContent[]>;

  constructor(system: System, stateHome: string) {
    this.file = new AtomicJsonFile(trustFile(stateHome), { system, parse: parseTrusted });
  }

  findState(path: string, sha256: string): TrustState {
    const known = this.file.read()?.find(entry => entry.path === path);
    if (known === undefined) return "untrusted";
    return known.sha256 === sha256 ? "trusted" : "changed";
  }

  add(path: string, sha256: string, paths?: readonly string[]): void {
    const added = { path, sha256, ...defined({ paths }) };
    this.file.update(list => [...list.filter(entry => entry.path !== path), added], []);
  }

  remove(path: string): void {
    this.file.update(list => list.filter(entry => entry.path !== path), []);
  }
}

export type TrustState = "trusted" | "changed" | "untrusted";

function parseTrusted(value: Json): readonly TrustedContent[] {
  if (!Array.isArray(value)) throw new TypeError("it must be a list");
  return value.map(entry => {
    const members = new StrictMembers(entry as Json);
    const paths = members.optional("paths", members.strings);
    return { path: members.string("path"), sha256: members.string("sha256"), ...defined({ paths }) };
  });
}
