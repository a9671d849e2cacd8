import { CommandError, type CommandInvocation, tellProblems, usageError } from "../../cli/index.ts";
import {
  accept,
  BUILT_IN,
  CONFIG_SCHEMA,
  type Config,
  findMisplacedConfig,
  type LayerScope,
  type LoadedConfig,
  loadConfig,
  MAX_CONFIG_BYTES,
  RULE_SETTINGS,
  type RuleSetting,
  readJsonc,
  resolveFailurePolicy,
  type Schema,
  type SchemaProblem,
  settingKeys,
  userConfigFile,
} from "../../config/index.ts";
import { effectiveRuleSetting, ruleSettingProblem } from "../../guard/index.ts";
import { resolveSubcommand, STOCK_SUBCOMMANDS } from "../../hosts/index.ts";
import { applyEdit, type FileChange, settingsEdit } from "../../install/index.ts";
import { isServerUrl, readDatabaseUrl } from "../../postgres/index.ts";
import {
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  memberAt,
  ownValue,
} from "../../protocol/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { didYouMean } from "../../text/index.ts";
import { readUserConfig } from "../parts.ts";

/** The argument of commands that take a whole section as well. */
export const SETTING_OR_SECTION = {
  name: "KEY",
  summary: "a setting or a section: guard.level, guard.rules.git.push, history",
  completes: "setting",
} as const;

const ADDRESSES: readonly string[] = ["extends", "update.source"];
const HELP = "amplihack config set --help";

/** The value that a person typed for a setting. Throws what is wrong with it. */
export function readSettingValue(
  key: string,
  { path, schema }: Setting,
  text: string,
  customIds: readonly string[],
): Json {
  if (schema.kind === "record")
    throw usageError(`${key} is a section; its settings are ${settingKeys(schema, key).join(", ")}`, HELP);
  if (key === "guard.trustedProjects")
    throw usageError(`${key} holds checksums and is not set by hand`, "amplihack guard init --trust");
  // First of all: no other error may quote it, for it may hold a password.
  if (key === "memory.url" && !isServerUrl(text)) readDatabaseUrl(text, "configuration");
  if (ADDRESSES.includes(key) && /:\/\/[^\s/?#]*@/.test(text))
    throw usageError(`${key} must be without user names and passwords, which others could read`, HELP);
  const value = readTyped(schema, text);
  const problems: SchemaProblem[] = [];
  if (value !== undefined) accept(schema, value, key, problems);
  const [problem] = problems;
  if (value === undefined || problem !== undefined) {
    const expected = problem?.expected ?? "a value in JSON";
    const hint = schema.kind === "string" ? didYouMean(text, schema.oneOf ?? []) : "";
    throw usageError(`${problem?.member ?? key} must be ${expected}, not '${text}'${hint}`, HELP);
  }
  checkRules(path, value, customIds);
  return value;
}

function readTyped(schema: Schema, text: string): Json | undefined {
  if (schema.kind === "string") return text;
  const isTextList = schema.kind === "list" && schema.of.kind === "string";
  if (isTextList && !text.trimStart().startsWith("["))
    return text
      .split(",")
      .map(word => word.trim())
      .filter(word => word !== "");
  const read = readJsonc(text);
  if (read.ok) return read.value;
  return schema.kind === "boolean" || schema.kind === "integer" ? text : undefined;
}

function checkRules([section, member, id]: Setting["path"], value: Json, customIds: readonly string[]): void {
  if (section !== "guard" || member !== "rules") return;
  const entries =
    id === undefined ? Object.entries(isJsonObject(value) ? value : {}) : [[id, value] as const];
  for (const [rule, setting] of entries) {
    const problem = ruleSettingProblem(rule, setting as RuleSetting, customIds);
    if (problem !== undefined)
      throw new CommandError(problem.message, {
        kind: problem.code,
        fix: problem.code === "unknown-rule" ? "amplihack guard why" : `amplihack guard why ${rule}`,
      });
  }
}

/** A place in a configuration file that a key such as `guard.rules.git.push` names. */
export interface Setting {
  readonly path: readonly [string, ...string[]];
  readonly schema: Schema;
}

/** The setting or section of this key. Throws for an unknown key and suggests the nearest one. */
export function findSetting(key: string, customIds: readonly string[]): Setting {
  const found = walk(key);
  if (found === undefined)
    throw new CommandError(`there is no setting '${key}'${didYouMean(key, settingKeys())}`, {
      kind: "not-found",
      fix: "amplihack config list --all",
    });
  checkKeyOfMap(found.path, customIds);
  return found;
}

/** The schema accepts any name of a rule or a hook; one that does not exist would never have an effect. */
function checkKeyOfMap([section, member = "", rule]: Setting["path"], customIds: readonly string[]): void {
  if (
    section === "failure" &&
    !["", "default"].includes(member) &&
    resolveSubcommand(member)?.name !== member
  ) {
    const hooks = STOCK_SUBCOMMANDS.map(({ name }) => name);
    throw new CommandError(`there is no hook '${member}'${didYouMean(member, hooks)}`, {
      kind: "not-found",
      fix: `one of default, ${hooks.join(", ")}`,
    });
  }
  if (section !== "guard" || member !== "rules" || rule === undefined) return;
  const problem = ruleSettingProblem(rule, undefined, customIds);
  if (problem !== undefined)
    throw new CommandError(problem.message, { kind: "not-found", fix: "amplihack guard why" });
}

function walk(key: string): Setting | undefined {
  let schema: Schema = CONFIG_SCHEMA;
  const path: string[] = [];
  let words = key.split(".");
  while (words.length > 0) {
    // The keys of a map hold dots themselves: git.push.
    const name: string = schema.kind === "map" ? words.join(".") : (words[0] ?? "");
    words = schema.kind === "map" ? [] : words.slice(1);
    const inner = memberSchema(schema, name);
    if (inner === undefined) return undefined;
    schema = inner;
    path.push(name);
  }
  return { path: path as [string, ...string[]], schema };
}

function memberSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.kind === "record") return ownValue(schema.fields, name);
  if (schema.kind !== "map" || name === "") return undefined;
  return schema.keys === undefined || new RegExp(schema.keys).test(name) ? schema.of : undefined;
}

