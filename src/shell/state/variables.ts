import { type EnvironmentEntry, homeAt, type Invocation } from "../facts.ts";
import { LIMITS } from "../limits.ts";
import { concatenate, knownText, text, unknown, type Value } from "../value.ts";
import {
  type Content,
  environmentValue,
  type PendingCall,
  type Scope,
  type ShellState,
  scalar,
  type Typing,
  type Variable,
} from "./state.ts";

const UNSET: Content = { kind: "unset" };

const TOKENS = new Set(
  "RANDOM SRANDOM SECONDS LINENO UID EUID PPID BASHPID EPOCHSECONDS EPOCHREALTIME SHLVL HOSTNAME OSTYPE HOSTTYPE MACHTYPE BASH_VERSION COLUMNS LINES OPTIND ? $ ! #".split(
    " ",
  ),
);

/** What a name may hold now. A name that was not set is unknown, except for the few that are believed. */
export function lookUp(name: string, scope: Scope, hops = 0): readonly Content[] {
  const { state, session } = scope;
  const variable = state.variables.get(name);
  if (variable !== undefined) {
    if (!variable.isReference || hops > 3) return variable.contents;
    return variable.contents.flatMap(content => {
      const target = content.kind === "scalar" ? knownText(content.value) : undefined;
      return target === undefined ? [scalar(environmentValue(name))] : lookUp(target, scope, hops + 1);
    });
  }
  if (/^\d+$/.test(name)) return [lookUpPositional(Number(name), scope)];
  const { context } = session;
  switch (name) {
    case "HOME":
      return [scalar(text(homeAt(scope.place, context.home)))];
    case "PWD":
      return state.cwds.map(scalar);
    case "OLDPWD":
      return state.previousCwds.map(scalar);
    case "TMPDIR":
      return [scalar(text(session.tmpdir))];
    case "USER":
    case "LOGNAME":
      return [scalar(context.user === undefined ? unknown("token", `$${name}`) : text(context.user))];
    case "IFS":
      return [scalar(text(" \t\n"))];
    case "SHELL":
    case "BASH":
      return [scalar(text("/bin/bash"))];
    case "PATH":
      return [scalar(concatenate([text("/"), environmentValue(name)]))];
    case "BASH_SOURCE":
      return [
        knownText(state.positionals.zero) === "bash" ? { kind: "unset" } : scalar(state.positionals.zero),
      ];
    case "#":
      return [scalar(countPositionals(scope))];
  }
  return [scalar(TOKENS.has(name) ? unknown("token", `$${name}`) : environmentValue(name))];
}

function lookUpPositional(index: number, scope: Scope): Content {
  const { positionals } = scope.state;
  const value = index === 0 ? positionals.zero : positionals.values[index - 1];
  if (value !== undefined) return scalar(value);
  return positionals.isOpenEnded ? scalar(unknown("any", `$${index}`)) : { kind: "unset" };
}

function countPositionals(scope: Scope): Value {
  const { positionals } = scope.state;
  return positionals.isOpenEnded ? unknown("token", "$#") : text(String(positionals.values.length));
}

/** The scalar value of each alternative: element 0 of an array, nothing when unset. */
export function scalarValues(contents: readonly Content[]): readonly Value[] {
  return contents.map(content => {
    if (content.kind === "unset") return text("");
    return content.kind === "scalar" ? content.value : (content.elements.get("0") ?? text(""));
  });
}

/** What a declaration says besides the value; undefined keeps what was. */
export interface Attributes {
  readonly isExported?: boolean | undefined;
  readonly isReference?: boolean | undefined;
  readonly typing?: Typing | undefined;
}

