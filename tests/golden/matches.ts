import { isJsonObject, type Json } from "../../src/protocol/index.ts";

/**
 * The differences between an expectation and what came, one line each. Key order never counts; inside objects null
 * is the same as absent; strings may be matchers: `__ANY__`, `__CONTAINS__:text`, `__REGEX__:whole text`.
 */
export function differences(
  expected: Json | undefined,
  actual: Json | undefined,
  at = "",
): readonly string[] {
  if (typeof expected === "string")
    return matchesText(expected, actual) ? [] : [differ(expected, actual, at)];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [differ(expected, actual, at)];
    return expected.flatMap((item, index) => differences(item, actual[index] ?? null, `${at}/${index}`));
  }
  if (isJsonObject(expected)) {
    if (!isJsonObject(actual)) return [differ(expected, actual, at)];
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return keys.flatMap(key =>
      differences(expected[key] ?? undefined, actual[key] ?? undefined, `${at}/${key}`),
    );
  }
  return expected === actual ? [] : [differ(expected, actual, at)];
}

function matchesText(expected: string, actual: Json | undefined): boolean {
  if (expected === "__ANY__") return actual !== undefined;
  if (typeof actual !== "string") return false;
  if (expected.startsWith("__CONTAINS__:")) return actual.includes(expected.slice(13));
  if (expected.startsWith("__REGEX__:")) return new RegExp(`^(?:${expected.slice(10)})$`, "u").test(actual);
  return expected === actual;
}

function differ(expected: Json | undefined, actual: Json | undefined, at: string): string {
  return `${at === "" ? "/" : at}: expected ${show(expected)}, came ${show(actual)}`;
}

function show(value: Json | undefined): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
