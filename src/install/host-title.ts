import { resolveHost } from "../hosts/index.ts";
import { escapeControls } from "../text/index.ts";
import { setupOf } from "./targets.ts";

/** `Claude Code` for `claude-code`; a host that is not known keeps its name. */
export function hostTitle(host: string): string {
  const known = resolveHost(host);
  return known === undefined ? escapeControls(host) : setupOf(known).title;
}
