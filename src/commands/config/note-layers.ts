import type { Terminal } from "../../cli/terminal.ts";
import type { effectiveConfig } from "./effective.ts";
import type { Setting } from "./setting.ts";

/** What a person has to know after a change of the configuration: what does not count, and what else is to be done. */
export function noteLayers(
  terminal: Terminal,
  { loaded }: ReturnType<typeof effectiveConfig>,
  { path: [section] }: Setting,
  isChanged: boolean,
): void {
  for (const notice of loaded.notices) terminal.warn(`Warning: ${notice.message}\n`);
  // The installed programs hold the policy too, for the case that the package itself is gone.
  if (isChanged && section === "failure")
    terminal.note("Note: amplihack install writes it into the installed hook programs as well\n");
}
