import { stripComments } from "jsonc-parser";
import { parse as parseToml, TomlError } from "smol-toml";
import { diagnose } from "../../handlers/index.ts";
import { type Diagnostic, errorText, type Json, readJson } from "../../protocol/index.ts";

type ConfigRead =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "nothing" }
  | { readonly kind: "problem"; readonly problem: Diagnostic };

const MAX_CONFIG_DEPTH = 200;

/** Configuration as a JSON value: from text in JSON, JSON with comments or TOML, or from a parsed value. */
export function readConfig(data: unknown, where: string): ConfigRead {
  if (data === undefined || data === null) return { kind: "nothing" };
  if (typeof data === "string") return readText(data.replace(/^\uFEFF/, ""), where);
  if (data instanceof Error) return unreadable(where, data.message);
  try {
    return { kind: "value", value: toJson(data, 0) };
  } catch (error) {
    return unreadable(where, errorText(error));
  }
}

function unreadable(where: string, why: string): ConfigRead {
  return {
    kind: "problem",
    problem: diagnose("config-unreadable", `${where} could not be read: ${why}`),
  };
}

function malformed(where: string, why: string): ConfigRead {
  return { kind: "problem", problem: diagnose("config-malformed", `${where} ${why}`) };
}

function readText(text: string, where: string): ConfigRead {
  if (text.trim() === "") return { kind: "nothing" };
  return isJsonText(text) ? readJsonText(text, where) : readTomlText(text, where);
}

/** JSON begins with a brace, perhaps after `//` or block comments; TOML has neither. */
function isJsonText(text: string): boolean {
  return /^\s*(?:\{|\/\/|\/\*)/.test(text);
}

function readJsonText(text: string, where: string): ConfigRead {
  const read = readJson(stripComments(text, " "), { recover: true, maxDepth: MAX_CONFIG_DEPTH });
  if (!read.ok) {
    if (read.problem === "empty") return { kind: "nothing" };
    const why =
      read.problem === "too-deep" ? `nests deeper than ${MAX_CONFIG_DEPTH} levels` : "is not valid JSON";
    return malformed(where, why);
  }
  if (read.repairs.includes("trailing-text"))
    return malformed(where, "is not valid JSON: text follows the object");
  return { kind: "value", value: read.value };
}

function readTomlText(text: string, where: string): ConfigRead {
  try {
    return { kind: "value", value: toJson(parseToml(text), 0) };
  } catch (error) {
    const place = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : "";
    return malformed(where, `is neither JSON (no leading brace) nor valid TOML${place}`);
  }
}

/** A copy made of JSON alone, so that nothing the caller does later, no getter and no prototype matters. */
function toJson(value: unknown, depth: number): Json {
  if (depth > MAX_CONFIG_DEPTH) throw new Error(`it nests deeper than ${MAX_CONFIG_DEPTH} levels`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (Array.isArray(value)) return value.map(item => toJson(item ?? null, depth + 1));
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object") throw new Error(`it holds a ${typeof value}`);
  const copy: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined && key !== "__proto__") copy[key] = toJson(member, depth + 1);
  }
  return copy;
}
