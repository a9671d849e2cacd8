import { cloud } from "./packs/cloud.ts";
import { databases } from "./packs/databases.ts";
import { execution } from "./packs/execution.ts";
import { filesystem } from "./packs/filesystem.ts";
import { gitBranches } from "./packs/git-branches.ts";
import { gitSettings } from "./packs/git-settings.ts";
import { gitWork } from "./packs/git-work.ts";
import { publish } from "./packs/publish.ts";
import { secrets } from "./packs/secrets.ts";
import { selfProtection } from "./packs/self-protection.ts";
import { system } from "./packs/system.ts";
import { text } from "./packs/text.ts";
import { unexamined } from "./packs/unexamined.ts";
import type { Rule } from "./rule.ts";
import type { Pack } from "./rule-context.ts";

/** Every rule there is, by pack. Documentation, `guard why` and reasons all come from here. */
export const PACKS: readonly Pack[] = [
  filesystem,
  gitWork,
  gitBranches,
  gitSettings,
  secrets,
  execution,
  databases,
  cloud,
  system,
  selfProtection,
  publish,
  text,
  unexamined,
];

let byId: ReadonlyMap<string, Rule> | undefined;

export function findRule(id: string): Rule | undefined {
  byId ??= new Map(PACKS.flatMap(pack => pack.rules.map(rule => [rule.id, rule] as const)));
  return byId.get(id);
}
