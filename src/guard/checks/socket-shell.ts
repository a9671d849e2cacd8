import type { Invocation } from "../../shell/facts.ts";
import { describe } from "../../shell/value.ts";
import { startersOf } from "../models/call.ts";
import type { RuleContext } from "../rule-context.ts";
import { wordSet } from "../words.ts";
import { actorOf } from "./actor.ts";

const SHELLS = wordSet("bash sh zsh dash ksh ash mksh fish rbash csh tcsh cmd cmd.exe powershell pwsh");
const SOCKET_TOOLS = wordSet(
  "nc ncat netcat nc.openbsd nc.traditional telnet socat openssl cryptcat pwncat rlwrap",
);

/** A shell that takes its commands from what it reads. */
function isOpenShell(invocation: Invocation): boolean {
  if (invocation.program === undefined || !SHELLS.has(invocation.program)) return false;
  const operands = invocation.argv.slice(1).map(describe);
  if (operands.some(word => /^-[a-zA-Z]*c$/.test(word))) return false;
  return operands.every(word => word.startsWith("-"));
}

/** A shell whose commands come from the network, in one program start. */
export function inspectSocketShell(invocation: Invocation, context: RuleContext): void {
  const by = actorOf(context, invocation.id);
  const { program } = invocation;
  const shown = invocation.argv.map(describe);
  if (program !== undefined && /^(nc|ncat|netcat|cryptcat)/.test(program)) {
    const runs = shown
      .slice(1)
      .some(word => /^-[a-zA-Z]*[ec]$/.test(word) || /^--(exec|sh-exec|lua-exec)(=|$)/.test(word));
    if (runs) context.report("exec.netshell", { target: shown.join(" ") }, by);
  }
  if (program === "socat" && shown.some(word => /(^|,|!!)(exec|system|shell):/i.test(word))) {
    context.report("exec.netshell", { target: shown.join(" ") }, by);
  }
  if (isOpenShell(invocation) && (isBeforeSocket(invocation, context) || feedsSocket(invocation, context)))
    context.report("exec.netshell", { target: shown.join(" ") }, by);
  if (isSpawnedBesideSocket(invocation, context))
    context.report("exec.netshell", { target: "a socket in program code" }, by);
}

function isBeforeSocket({ pipeline }: Invocation, context: RuleContext): boolean {
  if (pipeline === undefined) return false;
  return context.facts.invocations.some(
    other =>
      other.pipeline?.id === pipeline.id &&
      other.pipeline.index > pipeline.index &&
      other.program !== undefined &&
      SOCKET_TOOLS.has(other.program),
  );
}

/** `nc host port < fifo | sh > fifo`: what the shell says goes back through a file. */
function feedsSocket({ pipeline, redirections }: Invocation, context: RuleContext): boolean {
  const written = new Set(
    redirections.filter(one => one.operation !== "read").map(one => describe(one.target)),
  );
  return context.facts.invocations.some(
    other =>
      pipeline !== undefined &&
      other.pipeline?.id === pipeline.id &&
      other.program !== undefined &&
      SOCKET_TOOLS.has(other.program) &&
      other.redirections.some(one => one.operation === "read" && written.has(describe(one.target))),
  );
}

/** Program code that opens a connection and starts an interactive shell. */
function isSpawnedBesideSocket(invocation: Invocation, context: RuleContext): boolean {
  const { program } = invocation;
  if (program === undefined || !SHELLS.has(program)) return false;
  const isInteractive = isOpenShell(invocation) || invocation.argv.some(word => describe(word) === "-i");
  if (!isInteractive) return false;
  const starters = new Set(startersOf({ invocation, facts: context.facts }).map(starter => starter.id));
  return context.facts.codeEffects.some(
    effect => starters.has(effect.invocation) && effect.call.kind === "network",
  );
}

const SOCKET_DEVICE = /^\/dev\/(tcp|udp)\//;

/** The same through the shell's own socket devices. */
export function inspectDevices(context: RuleContext): void {
  const hasOpenShell = context.facts.invocations.some(isOpenShell);
  for (const redirection of context.facts.redirections) {
    const target = describe(redirection.target);
    if (!SOCKET_DEVICE.test(target)) continue;
    const owner =
      redirection.invocation === undefined ? undefined : context.facts.invocations[redirection.invocation];
    const isShell = owner?.program !== undefined && SHELLS.has(owner.program);
    if (isShell || hasOpenShell || readsCommands(context))
      context.report("exec.netshell", { target }, actorOf(context, redirection.invocation));
  }
}

/** `while read line; do $line; done <&5`: commands whose name was read. */
function readsCommands(context: RuleContext): boolean {
  return (
    context.facts.invocations.some(invocation => invocation.program === undefined) &&
    context.facts.invocations.some(invocation => invocation.program === "read")
  );
}
