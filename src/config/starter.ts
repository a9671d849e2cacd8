import { applyEdits, modify, parse } from "jsonc-parser";
import { type Json, listAt, memberAt, stringAt } from "../protocol/index.ts";
import { readText } from "../state/index.ts";
import { type System, sha256Hex, writeAtomically } from "../system/index.ts";
import { openJson } from "./json-edit.ts";
import { MAX_CONFIG_BYTES } from "./load.ts";
import type { AllowEntry } from "./sections.ts";
import { starterConfig } from "./starter-text.ts";

/** Adds the project to \`guard.trustedProjects\` of the user's file. */
export function trustProject(system: System, userFile: string, project: string, content: Uint8Array): void {
  const entry = { path: project, sha256: sha256Hex(content) };
  changeList(system, userFile, "trustedProjects", entries => [
    ...entries.filter(other => stringAt(other, "path") !== project),
    entry,
  ]);
}

/** Adds an entry to \`guard.allow\` of the user's file. */
export function addAllowEntry(system: System, userFile: string, entry: AllowEntry): void {
  changeList(system, userFile, "allow", entries => [...entries, { ...entry }]);
}

/** Throws when the file cannot be read as a configuration. Everything else in it stays as it is written. */
function changeList(
  system: System,
  userFile: string,
  name: string,
  change: (entries: readonly Json[]) => readonly Json[],
): void {
  const text = readText(system, userFile, MAX_CONFIG_BYTES) ?? starterConfig("user");
  const opened = openJson(text);
  if (!opened.ok) throw new Error(`${userFile}:${opened.line}:${opened.column}: ${opened.problem}`);
  const entries = change(listAt(memberAt(parse(text) as Json, "guard"), name));
  const edits = modify(text, ["guard", name], entries, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  writeAtomically(system, userFile, system.text.encode(applyEdits(text, edits)), { mode: 0o600 });
}
