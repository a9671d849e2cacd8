import {
  booleanAt,
  errorText,
  isJsonObject,
  type Json,
  memberAt,
  ownValue,
  parseJsonObject,
} from "../../../../protocol/index.ts";
import {
  CONSIDERATIONS_FILE,
  POWER_STEERING_CONFIG,
  readText,
  SESSION_TYPES,
} from "../../../../state/index.ts";
import { join } from "../../../../system/index.ts";
import type { HookContext } from "../../../program/context.ts";
import { type Consideration, FALLBACK_CONSIDERATIONS, SHIPPED_CONSIDERATIONS } from "./considerations.ts";
import { hasHeuristic } from "./heuristics.ts";
import type { SessionType } from "./session-type.ts";

export interface PowerSteeringConfig {
  readonly isEnabled: boolean;
  readonly isCheckEnabled: (id: string) => boolean;
}

const DEFAULTS: PowerSteeringConfig = { isEnabled: true, isCheckEnabled: () => true };
const FILE_BYTES = 1024 * 1024;

function toolPath(context: HookContext, name: string): string {
  return join(context.projectRoot, ".claude", "tools", "amplihack", name);
}

/** The project's own settings; a file that cannot be used counts as none, and says so in the log. */
export function loadSteeringConfig(context: HookContext): PowerSteeringConfig {
  const path = toolPath(context, POWER_STEERING_CONFIG);
  try {
    const text = readText(context.system, path, FILE_BYTES);
    if (text === undefined) return DEFAULTS;
    const config = parseConfig(text);
    if (config !== undefined) return config;
    context.log("WARNING", ".power_steering_config is not usable; the defaults count");
  } catch (error) {
    context.log("WARNING", `.power_steering_config cannot be read: ${errorText(error)}`);
  }
  return DEFAULTS;
}

function parseConfig(text: string): PowerSteeringConfig | undefined {
  const config = parseJsonObject(text, 8);
  const isEnabled = booleanAt(config, "enabled");
  const checkers = memberAt(config, "checkers_enabled") ?? {};
  if (isEnabled === undefined || !isJsonObject(checkers)) return undefined;
  if (Object.values(checkers).some(value => typeof value !== "boolean")) return undefined;
  if (!Number.isInteger(memberAt(config, "phase") ?? 1)) return undefined;
  return { isEnabled, isCheckEnabled: id => ownValue(checkers, id) !== false };
}

/** The project's list, else what is shipped; a list that cannot be used leaves the built-in five. */
export async function loadConsiderations(context: HookContext): Promise<readonly Consideration[]> {
  const path = toolPath(context, CONSIDERATIONS_FILE);
  try {
    const text = readText(context.system, path, FILE_BYTES);
    if (text === undefined) return SHIPPED_CONSIDERATIONS;
    const { parse } = await import("yaml");
    const entries = parseConsiderations(parse(text, { maxAliasCount: 0 }));
    if (entries.length > 0) return entries;
    context.log("WARNING", "considerations.yaml has no usable entry; the built-in checks count");
  } catch (error) {
    context.log(
      "WARNING",
      `considerations.yaml cannot be used (${errorText(error)}); the built-in checks count`,
    );
  }
  return FALLBACK_CONSIDERATIONS;
}

/** Entries that are not right are left out. */
function parseConsiderations(value: Json): readonly Consideration[] {
  return Array.isArray(value) ? value.flatMap(parseConsideration) : [];
}

function parseConsideration(value: Json): readonly Consideration[] {
  if (!isJsonObject(value)) return [];
  const { id, category, question, severity, checker, enabled } = value;
  if (typeof id !== "string" || typeof category !== "string" || typeof question !== "string") return [];
  if ((severity !== "blocker" && severity !== "warning") || typeof enabled !== "boolean") return [];
  if (typeof checker !== "string" || id === "") return [];
  const sessionTypes = parseSessionTypes(ownValue(value, "applicable_session_types"));
  if (sessionTypes === undefined) return [];
  return [{ id, category, question, severity, enabled, sessionTypes, heuristic: heuristicOf(id, checker) }];
}

function parseSessionTypes(value: Json | undefined): readonly SessionType[] | "all" | undefined {
  if (value === undefined || value === null) return ["DEVELOPMENT"];
  if (!Array.isArray(value)) return undefined;
  if (value.includes("*")) return "all";
  return SESSION_TYPES.filter(type => value.includes(type));
}

/** `generic` can only be answered by a model; a checker is named after its consideration otherwise. */
function heuristicOf(id: string, checker: string): string | undefined {
  if (checker === "generic") return undefined;
  const name = checker.replace(/^_?check_/, "");
  return [name, id].find(hasHeuristic);
}
