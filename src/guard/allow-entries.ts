import type { AllowEntry } from "../config/sections.ts";
import { analyseCommand } from "../programs/analyse.ts";
import type { Invocation, ShellFacts } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import { normalise } from "../system/paths.ts";
import type { Workspace } from "./context.ts";
import type { Finding } from "./rule.ts";

/**
 * Does an entry of the configuration permit what the finding is about? Compared are the words after quotes and
 * variables are resolved, and the effective directory; never the text. What started the command counts too, so
 * that `sudo rm x` can be allowed as a whole.
 */
export function isAllowedByEntry(finding: Finding, facts: ShellFacts, workspace: Workspace): boolean {
  const entries = workspace.settings.allow;
  if (entries.length === 0 || finding.invocation === undefined) return false;
  const chain: Invocation[] = [];
  for (let id: number | undefined = finding.invocation; id !== undefined && chain.length < 16; ) {
    const invocation: Invocation | undefined = facts.invocations[id];
    if (invocation === undefined) break;
    chain.push(invocation);
    id = invocation.parent?.invocation;
  }
  return entries.some(
    entry =>
      !isExpired(entry, workspace) && chain.some(invocation => isSameCommand(entry, invocation, workspace)),
  );
}

function isExpired(entry: AllowEntry, workspace: Workspace): boolean {
  if (entry.expires === undefined) return false;
  const end = Date.parse(`${entry.expires}T23:59:59Z`);
  return Number.isNaN(end) || end < (workspace.given.nowMs ?? 0);
}

function isSameCommand(entry: AllowEntry, invocation: Invocation, workspace: Workspace): boolean {
  const cwd = describe(invocation.cwd);
  if (entry.cwd !== undefined && normalise(entry.cwd) !== normalise(cwd)) return false;
  if (!cwd.startsWith("/")) return false;
  const wanted = analyseCommand(entry.command, {
    cwd,
    home: workspace.home,
    user: workspace.given.user,
    tmpdir: workspace.given.tmpdir,
  }).invocations[0];
  if (wanted === undefined || wanted.argv.length !== invocation.argv.length) return false;
  return wanted.argv.every((word, index) => {
    const other = invocation.argv[index];
    return other !== undefined && describe(word) === describe(other);
  });
}
