import { CommandError, usageError } from "../../cli/index.ts";
import {
  accept,
  type RuleSetting,
  readJsonc,
  type Schema,
  type SchemaProblem,
  settingKeys,
} from "../../config/index.ts";
import { ruleSettingProblem } from "../../guard/index.ts";
import { readDatabaseUrl } from "../../postgres/index.ts";
import { isJsonObject, type Json } from "../../protocol/index.ts";
import { didYouMean } from "../../text/index.ts";
import type { Setting } from "./setting.ts";

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
  if (key === "memory.url") readDatabaseUrl(text, "configuration");
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
