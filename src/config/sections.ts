import { STOCK_HOOKS } from "../protocol/index.ts";
import { AUTONOMY, CONSENT, LEVELS, NETWORKS, PARTS, POLICIES, RULE_SETTINGS, UNATTENDED } from "./levels.ts";
import { OPERATION_RULES } from "./rule-ids.ts";
import type { InferConfig, Schema } from "./schema.ts";

const STRINGS = { kind: "list", of: { kind: "string" } } as const;
const patterns = (note: string) => ({ ...STRINGS, note }) as const;

const ALLOW_ENTRY = {
  kind: "record",
  note: "a command that is permitted although a rule objects; compared after quotes and variables are resolved",
  required: ["command"],
  fields: {
    command: { kind: "string", note: "the whole command" },
    cwd: { kind: "string", note: "absolute directory in which the command must run; any when absent" },
    reason: { kind: "string", note: "why, for those who read the file" },
    expires: {
      kind: "string",
      pattern: "^\\d{4}-\\d{2}-\\d{2}$",
      note: "last day, as YYYY-MM-DD",
    },
  },
} as const satisfies Schema;

/** Also of those that are named on the command line. */
export const TEAM_NAME = {
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$",
  form: "up to 63 letters, digits, dots, dashes and underscores",
} as const;

const CUSTOM_RULE = {
  kind: "record",
  required: ["id", "when", "verdict", "reason"],
  fields: {
    id: {
      kind: "string",
      pattern: "^[a-z0-9][a-z0-9._-]{0,63}$",
      note: "lower case, for instance acme.deploy",
    },
    when: {
      kind: "record",
      note: "every member given must hold",
      required: ["command"],
      fields: {
        command: { kind: "string", note: "base name of the program" },
        args: patterns("operands in this order, starting with the first"),
        flags: patterns("options that must all be there, as --long or -s"),
        operand: { kind: "string", note: "pattern for one operand: literals, . [..] * + ? ^ $ and |" },
        path: {
          kind: "string",
          oneOf: ["root", "home", "project", "outside", "temp", "regenerable", "secret"],
          note: "class of path that one operand must name",
        },
      },
    },
    verdict: { kind: "string", oneOf: ["ask", "deny"], note: "what the guard says then" },
    reason: { kind: "string", note: "what the agent and the person are told" },
    safer: { kind: "string", note: "what to do instead" },
  },
} as const satisfies Schema;

const GUARD = {
  kind: "record",
  note: "which commands are asked about and refused",
  fields: {
    level: { kind: "string", oneOf: LEVELS, note: "how strict rules are that are not set one by one" },
    unattended: {
      kind: "string",
      oneOf: UNATTENDED,
      note: "deny refuses what would be asked about; AMPLIHACK_NONINTERACTIVE=1 does the same",
    },
    rules: {
      kind: "map",
      note: "verdict per rule id; an id may end in .*",
      of: { kind: "string", oneOf: RULE_SETTINGS },
    },
    protectedBranches: patterns("branch names; * matches within a name"),
    paths: {
      kind: "record",
      note: "files and folders, by pattern",
      fields: {
        deny: patterns("never written or deleted"),
        noRead: patterns("content is not shown"),
        noDelete: patterns("never deleted or moved away"),
        regenerable: patterns("may be deleted freely"),
        temp: patterns("absolute directories that count as temporary"),
        secrets: patterns("more protected files; a leading ! takes a built-in name out"),
      },
    },
    allow: { kind: "list", of: ALLOW_ENTRY },
    custom: { kind: "list", note: "rules of your own", of: CUSTOM_RULE },
    prodNames: patterns("words in a context, profile, namespace, project or host name that mean production"),
    audit: {
      kind: "record",
      note: "the log of what was asked about and refused",
      fields: {
        file: { kind: "string", note: "another place for the audit log; system and user layers only" },
        allowed: { kind: "boolean", note: "also write a line for every command that was allowed" },
        maxMb: { kind: "integer", min: 1, max: 1024, note: "size at which a new audit file begins" },
      },
    },
    trustHooks: patterns("names of hooks of your own whose allow also answers a question of the guard"),
    trustedProjects: {
      kind: "list",
      note: "project files that may also loosen; written by guard init --trust, user layer only",
      of: {
        kind: "record",
        required: ["path", "sha256"],
        fields: {
          path: { kind: "string", note: "absolute path of the file" },
          sha256: { kind: "string", pattern: "^[0-9a-f]{64}$", note: "of its content" },
        },
      },
    },
  },
} as const satisfies Schema;

const where = (verb: string) =>
  ({
    kind: "string",
    note: `${verb}: operands, first, rest (after the first), last, or names of options with a value`,
  }) as const;

