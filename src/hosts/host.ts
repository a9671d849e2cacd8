import type { FailurePolicy, Json, JsonObject, Normalised, Outcome, VerdictKind } from "../protocol/index.ts";

/** The keys of the event map; also file names here and values of `host` in every output. */
export const HOST_IDS = [
  "claude-code",
  "copilot-cli",
  "vscode-copilot",
  "gemini-cli",
  "antigravity",
  "codex",
  "cursor",
  "windsurf",
  "devin",
  "cline",
  "kiro",
  "qwen-code",
  "factory-droid",
  "augment",
  "goose",
  "atomcode",
  "amplifier-shell",
  "amplifier",
  "opencode",
  "pi",
  "amp",
  "apr-code",
] as const;
export type HostId = (typeof HOST_IDS)[number];

/** `amplifier` means its shell bridge: the only part of Amplifier that starts programs. */
const SHORT_NAMES: Readonly<Record<string, HostId>> = {
  claude: "claude-code",
  copilot: "copilot-cli",
  vscode: "vscode-copilot",
  gemini: "gemini-cli",
  qwen: "qwen-code",
  factory: "factory-droid",
  droid: "factory-droid",
  amplifier: "amplifier-shell",
};

/** The host a person or an installed command line means; undefined for an unknown name. */
export function resolveHost(name: string): HostId | undefined {
  const wanted = name.trim().toLowerCase();
  if (Object.hasOwn(SHORT_NAMES, wanted)) return SHORT_NAMES[wanted];
  return HOST_IDS.find(id => id === wanted);
}

/** All that recognition and reading need of the environment. */
export interface EnvironmentReader {
  get(name: string): string | undefined;
}

export type NormaliseErrorCode =
  | "empty-stdin"
  | "invalid-json"
  | "not-an-object"
  | "unknown-event"
  | "unmapped-event"
  | "missing-tool-name";

/**
 * `unmapped-event` is no fault of the host: the event has no counterpart here and passes through. What was
 * understood before the problem is kept, so that the failure can be answered in the host's own words.
 */
export type NormaliseResult =
  | { readonly ok: true; readonly value: Normalised & { readonly host: HostId } }
  | {
      readonly ok: false;
      readonly code: NormaliseErrorCode;
      readonly message: string;
      readonly host: HostId;
      readonly event?: string;
      readonly nativeEvent?: string;
      readonly raw?: JsonObject;
    };

/** Exactly what a host gets. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** what the host has no words for, or does not honour on this event */
  readonly unsupported?: readonly string[];
  /** what was said in other words because the host lacks the ability, for instance `ask → deny` */
  readonly degraded?: readonly string[];
}

/**
 * What the renderers of every host receive. Members of `outcome.extras` that they know:
 * - `claude`: top-level members of our own form (`metadata`, `status`, `decision: "approve"` …). They go out in
 *   the Claude form alone, never replace a rendered member, and cannot carry a decision other than `approve`.
 * - `allowOnce`: the code of `amplihack guard allow-once`, told to hosts where an ask becomes a deny.
 * - Claude Code's own event members by their names (`sessionTitle`, `watchPaths`, `retry`, `updatedPermissions`,
 *   `worktreePath` …): see `extras` in the speech of that event.
 */
export interface AnswerRequest {
  readonly event: string;
  readonly nativeEvent: string;
  readonly outcome: Outcome;
  /** the payload answered, for hosts whose answer depends on part of it */
  readonly payload: JsonObject;
  /** nobody can answer a question; only Antigravity's "no opinion" depends on it */
  readonly isHeadless?: boolean;
}

/** "Policy could not run": rendered by the failure policy, on veto events only. */
export interface FailureRequest {
  readonly event: string;
  readonly nativeEvent: string;
  readonly policy: FailurePolicy;
  /** says what could not be checked, never payload text */
  readonly reason: string;
  /** absent when stdin was unreadable */
  readonly payload?: JsonObject;
  readonly isHeadless?: boolean;
}

/** The moment an answer is for. */
export interface Occasion {
  readonly event: string;
  /** the event as this host's answers spell it */
  readonly spoken: string;
  readonly nativeEvent: string;
  readonly payload: JsonObject;
  readonly extras: JsonObject;
  readonly isHeadless: boolean;
}

/**
 * The words of one host on one event. Each returns members that are merged into the answer; a missing word is a
 * missing ability, which `render` replaces by the nearest stricter one or reports.
 */
export interface Speech {
  readonly deny?: (reason: string, on: Occasion) => JsonObject;
  readonly ask?: (reason: string | undefined, on: Occasion) => JsonObject;
  readonly defer?: (reason: string | undefined, on: Occasion) => JsonObject;
  /** present only where a permission question can be skipped */
  readonly allow?: (reason: string | undefined, on: Occasion) => JsonObject;
  readonly input?: (value: JsonObject, on: Occasion, verdict: VerdictKind) => JsonObject;
  readonly output?: (value: Json, on: Occasion) => JsonObject;
  readonly context?: (text: string, on: Occasion) => JsonObject;
  readonly message?: (text: string, on: Occasion) => JsonObject;
  readonly halt?: (reason: string, on: Occasion) => JsonObject;
  readonly suppress?: () => JsonObject;
  /** a rewrite is possible only together with an explicit allow */
  readonly inputNeedsAllow?: true;
  /** the host lays a rewrite over the old input, so members that a rewrite removed would stay */
  readonly inputIsMerged?: true;
  /** a deny replaces the tool's result, so a rewritten result can be said as a deny */
  readonly denyReplacesResult?: true;
  /** deny is the exit code, here and in failure */
  readonly denyExitCode?: 2;
  /** words that are said although this host is not known to honour them */
  readonly unproven?: readonly ("deny" | "allow" | "context" | "output")[];
  /** exit code 2 does not stop the action on this event */
  readonly ignoresExitCode?: true;
  /** how an effect is weaker or coarser than the word suggests */
  readonly caveats?: { readonly deny?: string; readonly input?: string };
  /** members of `outcome.extras` that go into `hookSpecificOutput` */
  readonly extras?: readonly string[];
  /** the member of `outcome.extras` that is the whole of stdout, as text */
  readonly plainExtra?: string;
}

