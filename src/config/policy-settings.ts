import { acceptConfig } from "./accept.ts";
import { readJsonc } from "./jsonc.ts";
import { override } from "./merge.ts";
import { acceptPolicy } from "./policies.ts";
import type { SchemaProblem } from "./schema.ts";
import { BUILT_IN, type GuardSettings } from "./settings.ts";

/** What a policy alone makes of the built-in settings, and everything of it that would not count on a machine. */
export function readPolicySettings(text: string): {
  readonly settings: GuardSettings | undefined;
  readonly problems: readonly string[];
} {
  const read = readJsonc(text);
  if (!read.ok) return { settings: undefined, problems: [`not valid JSON with comments (${read.problem})`] };
  const wrong: SchemaProblem[] = [];
  const file = acceptConfig(read.value, wrong);
  const problems = wrong.map(({ member, expected }) => `${member || "the text"}: expected ${expected}`);
  if (file === undefined) return { settings: undefined, problems };
  const policy = acceptPolicy(file, member => problems.push(`a policy may not hold ${member}`));
  return { settings: override(BUILT_IN, policy).guard, problems };
}