const OWN_PROGRAM = {
  kind: "record",
  note: "what a program of your own does, so that the guard understands it; user and system layers only",
  required: ["names"],
  fields: {
    names: { kind: "string", note: "every name it is started by, with blanks between" },
    options: {
      kind: "record",
      note: "names without dashes; -abc are three letters, r|recursive two spellings of one option",
      fields: {
        flags: { kind: "string", note: "options without a value" },
        values: { kind: "string", note: "options with a value" },
        optional: { kind: "string", note: "options whose value can only be glued" },
      },
    },
    reads: {
      kind: "string",
      oneOf: ["operands", "nothing"],
      note: "whether operands are files whose content it shows; operands when absent",
    },
    effects: {
      kind: "list",
      of: {
        kind: "record",
        fields: {
          delete: where("what it deletes"),
          read: where("what it reads"),
          write: where("what it writes"),
          how: {
            kind: "string",
            oneOf: ["replace", "append", "edit", "create", "make", "extract"],
            note: "of a write; replace when absent",
          },
          when: { kind: "string", note: "options of which one must be there" },
          unless: { kind: "string", note: "options that make it not happen" },
          recursive: { kind: "string", note: "options that reach everything below, or always" },
        },
      },
    },
    operations: {
      kind: "list",
      of: {
        kind: "record",
        required: ["command", "rule", "what"],
        fields: {
          command: { kind: "string", note: "operands in order: deploy --, env rm|destroy *" },
          rule: { kind: "string", oneOf: OPERATION_RULES, note: "the rule that applies" },
          what: { kind: "string", note: "in words that follow 'would': delete the environment" },
          needs: { kind: "string", note: "options of which one must be there" },
          unless: { kind: "string", note: "options that make it harmless" },
          safer: { kind: "string", note: "a command that looks first" },
        },
      },
    },
  },
} as const satisfies Schema;

const HISTORY = {
  kind: "record",
  note: "what is kept of the files that agents change; a project may add to precious, and to exclude when it is trusted",
  fields: {
    enabled: { kind: "boolean", note: "keep what agents change, so that it can be undone" },
    budgetMs: {
      kind: "integer",
      min: 0,
      max: 60_000,
      note: "how long a tool call waits; ten times as long at most on a busy machine",
    },
    maxFileMb: { kind: "integer", min: 0, max: 100_000, note: "a larger file is not kept" },
    maxCallMb: { kind: "integer", min: 0, max: 1_000_000, note: "kept for one tool call" },
    maxCallFiles: { kind: "integer", min: 0, max: 1_000_000, note: "files kept for one tool call" },
    maxTotalMb: { kind: "integer", min: 1, max: 10_000_000, note: "the oldest changes go beyond this" },
    maxAgeDays: { kind: "integer", min: 1, max: 3650, note: "older changes go" },
    precious: patterns("ignored files that are kept anyway, besides .env*, *.local, *.sqlite and *.db"),
    exclude: patterns("files that are never kept"),
  },
} as const satisfies Schema;

const SANDBOX = {
  kind: "record",
  note: "what a command in the sandbox may do beside what every command there may; a project's file may only lower network",
  fields: {
    network: { kind: "string", oneOf: NETWORKS, note: "none at all, only allowed hosts, or all of it" },
    hosts: patterns("hosts that may be reached, beside the registries of package managers"),
    ports: {
      kind: "list",
      of: { kind: "integer", min: 1, max: 65_535 },
      note: "ports of this machine that may be reached with network hosts: a database, a server of yours",
    },
    read: patterns("paths that are shown although they would be hidden"),
    write: patterns("folders that may be changed, beside the project"),
    env: patterns("variables that are handed on although they look like secrets"),
  },
} as const satisfies Schema;

const limit = (of: string) =>
  ({
    kind: "string",
    pattern: "^(\\$\\d+(\\.\\d+)?|\\d+(\\.\\d+)?[kM]? tokens)$",
    note: `what ${of} may use: $5, or 2M tokens`,
  }) as const;

const BUDGET = {
  kind: "record",
  note: "what agents may use before you are asked; user and system layers only",
  fields: {
    session: limit("one session, with its agents,"),
    day: limit("all sessions of a day"),
    project: limit("all sessions of a day in one project"),
  },
} as const satisfies Schema;

const dollars = (what: string) =>
  ({ kind: "number", min: 0, max: 100_000, note: `${what}, US dollars for a million tokens` }) as const;

const PRICES = {
  kind: "map",
  note: "prices of models, by name, before the built-in ones; user and system layers only",
  of: {
    kind: "record",
    required: ["input", "output"],
    fields: {
      input: dollars("what the model reads"),
      output: dollars("what it writes"),
      cacheRead: dollars("what it reads from its cache; as input when absent"),
      cacheWrite: dollars("what it writes to its cache; as input when absent"),
    },
  },
} as const satisfies Schema;