/** Where a host keeps things that others keep under the common names. Paths are dotted; numbers index arrays. */
export interface Reading {
  readonly event?: readonly string[];
  /** the event of a payload that names none, where its members say more than the command line does */
  readonly unnamedEvent?: (payload: JsonObject, hinted: string) => string;
  readonly toolName?: readonly string[];
  readonly toolInput?: readonly string[];
  readonly sessionId?: readonly string[];
  /** specialised events: a path to the whole tool input, or its members and where they come from */
  readonly assembledInput?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** canonical name of a tool that a table cannot give, such as an MCP tool */
  readonly canonicalTool?: (toolName: string, payload: JsonObject) => string | undefined;
  /** payload members under the names of the input contract */
  readonly aliases?: (payload: JsonObject, nativeEvent: string) => JsonObject;
  /** paths beyond the common names, for tools that read, write or edit files */
  readonly paths?: (toolInput: JsonObject) => readonly string[];
  /** environment variables that stand in for payload members */
  readonly environment?: {
    readonly payload?: string;
    readonly cwd?: string;
    readonly sessionId?: string;
  };
}

/** How our hooks are written into a host's configuration. */
export interface Registration {
  /** events to register on, by canonical name; several where the host has specialised forms */
  readonly events: Readonly<Record<string, readonly string[]>>;
  /** events that are left alone although the host has them, and why */
  readonly avoided?: Readonly<Record<string, string>>;
  /** what selects every tool; absent where entries without a matcher do */
  readonly matcher?: string;
  readonly timeout?: {
    readonly key: string;
    readonly unit: "s" | "ms";
    /** longest limit the host accepts, in seconds, by native event */
    readonly ceilings?: Readonly<Record<string, number>>;
  };
  readonly layout: Layout;
  readonly files: readonly ConfigurationFile[];
  /** the environment variable by which users move the host's folder, and the part of the path it stands for */
  readonly relocation?: { readonly variable: string; readonly folder: string };
}

/**
 * Shape of the file. `groups`: event → groups → handlers. `flat`: event → handlers. `mixed`: groups on tool
 * events, handlers elsewhere. `executables`: one program per event, named after it. `module`: a generated program
 * text. `toml`: `[[hooks]]` tables in a file of our own.
 */
export interface Layout {
  readonly kind: "groups" | "flat" | "mixed" | "executables" | "module" | "toml";
  /** path of members from the top of the file to the event map */
  readonly root: readonly string[];
  /** member that holds the command line */
  readonly commandKey: "command" | "bash";
  /** the subcommand goes into a list of arguments instead of the command line */
  readonly argumentsKey?: "args";
  readonly hasType: boolean;
  /** members that a file of this kind must have */
  readonly header?: JsonObject;
  /** how a handler says that failing means refusing */
  readonly closedMember?: JsonObject;
  /** the host passes over the whole file, hooks included, when it has a comment or a trailing comma in it */
  readonly isPlainJson?: true;
}

export interface ConfigurationFile {
  readonly scope: "user" | "project";
  /** below the home directory for `user`, below the project for `project` */
  readonly path: string;
  /** read by several hosts: entries hold the subcommand and nothing that names a host */
  readonly isShared: boolean;
}

/** Everything this program knows about one host. */
export interface HostDescriptor {
  readonly id: HostId;
  /** native event → canonical event; `Event:Tool` for a form specialised on one tool; null for no counterpart */
  readonly events: Readonly<Record<string, string | null>>;
  /** names that are canonical already are this host's, too */
  readonly usesCanonicalEvents: boolean;
  /** answers spell events as the host does, not by their canonical names */
  readonly answersInNativeNames?: true;
  readonly tools: Readonly<Record<string, string>>;
  readonly reading?: Reading;
  /** its words by canonical event: the events it has. A function where payloads come in dialects. */
  readonly speech: Readonly<Record<string, Speech>> | ((on: Occasion) => Readonly<Record<string, Speech>>);
  /** "no opinion", as stdout */
  readonly silence: string | ((on: Occasion) => string);
  /** answers that are not JSON */
  readonly encode?: (words: JsonObject) => string;
  /** more context than this, in characters, would be dropped or spilled by the host */
  readonly contextLimit?: number;
  /** last words when policy could not run and is closed: `exit` is stderr and code 2, `deny` the deny words and 0 */
  readonly closed: "exit" | "deny";
  /** what stdout holds beside a closed `exit` */
  readonly closedWords?: (reason: string, on: Occasion) => JsonObject | undefined;
  readonly registration?: Registration;
}