/** `policy:FROM` is a policy that the file of the machine or the user extends. */
type LayerName = "built-in" | "machine" | "user" | "project" | "environment" | `policy:${string}`;

/** One setting as it counts here, and the layer that made it so. */
interface EffectiveSetting {
  readonly key: string;
  readonly value: Json;
  readonly builtIn: Json;
  readonly layer: LayerName;
  /** the file that holds it or extends the policy; null for what is built in or comes from the environment */
  readonly source: string | null;
}

interface EffectiveConfig {
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
  const places = requireDirectories(system);
  const loaded = loadConfig(system, places, (scope, config, policy) => {
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
  const misplaced = findMisplacedConfig(system, { ...places, cwd: system.files.workingDirectory() });
  const all = { ...loaded, notices: [...loaded.notices, ...misplaced] };
  return { loaded: all, file: snapshots.at(-1)?.file ?? {}, settings };
}

function layerName(scope: LayerScope): "machine" | Exclude<LayerScope, "system"> {
  return scope === "system" ? "machine" : scope;
}

/** The merged settings in the form in which a file holds them. */
function asFile(config: Config, trustedProjects: Json): JsonObject {
  const { programs, floors, rules, managed: _managed, ...guard } = config.guard;
  const names = new Set(config.failure.flatMap(table => Object.keys(table)));
  const failure = Object.fromEntries([...names].map(name => [name, resolveFailurePolicy(config, name)]));
  const file = {
    ...config,
    guard: { ...guard, rules: withLeast(withFloors(rules, floors), config), trustedProjects },
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
    const base = ownValue(rules, id);
    return RULE_SETTINGS.indexOf(floor) > RULE_SETTINGS.indexOf(base ?? "allow");
  });
  return { ...rules, ...Object.fromEntries(raised) };
}

/** What a managed machine says counts where the user says less. */
function withLeast(rules: Config["guard"]["rules"], { guard }: Config): Config["guard"]["rules"] {
  return Object.fromEntries(
    Object.entries(rules).map(([id, setting]) => [id, effectiveRuleSetting(id, setting, guard)]),
  );
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

/** Formats a value for a person: text without quotes, everything else as JSON. */
export function shownValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

interface ChangedSetting {
  readonly value: Json | undefined;
  /** what counts here afterwards, and the layer that made it so */
  readonly effective: Json;
  readonly layer: LayerName | undefined;
  /** the file that holds the user's configuration */
  readonly path: string;
  /** false where it was so before */
  readonly isChanged: boolean;
  /** it would loosen what the machine's configuration sets, and does not count */
  readonly isIgnored: boolean;
}

/**
 * Writes one setting into the user's configuration; `read` answers the value, or undefined to take it out. Tells what
 * else a person has to know: what does not count, and what else is to be done.
 */
export async function changeSetting(
  { system, terminal }: Pick<CommandInvocation, "system" | "terminal">,
  key: string,
  read: (setting: Setting, customIds: readonly string[]) => Json | undefined,
): Promise<ChangedSetting> {
  const places = requireDirectories(system);
  const customIds = effectiveConfig(system).loaded.config.guard.custom.map(({ id }) => id);
  const setting = findSetting(key, customIds);
  const value = read(setting, customIds);
  const edit = settingsEdit(places, [{ path: setting.path, value }]);
  const path = userConfigFile(places.stateHome);
  const { isChanged } = await tellProblems("config", async () =>
    applyEdit(system, edit, { isBackedUp: false, onBefore: change => checkSize(system, change) }),
  );
  const { loaded, file, settings } = effectiveConfig(system);
  for (const notice of loaded.notices) terminal.warn(`Warning: ${notice.message}\n`);
  // The installed programs hold the policy too, for the case that the package itself is gone.
  if (isChanged && setting.path[0] === "failure")
    terminal.note("Note: amplihack install writes it into the installed hook programs as well\n");
  const effective = memberAt(file, ...setting.path) ?? null;
  const [section, member, rule] = setting.path;
  const isRule = section === "guard" && member === "rules" && rule !== undefined;
  return {
    value,
    effective,
    layer: settings.find(one => one.key === key)?.layer,
    path,
    isChanged,
    isIgnored:
      (isRule && loaded.config.managed && isMilder(value, effective)) ||
      loaded.notices.some(
        ({ code, message }) => code === "loosening" && message.startsWith(`${path}: ${key} is ignored`),
      ),
  };
}

function isMilder(one: Json | undefined, other: Json): boolean {
  const [first, second] = [one, other].map(setting => RULE_SETTINGS.indexOf(setting as RuleSetting));
  return first !== undefined && second !== undefined && first >= 0 && first < second;
}

/** With a value that makes the file too large, none of its settings would count any more. */
function checkSize({ text }: System, { path, before = "", after = "" }: FileChange): void {
  const size = text.encode(after).length;
  if (size <= MAX_CONFIG_BYTES || after.length <= before.length) return;
  throw new CommandError(
    `${path} would have ${size} bytes; a file of more than ${MAX_CONFIG_BYTES} is ignored`,
    { kind: "too-large", fix: "set a shorter value" },
  );
}
