interface OptionBase {
  readonly short?: string;
  readonly summary: string;
  readonly isHidden?: boolean;
}

interface OptionWithValue extends OptionBase {
  /** what stands for the value in help: `--cwd DIR` */
  readonly label: string;
}

/** One long option; its key in `options` is its name on the command line, in kebab case. */
export type OptionSpec =
  | (OptionBase & { readonly kind: "boolean" })
  | (OptionWithValue & {
      readonly kind: "string";
      readonly isRepeatable?: false;
      /** missing or empty is a usage error */
      readonly isRequired?: boolean;
      /** the value where none is given; without this, one must be */
      readonly bare?: string;
    })
  | (OptionWithValue & {
      readonly kind: "string";
      readonly isRepeatable: true;
      readonly isRequired?: false;
      /** another option that collects these values too, in the order in which they were typed */
      readonly sameAs?: string;
    })
  | (OptionWithValue & {
      readonly kind: "number";
      readonly minimum?: number;
      readonly maximum?: number;
      /** the value where none is given; without this, one must be */
      readonly bare?: number;
    })
  | (OptionBase & {
      readonly kind: "choice";
      readonly choices: readonly string[];
      /** further spellings that mean one of the choices */
      readonly synonyms?: Readonly<Record<string, string>>;
      readonly initial?: string;
    });
export type OptionSpecs = { readonly [name: string]: OptionSpec };

type OptionValue<S extends OptionSpec> = S extends { kind: "boolean" }
  ? boolean
  : S extends { kind: "number" }
    ? number | undefined
    : S extends { kind: "string"; isRepeatable: true }
      ? readonly string[]
      : S extends { kind: "string"; isRequired: true }
        ? string
        : S extends { kind: "choice"; choices: readonly (infer C)[]; initial: string }
          ? C & string
          : S extends { kind: "choice"; choices: readonly (infer C)[] }
            ? (C & string) | undefined
            : string | undefined;
export type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]: OptionValue<O[K]> };

type Details<S> = S extends OptionSpec ? Omit<S, "kind" | "summary" | "label" | "choices"> : never;
/** None, or one object; a list, so that its type is inferred from the arguments alone. */
type MaybeDetails<K extends OptionSpec["kind"]> = readonly [Details<Extract<OptionSpec, { kind: K }>>?];
type Made<K, T, D> = { readonly kind: K; readonly summary: string } & T &
  (D extends readonly [infer X] ? X : unknown);
type Label = { readonly label: string };

/** Makers of options that keep the literal types, from which the types of the values follow. */
export const option = {
  boolean: <const D extends MaybeDetails<"boolean">>(summary: string, ...[details]: D) =>
    ({ kind: "boolean", summary, ...details }) as Made<"boolean", unknown, D>,
  string: <const D extends MaybeDetails<"string">>(label: string, summary: string, ...[details]: D) =>
    ({ kind: "string", label, summary, ...details }) as Made<"string", Label, D>,
  number: <const D extends MaybeDetails<"number">>(label: string, summary: string, ...[details]: D) =>
    ({ kind: "number", label, summary, ...details }) as Made<"number", Label, D>,
  choice: <const C extends readonly string[], const D extends MaybeDetails<"choice">>(
    choices: C,
    summary: string,
    ...[details]: D
  ) => ({ kind: "choice", choices, summary, ...details }) as Made<"choice", { readonly choices: C }, D>,
};

/** `--format text|json`, the same everywhere but in recipe commands. */
export const FORMATS = ["text", "json"] as const;
export const FORMAT_OPTION = option.choice(FORMATS, "how to print the result", {
  short: "f",
  initial: "text",
});

/** Adds `--json`, which means `--format json`, to the options of a command that can print JSON. */
export function withJsonFlag<O extends OptionSpecs>(options: O): O {
  const { format } = options;
  if (format?.kind !== "choice" || !format.choices.includes("json")) return options;
  const json = option.boolean("the same as --format json", { isHidden: format.isHidden === true });
  const entries = Object.entries(options).flatMap(entry =>
    entry[0] === "format" ? [entry, ["json", json]] : [entry],
  );
  return Object.fromEntries(entries) as O;
}
