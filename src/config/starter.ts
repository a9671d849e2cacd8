import { applyEdits, modify, parse } from "jsonc-parser";
import type { Json } from "../protocol/index.ts";
import { listAt, memberAt, stringAt } from "../protocol/members.ts";
import { readText } from "../state/read-text.ts";
import { writeAtomically } from "../system/atomic-write.ts";
import { sha256Hex } from "../system/sha256.ts";
import type { System } from "../system/system.ts";
import { starterConfig } from "./starter-text.ts";

const SIZE_LIMIT = 256 * 1024;

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
