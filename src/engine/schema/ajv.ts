import type { ErrorObject } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";

/** What is wrong with a value, or nothing when it fits. Throws for a schema that cannot be used. */
export function compile(schema: object): (value: unknown) => string | undefined {
  const validate = createAjv().compile(schema);
  return value => (validate(value) ? undefined : describeError(validate.errors?.at(-1)));
}

/** One for each schema, since two tools may use one `$id` for different things. */
export function createAjv(): Ajv2019 {
  const ajv = new Ajv2019({
    meta: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    strictTypes: false,
    strictTuples: false,
  });
  ajv.addVocabulary(["static", "params"]);
  ajv.addKeyword({ keyword: "prefixItems", macro: (parts: unknown) => ({ items: parts }) });
  // TypeBox has no members that depend on others.
  for (const keyword of ["dependentRequired", "dependentSchemas"]) ajv.removeKeyword(keyword);
  return ajv;
}

/** `list: [1]: n: must be number`. Of several errors the last is about the whole. */
function describeError(error: ErrorObject | undefined): string {
  if (error === undefined) return "it does not match";
  const { instancePath, params, message } = error;
  const steps = instancePath.split("/").slice(1);
  const names = steps.map(step => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const extra: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  const what = typeof extra === "string" ? `${message}: ${extra}` : String(message);
  return [...names.map(name => (/^\d+$/.test(name) ? `[${name}]` : name)), what].join(": ");
}
