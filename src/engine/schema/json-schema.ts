/** Tells what is wrong with a value, or nothing when it fits. */
export type Check = (value: unknown) => string | undefined;

type Compile = (argument: unknown, scope: Scope, schema: Readonly<Record<string, unknown>>) => Check;

/** What a schema may refer to, and where it stands, for messages. */
interface Scope {
  readonly where: string;
  /** schemas by `$id` and by `#/$defs/…`, compiled when first used so that they may be recursive */
  readonly named: Map<string, unknown>;
  readonly compiled: Map<string, Check>;
}

/**
 * A checker for the part of JSON Schema that TypeBox writes. A keyword that restricts and is not known here is
 * refused at once: a check that leaves something out would let pass what it should not.
 */
export function compileJsonSchema(schema: object, where: string): Check {
  const scope: Scope = { where, named: new Map(), compiled: new Map() };
  collectNames(schema, scope, 0);
  return compile(schema, scope);
}

function collectNames(schema: unknown, scope: Scope, depth: number): void {
  if (!isRecord(schema) || depth > 64) return;
  if (typeof schema["$id"] === "string") scope.named.set(schema["$id"], schema);
  for (const [key, member] of Object.entries(schema)) {
    if ((key === "$defs" || key === "definitions") && isRecord(member)) {
      for (const [name, definition] of Object.entries(member))
        scope.named.set(`#/${key}/${name}`, definition);
    }
    if (Array.isArray(member)) for (const item of member) collectNames(item, scope, depth + 1);
    else collectNames(member, scope, depth + 1);
  }
}

function compile(schema: unknown, scope: Scope): Check {
  if (schema === true) return () => undefined;
  if (schema === false) return () => "must not be there";
  if (!isRecord(schema)) throw new TypeError(`${scope.where}: a schema must be an object`);
  const checks: Check[] = [];
  for (const [keyword, argument] of Object.entries(schema)) {
    const rule = RULES[keyword];
    if (rule !== undefined) checks.push(rule(argument, scope, schema));
    else if (!ANNOTATIONS.has(keyword))
      throw new TypeError(
        `${scope.where}: JSON Schema keyword "${keyword}" cannot be checked here; use a Standard Schema or a type guard`,
      );
  }
  return value => firstProblem(checks, value);
}