/** Sets all alternatives of a variable at once, and gives what it then holds. */
export function assign(
  name: string,
  contents: readonly Content[],
  scope: Scope,
  attributes: Attributes = {},
): readonly Content[] {
  const { variables } = scope.state;
  const before = variables.get(name);
  if (before?.isReference === true && attributes.isReference === undefined) {
    const target = before.contents[0]?.kind === "scalar" ? knownText(before.contents[0].value) : undefined;
    if (target !== undefined && target !== name && variables.get(target)?.isReference !== true) {
      return assign(target, contents, scope, attributes);
    }
  }
  const typing = attributes.typing ?? before?.typing ?? (name === "OPTIND" ? "integer" : undefined);
  const kept = contents.length === 0 ? [UNSET] : contents.slice(0, LIMITS.expansionsPerWord);
  const variable: Variable = {
    contents: typing === undefined ? kept : kept.map(content => typed(content, typing, name, scope)),
    isExported: attributes.isExported ?? before?.isExported ?? isInherited(name),
    isReference: attributes.isReference ?? false,
    typing,
  };
  variables.set(name, variable);
  return variable.contents;
}

function typed(content: Content, typing: Typing, name: string, scope: Scope): Content {
  const become = (value: Value): Value => {
    const known = knownText(value);
    if (typing !== "integer") {
      if (known === undefined) return value;
      return text(typing === "lower" ? known.toLowerCase() : known.toUpperCase(), value.origins);
    }
    const number = known === "" ? 0 : scope.session.walker.compute(value, scope);
    return number === undefined
      ? unknown("token", `$${name}`, value.origins)
      : text(String(number), value.origins);
  };
  if (content.kind === "unset") return content;
  if (content.kind === "scalar") return scalar(become(content.value));
  const elements = new Map([...content.elements].map(([key, value]) => [key, become(value)]));
  return { ...content, elements };
}

/** Sets one element; other elements and alternatives are kept as they are. */
export function assignElement(name: string, key: string | undefined, value: Value, scope: Scope): void {
  const contents: readonly Content[] = scope.state.variables.get(name)?.contents ?? [{ kind: "unset" }];
  assign(
    name,
    contents.map(content => {
      const elements = new Map(content.kind === "array" ? content.elements : []);
      if (content.kind === "scalar") elements.set("0", content.value);
      const isOpenEnded = (content.kind === "array" && content.isOpenEnded) || key === undefined;
      elements.set(key ?? `?${elements.size}`, value);
      return { kind: "array", elements, isOpenEnded };
    }),
    scope,
  );
}

/** Names the process has in its environment, so a new value is seen by its children. */
function isInherited(name: string): boolean {
  return ["HOME", "PATH", "PWD", "OLDPWD", "TMPDIR", "USER", "LOGNAME", "SHELL"].includes(name);
}

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
  const environment = callEnvironment(call);
  session.budget.take(LIMITS.stepsOfStart + environment.length);
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
    isCaptured: scope.isCaptured,
    parent: call.parent,
    span: call.span,
  };
  session.invocations.push(invocation);
  return id;
}

/** Variables the command text sets and this program sees; the last entry of a name counts. */
export function callEnvironment(call: PendingCall): readonly EnvironmentEntry[] {
  const inherited = call.isCleared ? [] : exportedEntries(call.scope.state);
  return inherited.length === 0 ? call.environment : [...inherited, ...call.environment];
}

function exportedEntries(state: ShellState): readonly EnvironmentEntry[] {
  const entries: EnvironmentEntry[] = [];
  for (const [name, variable] of state.variables) {
    if ((variable.isExported || state.exportsAll === true) && name !== "_")
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
export function findEnvironmentValue(call: PendingCall, name: string): Value | undefined {
  const { environment, isCleared, scope } = call;
  for (let at = environment.length - 1; at >= 0; at -= 1)
    if (environment[at]?.name === name) return environment[at]?.value;
  const variable = isCleared || name === "_" ? undefined : scope.state.variables.get(name);
  const isSeen = variable !== undefined && (variable.isExported || scope.state.exportsAll === true);
  return isSeen ? onlyValue(variable.contents, name) : undefined;
}
