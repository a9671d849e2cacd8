import { CommandError } from "../../cli/index.ts";
import { CONFIG_SCHEMA, type Schema, settingKeys } from "../../config/index.ts";
import { ruleSettingProblem } from "../../guard/index.ts";
import { resolveSubcommand, STOCK_SUBCOMMANDS } from "../../hosts/index.ts";
import { didYouMean } from "../../text/index.ts";

/** A place in a configuration file that a key such as `guard.rules.git.push` names. */
export interface Setting {
  readonly path: readonly [string, ...string[]];
  readonly schema: Schema;
}

/** The setting or section of this key. Throws, with the nearest key, where there is none. */
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
  if (schema.kind === "record") return Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (schema.kind !== "map" || name === "") return undefined;
  return schema.keys === undefined || new RegExp(schema.keys).test(name) ? schema.of : undefined;
}
