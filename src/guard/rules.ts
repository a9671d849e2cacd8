import { CLOUD } from "./packs/cloud.ts";
import { DATABASES } from "./packs/databases.ts";
import { EXECUTION } from "./packs/execution.ts";
import { FILESYSTEM } from "./packs/filesystem.ts";
import { GIT_BRANCHES } from "./packs/git-branches.ts";
import { GIT_SETTINGS } from "./packs/git-settings.ts";
import { GIT_WORK } from "./packs/git-work.ts";
import { INJECTION } from "./packs/injection.ts";
import { PACKAGES } from "./packs/packages.ts";
import { PUBLISH } from "./packs/publish.ts";
import { SECRETS } from "./packs/secrets.ts";
import { SELF_PROTECTION } from "./packs/self-protection.ts";
import { SYSTEM } from "./packs/system.ts";
import { TEXT } from "./packs/text.ts";
import { UNEXAMINED } from "./packs/unexamined.ts";
import type { RuleTable, RuleText } from "./rule.ts";

const TABLES = {
  filesystem: FILESYSTEM,
  git: GIT_WORK,
  "branch-and-hook-bypass": GIT_BRANCHES,
  "git-settings": GIT_SETTINGS,
  secrets: SECRETS,
  "execution-network": EXECUTION,
  databases: DATABASES,
  "cloud-containers": CLOUD,
  system: SYSTEM,
  "self-protection": SELF_PROTECTION,
  publish: PUBLISH,
  packages: PACKAGES,
  text: TEXT,
  injection: INJECTION,
  unexamined: UNEXAMINED,
};

type KeyOfEach<Table> = Table extends unknown ? keyof Table : never;

/** The id of a built-in rule. */
export type RuleId = KeyOfEach<(typeof TABLES)[keyof typeof TABLES]>;
type FamilyOf<Id> = Id extends `${infer Family}.${string}` ? Family : never;

/** The id of a rule of the configuration. */
export type CustomRuleId = string & { readonly isCustom: true };

export interface Rule extends RuleText {
  readonly id: RuleId | CustomRuleId;
}

/** Rules that belong together. */
export interface Pack {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** Every rule there is, by pack. Documentation, `guard why` and reasons all come from here. */
export const PACKS: readonly Pack[] = Object.entries(TABLES).map(([name, table]) => ({
  name,
  get rules() {
    return Object.entries(table satisfies RuleTable).map(([id, text]) => ({ id: id as RuleId, ...text }));
  },
}));

export const RULE_IDS: readonly RuleId[] = Object.values(TABLES).flatMap(
  table => Object.keys(table) as RuleId[],
);

/** `git.push` and `git.main` are of the family `git`. */
export function isOfFamily(id: Rule["id"], ...families: readonly FamilyOf<RuleId>[]): boolean {
  return families.some(family => id.startsWith(`${family}.`));
}

export function findRule(id: RuleId): Rule;
export function findRule(id: string): Rule | undefined;
export function findRule(id: string): Rule | undefined {
  const known = rules.get(id);
  if (known !== undefined) return known;
  const rule = lookUpRule(id);
  if (rule !== undefined) rules.set(id, rule);
  return rule;
}

/** Those that were asked for. */
const rules = new Map<string, Rule>();

function lookUpRule(id: string): Rule | undefined {
  const table = Object.values<RuleTable>(TABLES).find(each => Object.hasOwn(each, id));
  return table?.[id] === undefined ? undefined : { id: id as RuleId, ...table[id] };
}
