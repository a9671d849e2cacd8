import { diagnose, EMPTY_SOURCE, type ParsedSource } from "../../handlers/index.ts";
import type { Diagnostic, EventDescriptor, Json } from "../../protocol/index.ts";
import { DIALECTS, type Dialect, type HookSource, SOURCE_KINDS } from "../options.ts";
import { parseAtomcode } from "./atomcode.ts";
import { atomcodeForm, hasNamedEntries } from "./atomcode-form.ts";
import { parseBatuta } from "./batuta.ts";
import { type ParseContext, parseClaude } from "./claude.ts";
import { showName } from "./fields.ts";
import { readConfig } from "./read-config.ts";

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
