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
