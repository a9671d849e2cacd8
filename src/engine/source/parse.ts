import { parse as parseToml, TomlError } from "smol-toml";
import { blankOutComments } from "../../config/index.ts";
import { diagnose, EMPTY_SOURCE, type ParsedSource } from "../../handlers/index.ts";
import {
  type Diagnostic,
  type EventDescriptor,
  errorText,
  type Json,
  readJson,
} from "../../protocol/index.ts";
import { DIALECTS, type Dialect, type HookSource, SOURCE_KINDS } from "../options.ts";
import { atomcodeForm, hasNamedEntries, parseAtomcode } from "./atomcode.ts";
import { parseBatuta } from "./batuta.ts";
import { type ParseContext, parseClaude } from "./claude.ts";
import { showName } from "./fields.ts";

const PARSE: Readonly<
  Record<Dialect, (root: Json, source: HookSource, context: ParseContext) => ParsedSource>
> = {
  // Read as Claude's settings, such entries would all be left out: a guard among them would not guard.
  claude: (root, source, context) =>
    hasNamedEntries(root)
      ? parseAtomcode(root, source, context, "atomcode-json")
      : parseClaude(root, source, context),
  batuta: parseBatuta,
  atomcode: (root, source, context) => parseAtomcode(root, source, context, atomcodeForm(root, source)),
  "atomcode-json": (root, source, context) => parseAtomcode(root, source, context, "atomcode-json"),
};

/** One source as plain data. What is wrong with it is reported and touches nothing else. */
export function parseSource(
  source: HookSource,
  label: string,
  findEvent: (name: string) => EventDescriptor | undefined,
): ParsedSource {
  const unknown = unknownMember(source);
  if (unknown !== undefined)
    return { ...EMPTY_SOURCE, problems: [diagnose("config-shape", `${label}: ${unknown}`)] };
  const where = source.path === undefined ? label : `${label} (${source.path})`;
  const read = readConfig(source.data, where);
  switch (read.kind) {
    case "nothing":
      return EMPTY_SOURCE;
    case "problem":
      return { ...EMPTY_SOURCE, problems: [read.problem] };
    case "value":
      return PARSE[source.dialect](read.value, source, { findEvent, label });
  }
}

function unknownMember({ kind, dialect }: HookSource): string | undefined {
  if (!SOURCE_KINDS.includes(kind)) return `a source's "kind" must be one of ${SOURCE_KINDS.join(", ")}`;
  if (!DIALECTS.includes(dialect)) return `a source's "dialect" must be one of ${DIALECTS.join(", ")}`;
  return undefined;
}

/** Short names that tell sources of one kind apart; they begin every handler id. */
export function labelSources(sources: readonly HookSource[]): string[] {
  const seen = new Map<string, number>();
  return sources.map(({ kind, pluginId }) => {
    const base = pluginId === undefined ? String(kind) : `${kind}:${showName(pluginId)}`;
    const count = (seen.get(base) ?? 0) + 1;
    seen.set(base, count);
    return count === 1 ? base : `${base}#${count}`;
  });
}

export interface LabelledProblem {
  readonly problem: Diagnostic;
  readonly source: HookSource;
}

type ConfigRead =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "nothing" }
  | { readonly kind: "problem"; readonly problem: Diagnostic };

const MAX_CONFIG_DEPTH = 200;

/** Configuration as a JSON value: from text in JSON, JSON with comments or TOML, or from a parsed value. */
function readConfig(data: unknown, where: string): ConfigRead {
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
  const read = readJson(blankOutComments(text), { recover: true, maxDepth: MAX_CONFIG_DEPTH });
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
