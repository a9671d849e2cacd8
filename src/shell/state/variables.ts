import { LIMITS } from "../limits.ts";
import { homeAt } from "../place.ts";
import { concatenate, knownText, text, unknown, type Value } from "../value.ts";
import { type Content, environmentValue, scalar, type Typing, type Variable } from "./state.ts";
import type { Scope } from "./types.ts";

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
  const typing = attributes.typing ?? before?.typing;
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
    const number =
      known === undefined ? undefined : known === "" ? 0 : scope.session.walker.compute(known, scope);
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
