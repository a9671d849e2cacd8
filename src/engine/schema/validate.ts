import { andThen } from "../maybe.ts";
import type { AnySchema } from "./infer.ts";

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };
/** Checks a value; what comes back is the value with the schema's type (defaults and transforms applied). */
export type Validator = (value: unknown) => Checked | Promise<Checked>;
/** A check by a JSON Schema: what is wrong with a value, or nothing when it fits. Throws for a schema it cannot use. */
export type CompileJsonSchema = (schema: object, where: string) => (value: unknown) => string | undefined;

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
    return value => andThen<unknown, Checked>(standard.validate?.(value), readResult);
  if (typeof candidate === "function")
    return value =>
      candidate(value) === true ? { ok: true, value } : { ok: false, problem: "the type guard refused it" };
  if (typeof candidate === "object" && candidate !== null) {
    const check = compileJsonSchema(candidate, where);
    return value => {
      const problem = check(value);
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
