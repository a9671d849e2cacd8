// Apart from the schema, which a run without configuration files does not need.

/** What happens to a question in an unattended session. */
export const UNATTENDED = ["ask", "deny"] as const;
export type Unattended = (typeof UNATTENDED)[number];

export const LEVELS = ["relaxed", "standard", "strict"] as const;
export type Level = (typeof LEVELS)[number];
/** Which calls are answered for the person, in rising order: each answers what those before it do. */
export const AUTONOMY = ["off", "understood", "sandbox"] as const;
export type Autonomy = (typeof AUTONOMY)[number];
/** Who hears a person's yes, in rising order: each asks for more than those before it. */
export const CONSENT = ["terminal", "desktop", "service"] as const;
export type Consent = (typeof CONSENT)[number];
/** What a command in the sandbox reaches, in rising order. */
export const NETWORKS = ["off", "hosts", "on"] as const;
export type Network = (typeof NETWORKS)[number];

/** In rising order of strictness. */
export const POLICIES = ["open", "ask", "closed"] as const;
/** `off` is another word for `allow`. In rising order of strictness. */
export const RULE_SETTINGS = ["off", "allow", "ask", "deny"] as const;
export type RuleSetting = (typeof RULE_SETTINGS)[number];

/** What amplihack does for its user, each of which can be left out. */
export const PARTS = ["guard", "history", "memory", "transcripts", "workflow", "mcp"] as const;
export type Part = (typeof PARTS)[number];

/** Presets of parts for `install`. None includes the MCP server, which is chosen separately. */
export const PROFILES = {
  guard: ["guard"],
  standard: ["guard", "history", "memory", "transcripts"],
  full: ["guard", "history", "memory", "transcripts", "workflow"],
  container: ["guard", "history", "memory", "transcripts"],
} as const satisfies Readonly<Record<string, readonly Part[]>>;
export type Profile = keyof typeof PROFILES;
/** Rules that a choice sets besides: the system of an image that is only one project's is built again with the image. */
export const PROFILE_RULES: Readonly<Partial<Record<Profile, Readonly<Record<string, RuleSetting>>>>> = {
  container: {
    "fs.system-write": "allow",
    "sys.account": "allow",
    "sys.cron": "allow",
    "sys.setuid": "allow",
  },
};
