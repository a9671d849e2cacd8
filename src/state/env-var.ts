import type { System } from "../system/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import type { EnvParser, ParsedVariable } from "./env-parsers.ts";
import { StateError } from "./state-error.ts";

type EnvSource = Pick<System, "env">;

const SHOWN_LENGTH = 40;

/** A typed environment variable. Set but empty counts as set; the parser says what that means. */
export class EnvVar<T> {
  readonly name: string;
  private readonly parser: EnvParser<T>;
  private readonly fallback: T | undefined;

  constructor(name: string, parser: EnvParser<T>, fallback?: T) {
    this.name = name;
    this.parser = parser;
    this.fallback = fallback;
  }

  isSet(source: EnvSource): boolean {
    return source.env.get(this.name) !== undefined;
  }

  /**
   * The value, or the default when it is unset or, after a warning, cannot be parsed. Without a default both are
   * errors. Hooks read variables this way; `warn` is where their warnings go.
   */
  get(source: EnvSource & Pick<System, "stdio">, warn?: (message: string) => void): T {
    const parsed = this.parse(source);
    if (parsed?.ok === true) return parsed.value;
    if (this.fallback === undefined) throw this.problem(source, parsed);
    if (parsed !== undefined) {
      const message = `${this.describe(source, parsed.expected)}; using the default`;
      if (warn === undefined) source.stdio.writeError(`amplihack: ${message}\n`);
      else warn(message);
    }
    return this.fallback;
  }

  /** As `get`, but what cannot be parsed is always an error. Commands read variables this way. */
  getOrError(source: EnvSource): T {
    const parsed = this.parse(source);
    if (parsed?.ok === true) return parsed.value;
    if (parsed === undefined && this.fallback !== undefined) return this.fallback;
    throw this.problem(source, parsed);
  }

  /** Undefined when it is unset or cannot be parsed. */
  tryGet(source: EnvSource): T | undefined {
    const parsed = this.parse(source);
    return parsed?.ok === true ? parsed.value : undefined;
  }

  /** Why what it is set to cannot be used; undefined when it is unset or can be. */
  complaint(source: EnvSource): string | undefined {
    const parsed = this.parse(source);
    return parsed?.ok === false ? this.describe(source, parsed.expected) : undefined;
  }

  private parse(source: EnvSource): ParsedVariable<T> | undefined {
    const raw = source.env.get(this.name);
    return raw === undefined ? undefined : this.parser.parse(raw, source.env.get("HOME"));
  }

  private problem(source: EnvSource, parsed: ParsedVariable<T> | undefined): StateError {
    const message =
      parsed?.ok === false
        ? this.describe(source, parsed.expected)
        : `the environment variable ${this.name} is required; set it`;
    return new StateError("environment", this.name, message);
  }

  private describe(source: EnvSource, expected: string): string {
    const raw = source.env.get(this.name) ?? "";
    const shown = this.parser.isShown ? `, found "${escapeControls(clip(raw, SHOWN_LENGTH))}"` : "";
    return `the environment variable ${this.name} is not usable: expected ${expected}${shown}`;
  }
}
