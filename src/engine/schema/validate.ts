export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };
/** Checks a value; what comes back is the value with the schema's type (defaults and transforms applied). */
export type Validator = (value: unknown) => Checked | Promise<Checked>;
/** A check by a JSON Schema: what is wrong with a value, or nothing when it fits. Throws for a schema it cannot use. */
export type CompileJsonSchema = (
  schema: object,
  where: string,
) => (value: unknown) => Promise<string | undefined>;

/** What Standard Schema asks of a library, as far as it can be relied on. */
interface StandardSchema {
  readonly "~standard"?: { validate?(value: unknown): unknown };
}
interface StandardIssue {
  readonly message?: unknown;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

/**
 * A validator for a schema of any accepted kind. Throws for something that is none of them: that is a mistake
 * in the host's code, not in its data.
 */
export function compileSchema(
  schema: AnySchema,
  where: string,
  compileJsonSchema: CompileJsonSchema,
): Validator {
  const candidate: unknown = schema;
  const standard = (candidate as StandardSchema | null)?.["~standard"];
  if (typeof standard?.validate === "function")
    return async value => readResult(await standard.validate?.(value));
  if (typeof candidate === "function")
    return value =>
      candidate(value) === true ? { ok: true, value } : { ok: false, problem: "the type guard refused it" };
  if (typeof candidate === "object" && candidate !== null) {
    const check = compileJsonSchema(candidate, where);
    return async value => {
      const problem = await check(value);
      return problem === undefined ? { ok: true, value } : { ok: false, problem };
    };
  }
  throw new TypeError(
    `${where} must be a Standard Schema, a TypeBox schema or a type guard, not ${typeof candidate}`,
  );
}

/** A result with issues is a refusal; everything else must carry a value. */
function readResult(result: unknown): Checked {
  if (typeof result !== "object" || result === null)
    return { ok: false, problem: "the schema gave no result" };
  const { issues, value } = result as { readonly issues?: unknown; readonly value?: unknown };
  if (issues === undefined || issues === null) return { ok: true, value };
  const problem = Array.isArray(issues) ? issues.slice(0, 3).map(describeIssue).join("; ") : "refused";
  return { ok: false, problem };
}

function describeIssue(issue: StandardIssue | null | undefined): string {
  const { path, message = "refused" } = issue ?? {};
  const keys = Array.isArray(path)
    ? path.map(step => String(typeof step === "object" ? step?.key : step))
    : [];
  return keys.length === 0 ? String(message) : `${keys.join(".")}: ${String(message)}`;
}

/** A schema that speaks Standard Schema: zod, valibot, arktype and others. */
export interface StandardLike<O = unknown> {
  readonly "~standard": { readonly types?: { readonly output: O } | undefined };
}
/** A TypeBox schema: JSON Schema at run time, `static` in the types alone. */
export interface TypeBoxLike<O = unknown> {
  readonly static: O;
}
export type Guard<O> = (value: unknown) => value is O;
/** A schema of TypeBox 1: its type follows from its members. */
export interface TypeBoxKind {
  readonly "~kind": string;
}
export type AnySchema = StandardLike | TypeBoxLike | TypeBoxKind | Guard<unknown>;

/** The type a schema promises. */
export type Infer<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer O } | undefined };
}
  ? O
  : S extends { readonly static: infer O }
    ? O
    : S extends { readonly "~kind": string }
      ? InferKind<S>
      : S extends (value: unknown) => value is infer O
        ? O
        : unknown;

/** What TypeBox 1 promises, for the kinds that arguments and results of tools are made of; others are unknown. */
type InferKind<S extends { readonly "~kind": string }> = S extends {
  readonly "~kind": "Object";
  readonly properties: infer P;
}
  ? { -readonly [K in keyof P as IsOptional<P[K]> extends true ? never : K]: Infer<P[K]> } & {
      -readonly [K in keyof P as IsOptional<P[K]> extends true ? K : never]?: Infer<P[K]>;
    }
  : S extends { readonly "~kind": "Literal"; readonly const: infer C }
    ? C
    : S extends { readonly "~kind": "Array"; readonly items: infer I }
      ? Infer<I>[]
      : S extends { readonly "~kind": "Tuple"; readonly items: infer L }
        ? { -readonly [K in keyof L]: Infer<L[K]> }
        : S extends { readonly "~kind": "Union"; readonly anyOf: infer L extends readonly unknown[] }
          ? Infer<L[number]>
          : S extends { readonly "~kind": "Record"; readonly patternProperties: infer P }
            ? Record<string, Infer<P[keyof P]>>
            : S["~kind"] extends keyof ScalarKinds
              ? ScalarKinds[S["~kind"]]
              : unknown;
type IsOptional<S> = S extends { readonly "~optional": true } ? true : false;
interface ScalarKinds {
  String: string;
  Number: number;
  Integer: number;
  Boolean: boolean;
  Null: null;
  BigInt: bigint;
}

export interface ToolSpec {
  readonly args: AnySchema;
  readonly result?: AnySchema;
}
export type ToolMap = { readonly [name: string]: ToolSpec };
export type ToolName<T extends ToolMap> = keyof T & string;
export type ArgsOf<T extends ToolMap, K extends ToolName<T>> = Infer<T[K]["args"]>;
export type ResultOf<T extends ToolMap, K extends ToolName<T>> = T[K] extends { readonly result: infer R }
  ? Infer<R>
  : unknown;

type Primitive = string | number | bigint | boolean | symbol | null | undefined;

/** Read-only at any depth. Tuples stay tuples, branded strings stay strings, functions stay callable. */
export type DeepReadonly<V> = V extends Primitive | ((...parameters: never[]) => unknown)
  ? V
  : { readonly [K in keyof V]: DeepReadonly<V[K]> };
