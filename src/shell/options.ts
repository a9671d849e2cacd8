import { knownText, type Value } from "./value.ts";

/**
 * How one program reads its options. Names are written without dashes; one letter is a short option, more is
 * a long one. `as` maps every spelling to one canonical name: `{ recursive: "r", R: "r" }`.
 */
export interface OptionSpec {
  /** Options without a value. */
  readonly flags?: readonly string[];
  /** Options with a value, glued or in the next word. */
  readonly values?: readonly string[];
  /** Options whose value can only be glued: `-ifile`, `--color=always`. */
  readonly optional?: readonly string[];
  readonly as?: Readonly<Record<string, string>>;
  /** Long options may be shortened while they stay unambiguous. Default true, as GNU and git do. */
  readonly abbreviates?: boolean;
  /** The first operand ends the options (POSIX, wrappers). Default false: options may follow operands. */
  readonly stopsAtOperand?: boolean;
  /** Long names with a single dash and no bundles, as in find, terraform, java. Default false. */
  readonly isSingleDash?: boolean;
  /** An option not in the spec that is followed by a word takes it as its value. Default false: a flag. */
  readonly unknownTakesValue?: boolean;
}

export interface ParsedOption {
  /** Canonical name. */
  readonly name: string;
  readonly value: Value | undefined;
  /** Index of the word that held it. */
  readonly index: number;
  readonly isInSpec: boolean;
}

export interface ParsedOptions {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly Operand[];
  /** Index of `--`, if there was one that ended the options. */
  readonly endOfOptions: number | undefined;
  /** A word that may be an option but is not known (`$FLAGS`). */
  readonly hasUnknownOption: boolean;
  has(...names: readonly string[]): boolean;
  /** Value of the last one given. */
  valueOf(...names: readonly string[]): Value | undefined;
  valuesOf(...names: readonly string[]): readonly Value[];
}

export interface Operand {
  readonly value: Value;
  readonly index: number;
}
