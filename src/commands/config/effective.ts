import {
  BUILT_IN,
  CONFIG_SCHEMA,
  type Config,
  failurePolicyOf,
  type LayerScope,
  type LoadedConfig,
  loadConfig,
  RULE_SETTINGS,
  type Schema,
} from "../../config/index.ts";
import { isJsonObject, isSameJson, type Json, type JsonObject, memberAt } from "../../protocol/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { readUserConfig } from "../parts/choice.ts";

/** `policy:FROM` is a policy that the file of the machine or the user extends. */
export type LayerName = "built-in" | "machine" | "user" | "project" | "environment" | `policy:${string}`;

/** One setting as it counts here, and the layer that made it so. */
export interface EffectiveSetting {
  readonly key: string;
  readonly value: Json;
  readonly builtIn: Json;
  readonly layer: LayerName;
  /** the file that holds it or extends the policy; null for what is built in or comes from the environment */
  readonly source: string | null;
}

export interface EffectiveConfig {
  readonly loaded: LoadedConfig;
  /** all settings, in the form of a configuration file */
  readonly file: JsonObject;
  readonly settings: readonly EffectiveSetting[];
}

/** The settings that count in this directory, after all layers. */
export function effectiveConfig(system: System): EffectiveConfig {
  const snapshots: { layer: LayerName; scope?: LayerScope; file: JsonObject }[] = [
    { layer: "built-in", file: asFile(BUILT_IN, []) },
  ];
  let trusted: Json = [];
  const loaded = loadConfig(system, requireDirectories(system), (scope, config, policy) => {
    if (scope === "user") trusted = memberAt(readUserConfig(system), "guard", "trustedProjects") ?? [];
    snapshots.push({
      layer: policy === undefined ? layerName(scope) : `policy:${policy}`,
      scope,
      file: asFile(config, trusted),
    });
  });
  const flat = snapshots.map(({ layer, scope, file }) => ({
    layer,
    scope,
    values: new Map(leaves(CONFIG_SCHEMA, file, "")),
  }));
  const [first, last] = [flat[0]?.values, flat.at(-1)?.values];
  const settings = [...(last ?? [])].map(([key, value]): EffectiveSetting => {
    const changed = flat.findLast(
      ({ values }, index) =>
        index > 0 && !isSameJson(values.get(key) ?? null, flat[index - 1]?.values.get(key) ?? null),
    );
    const source = loaded.used.find(({ scope }) => scope === changed?.scope)?.path ?? null;
    return { key, value, builtIn: first?.get(key) ?? null, layer: changed?.layer ?? "built-in", source };
  });
  return { loaded, file: snapshots.at(-1)?.file ?? {}, settings };
}

function layerName(scope: LayerScope): "machine" | Exclude<LayerScope, "system"> {
  return scope === "system" ? "machine" : scope;
}

/** The merged settings in the form in which a file holds them. */
function asFile(config: Config, trustedProjects: Json): JsonObject {
  const { programs, floors, rules, managed: _managed, ...guard } = config.guard;
  const names = new Set(config.failure.flatMap(table => Object.keys(table)));
  const failure = Object.fromEntries([...names].map(name => [name, failurePolicyOf(config, name)]));
  const file = {
    ...config,
    guard: { ...guard, rules: withFloors(rules, floors), trustedProjects },
    failure,
    programs,
  };
  // Members without a value are left out.
  return JSON.parse(JSON.stringify(file)) as JsonObject;
}

/** A project that is not trusted only raises what the others say. */
function withFloors(
  rules: Config["guard"]["rules"],
  floors: Config["guard"]["floors"],
): Config["guard"]["rules"] {
  const raised = Object.entries(floors).filter(([id, floor]) => {
    const base = Object.hasOwn(rules, id) ? rules[id] : undefined;
    return RULE_SETTINGS.indexOf(floor) > RULE_SETTINGS.indexOf(base ?? "allow");
  });
  return { ...rules, ...Object.fromEntries(raised) };
}

function leaves(schema: Schema, value: Json | undefined, key: string): readonly (readonly [string, Json])[] {
  if (schema.kind !== "record" && schema.kind !== "map") return [[key, value ?? null]];
  const members = isJsonObject(value) ? value : {};
  const fields =
    schema.kind === "record"
      ? Object.entries(schema.fields)
      : Object.keys(members).map(name => [name, schema.of] as const);
  return fields.flatMap(([name, field]) =>
    leaves(field, memberAt(members, name), key === "" ? name : `${key}.${name}`),
  );
}

/** A value as a person reads it: a text as it is, everything else as JSON. */
export function shownValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
