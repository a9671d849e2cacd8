import { choiceOf, type Datum } from "./datum.ts";

/** Names and what they stand for. A function sees its own names first, then those around its definition. */
export interface Scope {
  readonly names: Map<string, Datum>;
  readonly outer: Scope | undefined;
}

const DEEPEST_SCOPE = 32;

export function createScope(outer?: Scope): Scope {
  return { names: new Map(), outer };
}

export function lookUp(scope: Scope, name: string): Datum | undefined {
  return ownerOf(scope, name)?.names.get(name);
}

/**
 * Give a name a value in the scope that already has it, else in this one. Under a condition the old value
 * stays possible.
 */
export function assign(scope: Scope, name: string, value: Datum, isConditional: boolean): void {
  declare(ownerOf(scope, name) ?? scope, name, value, isConditional);
}

/** The nearest scope that has the name. */
export function ownerOf(scope: Scope, name: string): Scope | undefined {
  let current: Scope | undefined = scope;
  for (let depth = 0; current !== undefined && depth < DEEPEST_SCOPE; depth += 1) {
    if (current.names.has(name)) return current;
    current = current.outer;
  }
  return undefined;
}

/** Give a name a value in this very scope: parameters, `let`, `my`, `local`. */
export function declare(scope: Scope, name: string, value: Datum, isConditional = false): void {
  const old = isConditional ? scope.names.get(name) : undefined;
  scope.names.set(name, old === undefined ? value : choiceOf([old, value]));
}
