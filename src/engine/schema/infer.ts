/** A schema that speaks Standard Schema: zod, valibot, arktype and others. */
export interface StandardLike<O = unknown> {
  readonly "~standard": { readonly types?: { readonly output: O } | undefined };
}
/** A TypeBox schema: JSON Schema at run time, `static` in the types alone. */
export interface TypeBoxLike<O = unknown> {
  readonly static: O;
}
export type Guard<O> = (value: unknown) => value is O;
export type AnySchema = StandardLike | TypeBoxLike | Guard<unknown>;

/** The type a schema promises. */
export type Infer<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer O } | undefined };
}
  ? O
  : S extends { readonly static: infer O }
    ? O
    : S extends (value: unknown) => value is infer O
      ? O
      : unknown;

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

export type DeepReadonly<V> = V extends (...parameters: never[]) => unknown
  ? V
  : V extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : V extends object
      ? { readonly [K in keyof V]: DeepReadonly<V[K]> }
      : V;
