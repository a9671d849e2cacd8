import type { AllowEntry } from "../config/index.ts";
import { analyseCommand } from "../programs/index.ts";
import { describe, type Invocation, type ShellFacts } from "../shell/index.ts";
import { normalise } from "../system/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { startersOf } from "./actor.ts";
import { hasSameWords } from "./alternatives.ts";
import type { Finding } from "./finding.ts";

/**
 * Does an entry of the configuration permit what the finding is about? Compared are the words after quotes and
 * variables are resolved, and the effective directory; never the text. What started the command counts too, so
 * that `sudo rm x` can be allowed as a whole.
 */
export function isAllowedByEntry(finding: Finding, facts: ShellFacts, workspace: Workspace): boolean {
  const entries = workspace.settings.allow.filter(entry => !isExpired(entry, workspace));
  const invocation = facts.invocations[finding.invocation ?? -1];
  if (entries.length === 0 || invocation === undefined) return false;
  const chain = [invocation, ...startersOf(invocation, facts)];
  return entries.some(entry => chain.some(link => isSameCommand(entry, link, workspace)));
}

function isExpired({ expires }: AllowEntry, { given }: Workspace): boolean {
  const end = Date.parse(`${expires}T23:59:59Z`);
  return expires !== undefined && (Number.isNaN(end) || end < (given.nowMs ?? 0));
}

function isSameCommand(entry: AllowEntry, invocation: Invocation, { home, given }: Workspace): boolean {
  const cwd = describe(invocation.cwd);
  if (!cwd.startsWith("/") || (entry.cwd !== undefined && normalise(entry.cwd) !== normalise(cwd)))
    return false;
  const [wanted] = analyseCommand(entry.command, {
    cwd,
    home,
    user: given.user,
    tmpdir: given.tmpdir,
  }).invocations;
  return wanted !== undefined && hasSameWords(wanted, invocation);
}
