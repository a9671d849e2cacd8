import { hasTrait, isOpenShell, runsForSocket } from "../../programs/index.ts";
import { describe, type Invocation } from "../../shell/index.ts";
import { actorAt, actorOf, commandLine, startersOf } from "../actor.ts";
import type { RuleContext } from "../rule-context.ts";

/** A shell whose commands come from the network, in one program start. */
export function inspectSocketShell(invocation: Invocation, context: RuleContext): void {
  if (runsForSocket(invocation) || (isOpenShell(invocation) && talksToSocket(invocation, context)))
    context.report("exec.netshell", actorOf(invocation), commandLine(invocation));
  if (isSpawnedBesideSocket(invocation, context))
    context.report("exec.netshell", actorOf(invocation), "a socket in program code");
}

/** Its output goes to a socket in the same pipeline, or back to one through a file: `nc host < fifo | sh > fifo`. */
function talksToSocket({ pipeline, redirections }: Invocation, { facts }: RuleContext): boolean {
  if (pipeline === undefined) return false;
  const written = new Set(
    redirections.filter(one => one.operation !== "read").map(one => describe(one.target)),
  );
  return facts.invocations.some(
    other =>
      other.pipeline?.id === pipeline.id &&
      hasTrait(other.program, "socket") &&
      (other.pipeline.index > pipeline.index ||
        other.redirections.some(one => one.operation === "read" && written.has(describe(one.target)))),
  );
}

/** Program code that opens a connection and starts an interactive shell. */
function isSpawnedBesideSocket(invocation: Invocation, { facts }: RuleContext): boolean {
  if (!hasTrait(invocation.program, "shell")) return false;
  if (!isOpenShell(invocation) && !invocation.argv.some(word => describe(word) === "-i")) return false;
  const starters = new Set(startersOf(invocation, facts).map(starter => starter.id));
  return facts.codeEffects.some(effect => starters.has(effect.invocation) && effect.call.kind === "network");
}

/** The same through the shell's own socket devices. */
export function inspectDevices(context: RuleContext): void {
  const { invocations, redirections } = context.facts;
  for (const redirection of redirections) {
    const target = describe(redirection.target);
    if (!/^\/dev\/(tcp|udp)\//.test(target)) continue;
    const by = actorAt(context, redirection.invocation);
    if (hasTrait(by?.invocation?.program, "shell") || invocations.some(isOpenShell) || readsCommands(context))
      context.report("exec.netshell", by, target);
  }
}

/** `while read line; do $line; done <&5`: commands whose name was read. */
function readsCommands({ facts: { invocations } }: RuleContext): boolean {
  return (
    invocations.some(({ program }) => program === undefined) &&
    invocations.some(({ program }) => hasTrait(program, "readsLine"))
  );
}
