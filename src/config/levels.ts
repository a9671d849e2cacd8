// Apart from the schema, which a run without configuration files does not need.

export const LEVELS = ["relaxed", "standard", "strict"] as const;
export type Level = (typeof LEVELS)[number];
/** In rising order of strictness. */
export const POLICIES = ["open", "ask", "closed"] as const;
/** `off` is another word for `allow`. In rising order of strictness. */
export const RULE_SETTINGS = ["off", "allow", "ask", "deny"] as const;
export type RuleSetting = (typeof RULE_SETTINGS)[number];