function firstProblem(checks: readonly Check[], value: unknown): string | undefined {
  for (const check of checks) {
    const problem = check(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const ANNOTATIONS: ReadonlySet<string> = new Set(
  "$id $schema $comment $defs definitions title description default examples format readOnly writeOnly deprecated contentEncoding contentMediaType static params".split(
    " ",
  ),
);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: value => typeof value === "string",
  number: value => typeof value === "number" && Number.isFinite(value),
  integer: Number.isInteger,
  boolean: value => typeof value === "boolean",
  null: value => value === null,
};

function isType(name: unknown, scope: Scope): (value: unknown) => boolean {
  const test = typeof name === "string" && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (test === undefined)
    throw new TypeError(`${scope.where}: type "${String(name)}" does not exist in JSON`);
  return test;
}

/** Applies to strings, numbers, lists or objects alone; other values pass, as JSON Schema has it. */
const onText =
  (problem: string, test: (text: string) => boolean): Check =>
  value =>
    typeof value !== "string" || test(value) ? undefined : problem;
const onNumber =
  (problem: string, test: (value: number) => boolean): Check =>
  value =>
    typeof value !== "number" || test(value) ? undefined : problem;
const onList =
  (problem: string, test: (items: readonly unknown[]) => boolean): Check =>
  value =>
    !Array.isArray(value) || test(value) ? undefined : problem;
const onObject =
  (find: (object: Readonly<Record<string, unknown>>) => string | undefined): Check =>
  value =>
    isRecord(value) ? find(value) : undefined;

const RULES: Readonly<Record<string, Compile>> = {
  type: (names, scope) => {
    const tests = listOf(names).map(name => isType(name, scope));
    const problem = `must be ${listOf(names).join(" or ")}`;
    return value => (tests.some(test => test(value)) ? undefined : problem);
  },
  const: expected => value => (isSame(value, expected) ? undefined : `must be ${JSON.stringify(expected)}`),
  enum: allowed => value =>
    listOf(allowed).some(item => isSame(value, item))
      ? undefined
      : `must be one of ${JSON.stringify(allowed)}`,
  anyOf: (parts, scope) => {
    const checks = listOf(parts).map(part => compile(part, scope));
    return value =>
      checks.some(check => check(value) === undefined) ? undefined : "fits none of the alternatives";
  },
  oneOf: (parts, scope) => {
    const checks = listOf(parts).map(part => compile(part, scope));
    return value =>
      checks.filter(check => check(value) === undefined).length === 1
        ? undefined
        : "must fit exactly one of the alternatives";
  },
  allOf: (parts, scope) => {
    const checks = listOf(parts).map(part => compile(part, scope));
    return value => firstProblem(checks, value);
  },
  not: (part, scope) => {
    const check = compile(part, scope);
    return value => (check(value) === undefined ? "is excluded by the schema" : undefined);
  },
  $ref: (name, scope) => {
    const reference = String(name);
    return value => refer(reference, scope)(value);
  },
  properties: (properties, scope) => {
    const checks = Object.entries(recordOf(properties)).map(
      ([key, part]) => [key, compile(part, scope)] as const,
    );
    return onObject(object => {
      for (const [key, check] of checks) {
        const problem = Object.hasOwn(object, key) ? check(object[key]) : undefined;
        if (problem !== undefined) return `${key}: ${problem}`;
      }
      return undefined;
    });
  },
  required: names =>
    onObject(object => {
      const missing = listOf(names).find(name => !Object.hasOwn(object, String(name)));
      return missing === undefined ? undefined : `${String(missing)} is missing`;
    }),
  patternProperties: (patterns, scope) => {
    const checks = Object.entries(recordOf(patterns)).map(
      ([p, part]) => [new RegExp(p, "u"), compile(part, scope)] as const,
    );
    return onObject(object => {
      for (const [key, member] of Object.entries(object)) {
        for (const [pattern, check] of checks) {
          const problem = pattern.test(key) ? check(member) : undefined;
          if (problem !== undefined) return `${key}: ${problem}`;
        }
      }
      return undefined;
    });
  },
  additionalProperties: (part, scope, schema) => {
    const known = new Set(Object.keys(recordOf(schema["properties"])));
    const patterns = Object.keys(recordOf(schema["patternProperties"])).map(p => new RegExp(p, "u"));
    return restOf(compile(part, scope), key => known.has(key) || patterns.some(pattern => pattern.test(key)));
  },
  unevaluatedProperties: (part, scope, schema) => {
    const known = new Set(propertyNames(schema));
    return restOf(compile(part, scope), key => known.has(key));
  },
  propertyNames: (part, scope) => {
    const check = compile(part, scope);
    return onObject(
      object => Object.keys(object).find(key => check(key) !== undefined) && "has a name that does not fit",
    );
  },
  minProperties: n =>
    onObject(object => (Object.keys(object).length >= Number(n) ? undefined : `needs ${n} members`)),
  maxProperties: n =>
    onObject(object => (Object.keys(object).length <= Number(n) ? undefined : `has over ${n} members`)),
  items: (part, scope) => {
    if (Array.isArray(part)) return tuple(part.map(item => compile(item, scope)));
    const check = compile(part, scope);
    return value => {
      if (!Array.isArray(value)) return undefined;
      const index = value.findIndex(item => check(item) !== undefined);
      return index < 0 ? undefined : `[${index}]: ${check(value[index])}`;
    };
  },
  prefixItems: (parts, scope) => tuple(listOf(parts).map(item => compile(item, scope))),
  additionalItems: (part, scope, schema) => {
    const check = compile(part, scope);
    const from = listOf(schema["items"]).length;
    return onList("has more items than the schema allows", items =>
      items.slice(from).every(item => check(item) === undefined),
    );
  },
  contains: (part, scope) => {
    const check = compile(part, scope);
    return onList("lacks an item the schema asks for", items =>
      items.some(item => check(item) === undefined),
    );
  },
  minItems: n => onList(`needs at least ${n} items`, items => items.length >= Number(n)),
  maxItems: n => onList(`may have ${n} items at most`, items => items.length <= Number(n)),
  uniqueItems: wanted =>
    onList(
      "has an item twice",
      items =>
        wanted !== true ||
        items.every((item, index) => items.slice(0, index).every(other => !isSame(item, other))),
    ),
  minLength: n => onText(`needs at least ${n} characters`, text => [...text].length >= Number(n)),
  maxLength: n => onText(`may have ${n} characters at most`, text => [...text].length <= Number(n)),
  pattern: source => {
    const pattern = new RegExp(String(source), "u");
    return onText(`must match ${String(source)}`, text => pattern.test(text));
  },
  minimum: n => onNumber(`must be at least ${n}`, value => value >= Number(n)),
  maximum: n => onNumber(`must be at most ${n}`, value => value <= Number(n)),
  exclusiveMinimum: n => onNumber(`must be above ${n}`, value => value > Number(n)),
  exclusiveMaximum: n => onNumber(`must be below ${n}`, value => value < Number(n)),
  multipleOf: n => onNumber(`must be a multiple of ${n}`, value => Number.isInteger(value / Number(n))),
};

function refer(reference: string, scope: Scope): Check {
  const known = scope.compiled.get(reference);
  if (known !== undefined) return known;
  const target = scope.named.get(reference);
  if (target === undefined) return () => `refers to ${reference}, which does not exist`;
  const check = compile(target, scope);
  scope.compiled.set(reference, check);
  return check;
}

function tuple(checks: readonly Check[]): Check {
  return value => {
    if (!Array.isArray(value)) return undefined;
    for (const [index, check] of checks.entries()) {
      const problem = index < value.length ? check(value[index]) : undefined;
      if (problem !== undefined) return `[${index}]: ${problem}`;
    }
    return undefined;
  };
}

function restOf(check: Check, isKnown: (key: string) => boolean): Check {
  return onObject(object => {
    for (const [key, member] of Object.entries(object)) {
      const problem = isKnown(key) ? undefined : check(member);
      if (problem !== undefined) return `${key}: ${problem}`;
    }
    return undefined;
  });
}

/** The names that a schema and the parts of its `allOf` speak of. */
function propertyNames(schema: Readonly<Record<string, unknown>>): string[] {
  const parts = listOf(schema["allOf"]).filter(isRecord);
  return [...Object.keys(recordOf(schema["properties"])), ...parts.flatMap(propertyNames)];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
