import { RULE_SETTINGS } from "../config/index.ts";
import type { JsonObject } from "../protocol/index.ts";
import { isStricterThan } from "./rule.ts";
import { findRule, RULE_IDS } from "./rules.ts";

/** What each rule may be set to, as JSON Schema: a rule that no configuration can loosen takes nothing milder. */
export function ruleSchemas(): JsonObject {
  return Object.fromEntries(
    RULE_IDS.map(id => {
      const { title, verdict, isAllowable } = findRule(id);
      const isFixed = isAllowable === false;
      const settings = RULE_SETTINGS.filter(
        setting => !isFixed || !isStricterThan(verdict, setting === "off" ? "allow" : setting),
      );
      const description = isFixed ? `${title}; cannot be loosened` : title;
      return [id, { type: "string", description, enum: settings }];
    }),
  );
}
