import type { AnySchema } from "./infer.ts";
import { compileJsonSchema } from "./json-schema.ts";

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };
/** Checks a value; what comes back is the value with the schema's type (defaults and transforms applied). */
export type Validator = (value: unknown) => Checked | Promise<Checked>;

/**
 * A validator for a schema of any accepted kind. Throws for something that is none of them: that is a mistake
 * in the host's code, not in its data.
 */
export function compileSchema(schema: AnySchema, where: string): Validator {
  const candidate: unknown = schema;
  const standard = readStandard(candidate);
  if (standard !== undefined) return value => fromStandard(standard(value));
  if (typeof candidate === "function") return value => fromGuard(candidate(value), value);
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

function readStandard(schema: unknown): ((value: unknown) => unknown) | undefined {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const standard: unknown = Reflect.get(schema, "~standard");
  if (typeof standard !== "object" || standard === null) return undefined;
  const validate: unknown = Reflect.get(standard, "validate");
  return typeof validate === "function" ? value => validate.call(standard, value) : undefined;
}

function fromStandard(result: unknown): Checked | Promise<Checked> {
  return result instanceof Promise ? result.then(readResult) : readResult(result);
}

/** A result with issues is a refusal; everything else must carry a value. */
function readResult(result: unknown): Checked {
  if (typeof result !== "object" || result === null)
    return { ok: false, problem: "the schema gave no result" };
  const issues: unknown = Reflect.get(result, "issues");
  if (issues === undefined || issues === null) return { ok: true, value: Reflect.get(result, "value") };
  return {
    ok: false,
    problem: Array.isArray(issues) ? issues.slice(0, 3).map(describeIssue).join("; ") : "refused",
  };
}

function describeIssue(issue: unknown): string {
  if (typeof issue !== "object" || issue === null) return "refused";
  const path: unknown = Reflect.get(issue, "path");
  const place = Array.isArray(path) ? path.map(keyOf).join(".") : "";
  return place === ""
    ? String(Reflect.get(issue, "message"))
    : `${place}: ${String(Reflect.get(issue, "message"))}`;
}

function keyOf(segment: unknown): string {
  return String(typeof segment === "object" && segment !== null ? Reflect.get(segment, "key") : segment);
}

function fromGuard(accepted: unknown, value: unknown): Checked {
  return accepted === true ? { ok: true, value } : { ok: false, problem: "the type guard refused it" };
}
