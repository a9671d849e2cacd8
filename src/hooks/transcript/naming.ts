import type { Naming } from "./parts.ts";

const TEMPORARY: Readonly<Record<string, string>> = {
  bash: "Bash",
  view: "Read",
  create: "Write",
  edit: "Edit",
  apply_patch: "Edit",
  MultiEdit: "Edit",
  Task: "Agent",
};

/** Canonical names for the tools in a host's session files. */
export function toolNaming(_host: string): Naming {
  return name => TEMPORARY[name] ?? name;
}
