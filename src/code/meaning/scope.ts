import { choiceOf, type Datum, type LexicalScope } from "./datum.ts";

const MAX_SCOPE_DEPTH = 32;

export function createScope(outer?: LexicalScope): LexicalScope {
  return { names: new Map(), outer };
}

export function lookUp(scope: LexicalScope, name: string): Datum | undefined {
  return ownerOf(scope, name)?.names.get(name);
}

/**
 * Give a name a value in the scope that already has it, else in this one. Under a condition the old value
 * stays possible.
 */
export function assign(scope: LexicalScope, name: string, value: Datum, isConditional: boolean): void {
  declare(ownerOf(scope, name) ?? scope, name, value, isConditional);
}

/** The nearest scope that has the name. */
export function ownerOf(scope: LexicalScope, name: string): LexicalScope | undefined {
  let current: LexicalScope | undefined = scope;
  for (let depth = 0; current !== undefined && depth < MAX_SCOPE_DEPTH; depth += 1) {
    if (current.names.has(name)) return current;
    current = current.outer;
  }
  return undefined;
}

/** Give a name a value in this very scope: parameters, `let`, `my`, `local`. */
export function declare(scope: LexicalScope, name: string, value: Datum, isConditional = false): void {
  const old = isConditional ? scope.names.get(name) : undefined;
  scope.names.set(name, old === undefined ? value : choiceOf([old, value]));
}
