import { type Json, StrictMembers } from "../../protocol/index.ts";
import { AtomicJsonFile } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";

/** A file of a project, or a package, with the content that the user agreed to. */
interface TrustedContent {
  /** the file, or `package:NAME` */
  readonly path: string;
  /** of the file and everything that it imports */
  readonly sha256: string;
}

/** What the user agreed to: nothing else of a project runs. */
export class TrustedHooks {
  private readonly file: AtomicJsonFile<readonly TrustedContent[]>;

  constructor(system: System, stateHome: string) {
    this.file = new AtomicJsonFile(trustFile(stateHome), { system, parse: parseTrusted });
  }

  stateOf(path: string, sha256: string): TrustState {
    const known = this.file.read()?.find(entry => entry.path === path);
    if (known === undefined) return "untrusted";
    return known.sha256 === sha256 ? "trusted" : "changed";
  }

  add(path: string, sha256: string): void {
    this.file.update(list => [...list.filter(entry => entry.path !== path), { path, sha256 }], []);
  }

  remove(path: string): void {
    this.file.update(list => list.filter(entry => entry.path !== path), []);
  }
}

export type TrustState = "trusted" | "changed" | "untrusted";

function trustFile(stateHome: string): string {
  return join(stateHome, "hooks", ".trusted.json");
}

function parseTrusted(value: Json): readonly TrustedContent[] {
  if (!Array.isArray(value)) throw new TypeError("it must be a list");
  return value.map(entry => {
    const members = new StrictMembers(entry as Json);
    return { path: members.string("path"), sha256: members.string("sha256") };
  });
}