/** Everything a configuration file may hold. */
export const CONFIG_SCHEMA = {
  kind: "record",
  fields: {
    extends: patterns(
      "policies below this file: a file, npm package or https address, pinned with #sha256-… or #ed25519-…, or server for that of the team's server; user and system layers only",
    ),
    managed: {
      kind: "boolean",
      note: "what this file and its policies set cannot be loosened by anybody; system layer only",
    },
    guard: GUARD,
    autonomy: {
      kind: "string",
      oneOf: AUTONOMY,
      note: "which questions of a host are answered for you; a project's file may only lower it, strict switches it off",
    },
    consent: {
      kind: "string",
      oneOf: CONSENT,
      note: "how you confirm: at a terminal, also in the system's password prompt (desktop), or through a root service; a file may only raise what the machine's file says; user and system layers only",
    },
    parts: {
      kind: "list",
      note: "what amplihack does here; all of it when absent; user and system layers only",
      of: { kind: "string", oneOf: PARTS },
      isWhole: true,
    },
    failure: {
      kind: "map",
      note: "what happens when a hook could not run: default, or one subcommand",
      keys: "^(default|[a-z][a-z-]*)$",
      names: ["default", ...STOCK_HOOKS.map(({ name }) => name)],
      of: { kind: "string", oneOf: POLICIES },
    },
    history: HISTORY,
    sandbox: SANDBOX,
    budget: BUDGET,
    prices: PRICES,
    programs: { kind: "list", of: OWN_PROGRAM },
    hooks: {
      kind: "record",
      note: "hooks of your own; user and system layers only",
      fields: {
        packages: patterns("npm packages, installed in ~/.amplihack/hooks, whose hooks run too"),
      },
    },
    bridge: {
      kind: "record",
      note: "a program that stores memories for the hooks instead of amplihack memory",
      fields: {
        command: { ...STRINGS, atLeast: 1, note: "program and arguments that answer bridge requests" },
      },
    },
    reflect: {
      kind: "record",
      note: "what is learnt at the end of a session",
      fields: { agent: { kind: "string", note: "agent that reflections may ask" } },
    },
    memory: {
      kind: "record",
      note: "limits of what is put into a prompt, and the database of a team; user and system layers only",
      fields: {
        learn: { kind: "boolean", note: "store what a session learnt, such as what fixed a failed command" },
        maxItems: {
          kind: "integer",
          min: 0,
          max: 100,
          note: "memories at a time, and per mentioned agent; 0 puts none in",
        },
        maxCharacters: {
          kind: "integer",
          min: 0,
          max: 2_000,
          note: "of each memory",
        },
        maxAgeDays: {
          kind: "integer",
          min: 1,
          max: 3650,
          note: "since the last change; at the start of a session 30 at most",
        },
        url: {
          kind: "string",
          pattern: "^(postgres(ql)?|https?)://",
          note: "what a team shares memories by: a PostgreSQL database (passwords belong in ~/.pgpass or PGPASSWORD), or the server that this machine joined",
        },
        team: {
          kind: "string",
          pattern: TEAM_NAME.pattern,
          note: `the team whose memories are shared there: ${TEAM_NAME.form}`,
        },
      },
    },
    team: {
      kind: "record",
      note: "questions of sessions that have nobody to ask go to the server that this machine joined; user and system layers only",
      fields: {
        waitMs: {
          kind: "integer",
          min: 0,
          max: 600_000,
          note: "how long a call waits for an answer, at most as long as its host waits; 0 asks nobody",
        },
        key: {
          kind: "string",
          pattern: "^[A-Za-z0-9+/]{43}=$",
          note: "Ed25519 key that the server signs answers and policies with; else the one it told at amplihack join",
        },
      },
    },
    update: {
      kind: "record",
      note: "newer versions of amplihack",
      fields: {
        source: {
          kind: "string",
          pattern: "^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:|/|$))",
          note: "where releases are; https, or http on this machine",
        },
        check: { kind: "boolean", note: "look for a newer version when an agent is launched" },
        publicKey: { kind: "string", note: "Ed25519 key that signs releases, as PEM or base64" },
      },
    },
  },
} as const satisfies Schema;

/** One file as written: every member optional. */
export type ConfigFile = InferConfig<typeof CONFIG_SCHEMA>;
export type GuardSection = InferConfig<typeof GUARD>;
export type HistorySection = InferConfig<typeof HISTORY>;
export type SandboxSection = InferConfig<typeof SANDBOX>;
export type BudgetSettings = InferConfig<typeof BUDGET>;
export type PriceSettings = InferConfig<typeof PRICES>;
export type AllowEntry = InferConfig<typeof ALLOW_ENTRY>;
export type CustomRule = InferConfig<typeof CUSTOM_RULE>;
export type OwnProgram = InferConfig<typeof OWN_PROGRAM>;
