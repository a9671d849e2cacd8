import { applyEdits, modify, parse } from "jsonc-parser";
import type { Json } from "../protocol/index.ts";
import { listAt, memberAt, stringAt } from "../protocol/members.ts";
import { readText } from "../state/read-text.ts";
import { writeAtomically } from "../system/atomic-write.ts";
import { sha256Hex } from "../system/sha256.ts";
import type { System } from "../system/system.ts";

const SCHEMA = "https://unpkg.com/amplihack/schemas/config.schema.json";
const SIZE_LIMIT = 256 * 1024;

/** A configuration that changes nothing yet and shows what can be changed. */
export function starterConfig(scope: "user" | "project"): string {
  const scopeNote =
    scope === "user"
      ? "// Your settings for amplihack. Rules you set here have the last word."
      : "// This project's settings for amplihack. They may only tighten, unless you trust them: amplihack guard init --trust";
  return `{
  "$schema": "${SCHEMA}",
  ${scopeNote}
  "guard": {
    // relaxed | standard | strict
    "level": "standard",
    // by rule id or pattern: "allow", "ask" or "deny"; amplihack guard why lists the rules
    "rules": {
      // "git.stash": "deny"
    },
    "protectedBranches": ["main", "master", "release/*"],
    "paths": {
      // no write and no delete below these
      // "deny": ["infra/prod/**"],
      // "noDelete": ["migrations/**"],
      // "regenerable": ["generated/"]
    }
  },
  // what happens when a hook could not run: open, ask or closed
  "failure": { "default": "open" }
}
`;
}

/** Adds the project to \`guard.trustedProjects\` of the user's file, keeping everything else as it is written. */
export function trustProject(system: System, userFile: string, project: string, content: Uint8Array): void {
  const text = readText(system, userFile, SIZE_LIMIT) ?? starterConfig("user");
  const trusted = listAt(memberAt(parse(text) as Json, "guard"), "trustedProjects");
  const others = trusted.filter(entry => stringAt(entry, "path") !== project);
  const edits = modify(
    text,
    ["guard", "trustedProjects"],
    [...others, { path: project, sha256: sha256Hex(content) }],
    {
      formattingOptions: { insertSpaces: true, tabSize: 2 },
    },
  );
  writeAtomically(system, userFile, system.text.encode(applyEdits(text, edits)), { mode: 0o600 });
}
