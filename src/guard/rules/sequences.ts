import { isLocalAddress } from "../../programs/index.ts";
import { describe, text } from "../../shell/index.ts";
import type { RuleTable } from "../rule.ts";
import {
  actorOf,
  type CommandEffect,
  type RuleContext,
  type RuleFamily,
  targetsOf,
} from "../rule-context.ts";

const RULES = {
  "net.sequence": {
    title: "sends after a secret was read",
    verdict: "ask",
    when: "Since the person's last prompt a secret's value was shown, or the session was warned of fetched text, and now something leaves this machine: a request, a push, a comment, a message.",
    lost: "It would send something to {target} after the session has read {what}.",
    person: "Your next prompt ends this question.",
    model: "Say what you want to send, and let the person decide. Try no other way.",
    safer: "git status",
  },
  "exec.session": {
    title: "may run a file that the session wrote",
    verdict: "ask",
    when: "A file that the session wrote holds what would be asked about or refused, and a program is started that may run or load it without naming it: a task, a build, a test, a hook, a configuration. Asked once for each such text. What the session wrote and is too large or too much to be read is asked about likewise.",
    lost: "It may run {file}, which this session wrote and which {what}.",
    person: "Look at the file before you allow it.",
    model: "Take out of the file what does this, or ask the person.",
    safer: "git diff",
  },
} satisfies RuleTable;

const MAX_NAMED = 3;

function inspectSent(effect: CommandEffect, context: RuleContext): void {
  const { facts } = context.workspace.given;
  if (facts === undefined || facts.shown.length + facts.warned.length === 0) return;
  const target = receiverOf(effect);
  if (target === undefined) return;
  const read = [...facts.shown, ...facts.warned.map(one => `${one}, which is worded as orders for an agent`)];
  const more = read.length > MAX_NAMED ? ` and ${read.length - MAX_NAMED} more` : "";
  context.report("net.sequence", effect.by, target, { what: read.slice(-MAX_NAMED).join("; ") + more });
}

/** Who would get it; undefined when nothing leaves this machine. */
function receiverOf(effect: CommandEffect): string | undefined {
  if (effect.kind === "send") {
    const host = effect.to === undefined ? "another machine" : describe(effect.to);
    return effect.to !== undefined && isLocalAddress(host) ? undefined : host;
  }
  if (effect.kind === "operation")
    return effect.rule === "publish" || effect.rule === "net.expose" ? effect.target : undefined;
  if (effect.kind !== "git" || effect.run.subcommand !== "push") return undefined;
  const { options } = effect.run;
  if (options.isOn("dry-run", "n") || options.has("help")) return undefined;
  const [remote] = options.operandValues;
  return remote === undefined ? "the remote" : describe(remote);
}

/** Code that no reader can read. */
const NATIVE = /\.(?:so(?:\.\d+)*|dylib|dll|node|jar|class|pyc|wasm|bundle)$/;

/** `LD_PRELOAD=./x.so prog`: a program loads native code that this command or this session made. */
function inspectLoaders(context: RuleContext): void {
  for (const invocation of context.facts.invocations) {
    const by = actorOf(invocation);
    const words = invocation.environment.flatMap(({ value }) =>
      value === undefined ? [] : describe(value).split(/[\s:,;=]+/),
    );
    for (const word of new Set(words.filter(one => NATIVE.test(one))))
      for (const { path, shown } of targetsOf(context, text(word), by, true))
        if (path !== undefined && isMadeHere(path, context))
          context.report("exec.session", by, shown, { file: shown, what: "is code that nobody can read" });
  }
}

function isMadeHere(path: string, context: RuleContext): boolean {
  if (context.workspace.given.written?.()?.hasWritten(path) === true) return true;
  return context.effects.some(
    effect =>
      effect.kind === "write" &&
      targetsOf(context, effect.path, effect.by, true).some(target => target.path === path),
  );
}

export const SEQUENCES = {
  name: "execution-network",
  rules: RULES,
  checks: [{ inspect: inspectSent, inspectWhole: inspectLoaders }],
} satisfies RuleFamily;
