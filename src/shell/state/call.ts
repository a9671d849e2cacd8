import type { EnvironmentEntry, Invocation } from "../facts.ts";
import { text, unknown, type Value } from "../value.ts";
import type { Content, ShellState } from "./state.ts";
import type { PendingCall } from "./types.ts";

/** Base name of the program, when it can be told: also of `$PREFIX/bin/rm`. */
export function programName(word: Value): string | undefined {
  const last = word.pieces.at(-1);
  if (last?.kind !== "text") return undefined;
  const isWindowsPath = /^(?:[A-Za-z]:|\\)\\|\.exe$/i.test(last.text);
  const slash = Math.max(last.text.lastIndexOf("/"), isWindowsPath ? last.text.lastIndexOf("\\") : -1);
  if (slash < 0 && word.pieces.length > 1) return undefined;
  // zsh reads `=rm` as the path of rm.
  const name = last.text
    .slice(slash + 1)
    .replace(/\.exe$/i, "")
    .replace(/^=(?=\w)/, "");
  return name === "" ? undefined : name;
}

/** Makes the fact. Its id is the index in the list of invocations. */
export function recordInvocation(call: PendingCall, program: string | undefined): number {
  const { scope } = call;
  const { session } = scope;
  const id = session.invocations.length;
  const environment = environmentOf(call);
  session.budget.take(1 + environment.length);
  const invocation: Invocation = {
    id,
    program,
    argv: call.argv,
    isOpenEnded: call.isOpenEnded,
    cwd: call.cwd,
    environment,
    place: call.place,
    isElevated: call.isElevated,
    stdin: call.stdin,
    redirections: call.redirections,
    pipeline: scope.pipeline,
    isBackground: scope.isBackground,
    parent: call.parent,
    span: call.span,
  };
  session.invocations.push(invocation);
  return id;
}

/** Variables the command text sets and this program sees; the last entry of a name counts. */
export function environmentOf(call: PendingCall): readonly EnvironmentEntry[] {
  const inherited = call.isCleared ? [] : exportedEntries(call.scope.state);
  return inherited.length === 0 ? call.environment : [...inherited, ...call.environment];
}

function exportedEntries(state: ShellState): readonly EnvironmentEntry[] {
  const entries: EnvironmentEntry[] = [];
  for (const [name, variable] of state.variables) {
    if (variable.isExported && name !== "_")
      entries.push({ name, value: onlyValue(variable.contents, name) });
  }
  return entries;
}

/** The value when there is exactly one, else an unknown. */
export function onlyValue(contents: readonly Content[], name: string): Value | undefined {
  const [first, ...others] = contents;
  if (others.length > 0) return unknown("any", `$${name}`);
  if (first === undefined || first.kind === "unset") return undefined;
  return first.kind === "scalar" ? first.value : (first.elements.get("0") ?? text(""));
}

/** A variable as this program finds it; undefined when the command does not set it. */
export function environmentValueOf(call: PendingCall, name: string): Value | undefined {
  let value: Value | undefined;
  for (const entry of environmentOf(call)) if (entry.name === name) value = entry.value;
  return value;
}
