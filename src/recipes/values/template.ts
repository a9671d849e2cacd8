import type { Json, JsonObject } from "../../protocol/index.ts";
import { valueAtPath, valueText } from "./value.ts";

/**
 * `{{name.path}}` without blanks; backslashes before it decide whether it is meant literally. It is looked for from
 * the first of them only, so that a long row of backslashes is read once.
 */
const PLACEHOLDER = /(?<!\\)(\\*)\{\{([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\}\}/g;
const PLACEHOLDER_HERE = /\{\{([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\}\}/y;

export interface Rendered<T> {
  readonly value: T;
  /** paths that named nothing and were taken as empty */
  readonly missing: readonly string[];
}

/**
 * Replaces every placeholder by the text of its value, in one pass: what is put in is never looked at again.
 * `\{{name}}` stands for the literal `{{name}}`; an even number of backslashes is left as it is.
 */
export function renderTemplate(template: string, context: JsonObject): Rendered<string> {
  const missing: string[] = [];
  const value = template.replace(PLACEHOLDER, (whole, backslashes: string, path: string) => {
    if (backslashes.length % 2 === 1) return whole.slice(1);
    const found = valueAtPath(context, path.split("."));
    if (found === undefined) missing.push(path);
    return backslashes + valueText(found);
  });
  return { value, missing };
}

/** As `renderTemplate`, for people to look at: a placeholder without a value stays as it is. */
export function fillTemplate(template: string, context: JsonObject): string {
  return template.replace(PLACEHOLDER, (whole, backslashes: string, path: string) => {
    if (backslashes.length % 2 === 1) return whole.slice(1);
    const found = valueAtPath(context, path.split("."));
    return found === undefined ? whole : backslashes + valueText(found);
  });
}

/** Renders every text inside a value; a text that is exactly one placeholder becomes the typed value. */
export function renderValue(template: Json, context: JsonObject): Rendered<Json> {
  const missing: string[] = [];
  const render = (part: Json): Json => {
    if (typeof part === "string") {
      const only = readPlaceholder(part, 0);
      if (only !== undefined && only.end === part.length) {
        const found = valueAtPath(context, only.path.split("."));
        if (found === undefined) missing.push(only.path);
        return found ?? (found === null ? null : "");
      }
      const rendered = renderTemplate(part, context);
      missing.push(...rendered.missing);
      return rendered.value;
    }
    if (Array.isArray(part)) return part.map(render);
    if (typeof part === "object" && part !== null) {
      return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, render(member)]));
    }
    return part;
  };
  return { value: render(template), missing };
}

export interface Placeholder {
  readonly path: string;
  /** of its first brace */
  readonly start: number;
  readonly end: number;
  /** a backslash before it makes it plain text */
  readonly isLiteral: boolean;
}

/** All placeholders in order of appearance. */
export function findPlaceholders(template: string): readonly Placeholder[] {
  return [...template.matchAll(PLACEHOLDER)].map(
    ({ 0: whole, 1: backslashes = "", 2: path = "", index }) => ({
      path,
      start: index + backslashes.length,
      end: index + whole.length,
      isLiteral: backslashes.length % 2 === 1,
    }),
  );
}

/** The paths of all live placeholders, in order of appearance. */
export function placeholdersIn(template: string): readonly string[] {
  return findPlaceholders(template)
    .filter(({ isLiteral }) => !isLiteral)
    .map(({ path }) => path);
}

/** Whether there is a placeholder at all, live or escaped. */
export function holdsPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) >= 0;
}

/** The placeholder that starts exactly at `index`. */
export function readPlaceholder(text: string, index: number): { path: string; end: number } | undefined {
  if (text[index] !== "{" || text[index + 1] !== "{") return undefined;
  PLACEHOLDER_HERE.lastIndex = index;
  const match = PLACEHOLDER_HERE.exec(text);
  return match?.[1] === undefined ? undefined : { path: match[1], end: PLACEHOLDER_HERE.lastIndex };
}

/** One warning per path, in the words of the step that used it. */
export function describeMissing(missing: readonly string[]): readonly string[] {
  return [...new Set(missing)].map(path => `Placeholder '{{${path}}}' has no value; empty text was used`);
}
