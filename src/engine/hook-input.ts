import {
  type CheckedInput,
  checkInput,
  type EventDescriptor,
  FIELD_NAMES,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  readField,
} from "../protocol/index.ts";

/** How agents call the tools that hooks care most about; a host names others through `aliases`. */
const CANONICAL: Readonly<Record<string, string>> = {
  bash: "Bash",
  shell: "Bash",
  exec: "Bash",
  terminal: "Bash",
  run_command: "Bash",
  run_shell_command: "Bash",
  execute_command: "Bash",
  read: "Read",
  read_file: "Read",
  write: "Write",
  write_file: "Write",
  edit: "Edit",
  edit_file: "Edit",
  apply_patch: "Edit",
};
const CANONICAL_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(CANONICAL),
  "MultiEdit",
  "NotebookEdit",
]);
const COMMAND_NAMES = ["command", "cmd", "script"];
const PATH_NAMES = ["file_path", "filePath", "path", "notebook_path"];

/** The engine's payload as hooks written against the `Hook` type see it. */
export function toHookInput(
  event: EventDescriptor,
  payload: JsonObject,
  toolNames: readonly string[],
): CheckedInput {
  const toolName = textAt(payload, FIELD_NAMES.toolName);
  const toolInput = readField(payload, FIELD_NAMES.toolInput)?.value ?? null;
  return checkInput({
    host: "claude-code",
    event: event.name,
    nativeEvent: event.name,
    toolName,
    canonicalToolName:
      toolName === null ? null : canonicalName(toolNames.length === 0 ? [toolName] : toolNames),
    toolInput,
    cwd: textAt(payload, FIELD_NAMES.cwd),
    sessionId: textAt(payload, FIELD_NAMES.sessionId),
    transcriptPath: textAt(payload, FIELD_NAMES.transcriptPath),
    facts: { command: textIn(toolInput, COMMAND_NAMES)[0] ?? null, paths: textIn(toolInput, PATH_NAMES) },
    warnings: event.requiresTool && toolInput === null ? [{ code: "missing-tool-input" }] : [],
    raw: payload,
  });
}

export function canonicalName(names: readonly string[]): string {
  const known = names.find(name => CANONICAL_NAMES.has(name));
  const [own = ""] = names;
  return known ?? CANONICAL[own.toLowerCase()] ?? own;
}

function textAt(payload: JsonObject, names: readonly string[]): string | null {
  const value = readField(payload, names)?.value;
  return typeof value === "string" ? value : null;
}

function textIn(input: Json, names: readonly string[]): string[] {
  if (!isJsonObject(input)) return [];
  return names.flatMap(name => {
    const value = ownValue(input, name);
    return typeof value === "string" ? [value] : [];
  });
}
