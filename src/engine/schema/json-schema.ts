import { errorText, isJsonObject } from "../../protocol/index.ts";
import type { CompileJsonSchema } from "./validate.ts";

/**
 * A checker for a schema that TypeBox wrote, or any JSON Schema of the same keywords. A keyword that is not known
 * is refused at once: a check that leaves something out would let pass what it should not. The library that checks is
 * large, and loaded for the first value; a schema that it refuses then lets no value pass.
 */
export const compileJsonSchema: CompileJsonSchema = (schema, where) => {
  const refused = (problem: string) =>
    `${where}: this JSON Schema cannot be checked here (${problem}); use a Standard Schema or a type guard`;
  const problem = findProblem(schema);
  if (problem !== undefined) throw new TypeError(refused(problem));
  let check: Promise<(value: unknown) => string | undefined> | undefined;
  return async value => {
    try {
      check ??= import("./ajv.ts").then(({ compile }) => compile(schema));
      return (await check)(value);
    } catch (error) {
      return refused(errorText(error));
    }
  };
};

const TYPES = "array boolean integer null number object string".split(" ");
/** Keywords whose values are no schemas. */
const PLAIN =
  "$async $comment $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary const contentEncoding contentMediaType default deprecated description enum examples exclusiveMaximum exclusiveMinimum format id maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf nullable params pattern readOnly required static title type uniqueItems writeOnly".split(
    " ",
  );
/** Keywords that hold a schema, or several in a list. */
const SCHEMAS =
  "additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf prefixItems propertyNames then unevaluatedItems unevaluatedProperties".split(
    " ",
  );
/** Keywords that hold schemas by name. */
const NAMED = "$defs definitions dependencies patternProperties properties".split(" ");

/** All that the library knows, as a test holds them to. */
export const KEYWORDS: readonly string[] = [...PLAIN, ...SCHEMAS, ...NAMED];

/** Why a schema could not be checked, as far as its own words tell. */
function findProblem(schema: unknown, seen = new Set<unknown>()): string | undefined {
  if (Array.isArray(schema)) return findFirst(schema, part => findProblem(part, seen));
  if (!isJsonObject(schema) || seen.has(schema)) return undefined;
  seen.add(schema);
  const unknownType = [schema["type"] ?? []].flat().find(type => !TYPES.includes(String(type)));
  if (unknownType !== undefined) return `the type ${JSON.stringify(unknownType)} is not known`;
  if ("if" in schema && !("then" in schema || "else" in schema)) return `"if" has neither "then" nor "else"`;
  return findFirst(Object.entries(schema), ([keyword, value]) => {
    if (SCHEMAS.includes(keyword)) return findProblem(value, seen);
    if (NAMED.includes(keyword) && isJsonObject(value)) return findProblem(Object.values(value), seen);
    return KEYWORDS.includes(keyword) ? undefined : `the keyword "${keyword}" is not known`;
  });
}

function findFirst<Part>(
  parts: readonly Part[],
  find: (part: Part) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const found = find(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
