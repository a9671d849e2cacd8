import { type FailurePolicy, ownValue } from "../protocol/index.ts";
import {
  type Autonomy,
  type Consent,
  type Level,
  type Network,
  type Part,
  POLICIES,
  PROFILES,
  type RuleSetting,
  type Unattended,
} from "./levels.ts";
import type { AllowEntry, BudgetSettings, CustomRule, OwnProgram, PriceSettings } from "./sections.ts";

type PathList = "deny" | "noRead" | "noDelete" | "regenerable" | "temp" | "secrets";

/** What a managed machine says of rules. */
export interface ManagedGuard {
  /** undefined when the machine leaves it to the user */
  readonly level: Level | undefined;
  readonly rules: Readonly<Record<string, RuleSetting>>;
  /** policies that the machine's file names and that are missing, so their settings are unknown */
  readonly missing: readonly MissingPolicy[];
  /** without them calls are refused and not asked about: the failure policy says so */
  readonly isClosed: boolean;
}

/** An entry of `extends`, and why it does not count. */
export interface MissingPolicy {
  readonly entry: string;
  readonly problem: string;
}

/** The guard's settings after all layers. */
export interface GuardSettings {
  readonly level: Level;
  /** `deny`: no person answers questions, so each becomes a refusal */
  readonly unattended: Unattended;
  /** by the machine and the user: the last word on a rule, up or down */
  readonly rules: Readonly<Record<string, RuleSetting>>;
  /** by a project that is not trusted: may only raise what `rules` gives */
  readonly floors: Readonly<Record<string, RuleSetting>>;
  /** by a machine whose file is managed: nothing gives less than this */
  readonly managed: ManagedGuard | undefined;
  readonly protectedBranches: readonly string[];
  readonly prodNames: readonly string[];
  readonly paths: Readonly<Record<PathList, readonly string[]>>;
  readonly allow: readonly AllowEntry[];
  readonly custom: readonly CustomRule[];
  /** records of programs, from the section `programs` */
  readonly programs: readonly OwnProgram[];
  /** hooks of the user's whose allow also answers a question of the guard */
  readonly trustHooks: readonly string[];
  readonly audit: { readonly file: string | undefined; readonly allowed: boolean; readonly maxMb: number };
}

/** What is kept of the files that agents change, and for how long. */
export interface HistorySettings {
  readonly enabled: boolean;
  /** how long a call waits at most while files are kept */
  readonly budgetMs: number;
  readonly maxFileMb: number;
  readonly maxCallMb: number;
  readonly maxCallFiles: number;
  readonly maxTotalMb: number;
  readonly maxAgeDays: number;
  /** ignored files that are kept anyway, besides the built-in ones */
  readonly precious: readonly string[];
  /** files that are never kept */
  readonly exclude: readonly string[];
}

/** What a command in the sandbox may do beside what every command there may. */
export interface SandboxSettings {
  /** `hosts`: only those listed and the registries of package managers, through a proxy */
  readonly network: Network;
  /** `api.example.com`, `*.example.com`, `example.com:8443` */
  readonly hosts: readonly string[];
  /** of this machine, with network `hosts` */
  readonly ports: readonly number[];
  /** shown although they would be hidden */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** variables that are handed on although they look like secrets */
  readonly env: readonly string[];
}

/** Tables of one or more layers; the strictest answer counts. */
type FailureSettings = readonly Readonly<Record<string, FailurePolicy>>[];

export interface Config {
  /** policies that are laid below the files of the machine and the user */
  readonly extends: readonly string[];
  /** what the machine's file sets cannot be loosened */
  readonly managed: boolean;
  readonly guard: GuardSettings;
  /** as the layers have it; `effectiveAutonomy` says what counts */
  readonly autonomy: Autonomy;
  readonly consent: Consent;
  readonly sandbox: SandboxSettings;
  /** what is switched on */
  readonly parts: readonly Part[];
  readonly failure: FailureSettings;
  readonly hooks: { readonly packages: readonly string[] };
  readonly history: HistorySettings;
  /** what agents may use before a person is asked */
  readonly budget: BudgetSettings;
  readonly prices: PriceSettings;
  readonly bridge: { readonly command: readonly string[] | undefined };
  readonly reflect: { readonly agent: string | undefined };
  readonly memory: {
    /** notes of what a session learnt are stored */
    readonly learn: boolean;
    readonly maxItems: number;
    readonly maxCharacters: number;
    readonly maxAgeDays: number;
    /** the database of a team, of which the local one is then a copy */
    readonly url: string | undefined;
    /** whose memories are shared there */
    readonly team: string;
  };
  /** who is asked when a session is unattended */
  readonly team: {
    /** how long a call waits at most for an answer of the team's server; 0 never asks */
    readonly waitMs: number;
    /** what the server signs with; the key that it told when the machine joined when absent */
    readonly key: string | undefined;
  };
  readonly update: {
    readonly source: string | undefined;
    readonly check: boolean;
    readonly publicKey: string | undefined;
  };
}

/** What agents change is kept. */
export function isHistoryOn({ parts, history }: Pick<Config, "parts" | "history">): boolean {
  return history.enabled && parts.includes("history");
}

/** The autonomy that counts, and why it is not the one that is set. */
export function effectiveAutonomy({ autonomy, guard, parts }: Pick<Config, "autonomy" | "guard" | "parts">): {
  readonly level: Autonomy;
  readonly why: string | undefined;
} {
  const off = (why: string) => ({ level: "off", why }) as const;
  if (autonomy === "off") return { level: autonomy, why: undefined };
  if (guard.level === "strict") return off("guard.level is strict");
  return parts.includes("guard") ? { level: autonomy, why: undefined } : off("the part guard is off");
}

export const BUILT_IN: Config = {
  extends: [],
  managed: false,
  guard: {
    level: "standard",
    unattended: "ask",
    rules: {},
    floors: {},
    managed: undefined,
    protectedBranches: ["main", "master", "release/*"],
    prodNames: ["prod", "production", "live", "mainnet"],
    paths: { deny: [], noRead: [], noDelete: [], regenerable: [], temp: [], secrets: [] },
    allow: [],
    custom: [],
    programs: [],
    trustHooks: [],
    audit: { file: undefined, allowed: false, maxMb: 8 },
  },
  autonomy: "off",
  consent: "terminal",
  sandbox: { network: "hosts", hosts: [], ports: [], read: [], write: [], env: [] },
  parts: PROFILES.full,
  failure: [],
  hooks: { packages: [] },
  history: {
    enabled: true,
    budgetMs: 150,
    maxFileMb: 50,
    maxCallMb: 500,
    maxCallFiles: 20_000,
    maxTotalMb: 2_048,
    maxAgeDays: 14,
    precious: [],
    exclude: [],
  },
  budget: {},
  prices: {},
  bridge: { command: undefined },
  reflect: { agent: undefined },
  memory: { learn: true, maxItems: 5, maxCharacters: 500, maxAgeDays: 365, url: undefined, team: "everyone" },
  team: { waitMs: 0, key: undefined },
  update: { source: undefined, check: true, publicKey: undefined },
};

/** What one subcommand does when it could not run. */
export function resolveFailurePolicy(config: Pick<Config, "failure">, subcommand: string): FailurePolicy {
  let strictest: FailurePolicy = "open";
  for (const table of config.failure) {
    const policy = ownValue(table, subcommand) ?? ownValue(table, "default") ?? "open";
    if (POLICIES.indexOf(policy) > POLICIES.indexOf(strictest)) strictest = policy;
  }
  return strictest;
}
