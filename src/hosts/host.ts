import type { Json, JsonObject, ReaderTexts, VerdictKind } from "../protocol/index.ts";
import type { AgentName } from "./active-agent.ts";

/** All that recognition and reading need of the environment. */
export interface EnvironmentReader {
  get(name: string): string | undefined;
}

/** What an answer is rendered for. */
export interface RenderContext {
  readonly event: string;
  /** the event as this host's answers spell it */
  readonly eventName: string;
  readonly nativeEvent: string;
  readonly payload: JsonObject;
  readonly extras: JsonObject;
  readonly isHeadless: boolean;
  /** the decision for one reader each, where a hook gave two texts */
  readonly texts?: ReaderTexts | undefined;
}

/**
 * How one host is answered on one event. Each function returns members that are merged into the answer; a missing
 * function is a missing ability, which `render` replaces by the nearest stricter one or reports.
 */
export interface ResponseEncoder {
  readonly deny?: (reason: string, context: RenderContext) => JsonObject;
  readonly ask?: (reason: string | undefined, context: RenderContext) => JsonObject;
  readonly defer?: (reason: string | undefined, context: RenderContext) => JsonObject;
  /** present only where a permission question can be skipped */
  readonly allow?: (reason: string | undefined, context: RenderContext) => JsonObject;
  readonly input?: (value: JsonObject, context: RenderContext, verdict: VerdictKind) => JsonObject;
  readonly output?: (value: Json, context: RenderContext) => JsonObject;
  readonly context?: (text: string, context: RenderContext) => JsonObject;
  readonly message?: (text: string, context: RenderContext) => JsonObject;
  readonly halt?: (reason: string, context: RenderContext) => JsonObject;
  readonly suppress?: () => JsonObject;
  /** a rewrite is possible only together with an explicit allow */
  readonly inputNeedsAllow?: true;
  /** the host lays a rewrite over the old input, so members that a rewrite removed would stay */
  readonly inputIsMerged?: true;
  /** a deny replaces the tool's result, so a rewritten result can be rendered as a deny */
  readonly denyReplacesResult?: true;
  /** deny is the exit code, here and in failure */
  readonly denyExitCode?: 2;
  /** abilities that are used although this host is not known to honour them */
  readonly unproven?: readonly ("deny" | "allow" | "context" | "output")[];
  /** exit code 2 does not stop the action on this event */
  readonly ignoresExitCode?: true;
  /** how an effect is weaker or coarser than its name suggests */
  readonly caveats?: { readonly deny?: string; readonly input?: string };
  /** members of `outcome.extras` that go into `hookSpecificOutput` */
  readonly extras?: readonly string[];
  /** the member of `outcome.extras` that is the whole of stdout, as text */
  readonly plainExtra?: string;
}

/** Encoders by canonical event. */
export type ResponseTable = Readonly<Record<string, ResponseEncoder>>;

/** How a call of this host is recognised. */
export interface Evidence {
  /** true for payloads that no other host sends */
  readonly payload?: (payload: JsonObject) => boolean;
  /** for a payload form that several hosts share; `marked` is the host that the environment points to */
  readonly sharedPayload?: (payload: JsonObject, marked: HostDescriptor | undefined) => boolean;
  /** on some events it sends Claude's event names with an ISO time and no permission mode */
  readonly sendsTimedPayloads?: true;
  /** part of the path of every transcript of this host */
  readonly transcriptFolder?: string;
  /** below the home: sessions in a database, or in a file for each message, as OpenCode keeps them */
  readonly messageStore?: string;
  /** environment variables that it sets for its hooks; the weakest evidence, for children inherit them */
  readonly variables?: readonly string[];
  /** checked before hosts with a lower number, whose evidence its calls show as well; 0 when absent */
  readonly precedence?: number;
  /** further variables that tell a process that this agent runs; a `*` at the end stands for any ending */
  readonly agentVariables?: readonly string[];
}

/** Where a host keeps things that others keep under the common names. Paths are dotted; numbers index arrays. */
export interface InputMapping {
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
  /** what tells that a call which has ended went wrong: true, an exit code other than 0, or a word other than `success` */
  readonly failure?: readonly string[];
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

export type InstallScope = "user" | "project";

/** How our hooks are written into a host's configuration. */
export interface Registration {
  /** native events by canonical event, where they are not simply those that the host's event table gives */
  readonly events?: Readonly<Record<string, readonly string[]>>;
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
  /** seconds that the host waits for a hook, where it has no setting for that; absent when unknown */
  readonly waits?: number;
  readonly layout: SettingsLayout;
  /** below the home directory for `user`, below the project for `project` */
  readonly files: Readonly<Partial<Record<InstallScope, string>>>;
  /** the files are read by several hosts: entries hold the subcommand and nothing that names a host */
  readonly isShared?: true;
  /** the environment variable by which users move the host's folder, and the part of the path it stands for */
  readonly relocation?: { readonly variable: string; readonly folder: string };
  /** a file beside the user's or the project's that takes its place when it already holds hooks */
  readonly alternativeFile?: string;
  /** a file of a project in the same form, which the host reads and an installation never writes */
  readonly personalFile?: string;
  /** the host runs only hooks whose fingerprint stands in a TOML file beside the hooks file */
  readonly fingerprints?: { readonly file: string; readonly nextStep: string };
}

/**
 * Shape of the file. `groups`: event → groups → handlers. `flat`: event → handlers. `mixed`: groups on tool
 * events, handlers elsewhere. `named`: name → handler, which says its event. `executables`: one program per event, named
 * after it. `module`: a generated program text.
 */
export interface SettingsLayout {
  readonly kind: "groups" | "flat" | "mixed" | "named" | "executables" | "module";
  /** path of members from the top of the file to the event map; `hooks` when absent */
  readonly root?: readonly string[];
  /** member that holds the command line; `command` when absent */
  readonly commandKey?: "bash";
  /** the subcommand goes into a list of arguments instead of the command line */
  readonly argumentsKey?: "args";
  /** handlers have `type: "command"` */
  readonly hasType?: true;
  /** members that a file of this kind must have */
  readonly header?: JsonObject;
  /** how a handler says that failing means refusing */
  readonly closedMember?: JsonObject;
  /** the first version of the host that is known to accept that member; absent where none is */
  readonly closedMemberSince?: string;
  /** the host passes over the whole file, hooks included, when it has a comment or a trailing comma in it */
  readonly isPlainJson?: true;
}

/** Files of the host that the guard protects, besides those that an installation writes. */
export interface ProtectedFiles {
  /** files that decide which hooks run, below a project or a home directory; `/**` is a whole tree */
  readonly wiring?: readonly string[];
  /** directories whose loss takes the wiring with it */
  readonly trees?: readonly string[];
  /** absolute directories in which an administrator's settings lie */
  readonly managed?: readonly string[];
  /** below the home directory */
  readonly credentials?: readonly string[];
}

/** The command line program of the agent. */
export interface AgentProgram {
  readonly names: readonly string[];
  /** npm package that runners such as npx start */
  readonly package?: string;
  /** arguments that switch its own permission questions off */
  readonly bypass: RegExp;
  /** variables that lead it around its hooks */
  readonly bypassVariables?: readonly string[];
}

/** How an agent is made to answer one prompt and end. */
export interface PrintMode {
  /** arguments before everything else */
  readonly start: readonly string[];
  readonly promptFlag: readonly string[];
  /** instead of flag and prompt, when the prompt comes on stdin */
  readonly stdinMarker: readonly string[];
  readonly systemPromptFlag?: string;
  readonly directoryFlag?: string;
  readonly modelFlag: string;
  readonly allowAllFlag?: string;
  /** prompts that its command line takes for something else, or changes */
  readonly unsafeStart: RegExp;
  /** what stands before the first prompt of a session with a screen; absent: it takes none */
  readonly screenFlag?: readonly string[];
}

/** Where a host runs when it is started with a scripted model. */
export interface TrialEnvironment {
  readonly home: string;
  readonly project: string;
  /** of the scripted model */
  readonly url: string;
  readonly model: string;
  /** what it takes for a key */
  readonly key: string;
}

/** How to start a host without a screen, against the scripted model. */
export interface LiveDriver {
  /** files of the host that must be there before our hooks are registered, below the home; anything but text is JSON */
  readonly files?: (trial: TrialEnvironment) => Readonly<Record<string, unknown>>;
  readonly args: (prompt: string, trial: TrialEnvironment) => readonly string[];
  readonly env: (trial: TrialEnvironment) => Readonly<Record<string, string>>;
}

/** Where a host reads which MCP servers it starts. */
export interface McpServers {
  /** below the home directory: the first that exists, else the first whose folder does, else the first */
  readonly user: readonly [string, ...string[]];
  /** below the project */
  readonly project?: string;
  /** the environment variable by which users move the host's folder, and the file below what it names */
  readonly moved?: { readonly variable: string; readonly file: string };
  /** the member that holds the servers by name; `mcpServers` when absent */
  readonly key?: string;
  /** JSON when absent */
  readonly format?: "toml";
  /** what an entry has beside program and arguments */
  readonly members?: JsonObject;
  /** program and arguments are one list under `command` */
  readonly isCommandList?: true;
}

/** How the launcher starts the host. */
export interface AgentLaunch {
  readonly name: AgentName;
  /** where the launcher calls it otherwise than the installer does */
  readonly title?: string;
  readonly printMode: PrintMode;
  readonly installHint: string;
  /** the oldest version in which our hooks were seen to be called and obeyed */
  readonly minimumVersion?: string;
  /** `--resume`, `--continue` and `--checkout-repo` are the launcher's to read */
  readonly resumes?: true;
  readonly skipsPermissions?: true;
  /** the word before a prompt that makes it answer and end; default `-p` */
  readonly answersOnce?: string;
  /** takes a default model from `AMPLIHACK_DEFAULT_MODEL` */
  readonly takesModel?: true;
  /** directories below the home in which its installer puts it, for the agent's own PATH */
  readonly ownDirectories?: readonly string[];
}

/** How the host is found, registered with, started and tried, and what its user is told. */
export interface HostSetup {
  readonly title: string;
  /** folders below the home directory, any of which shows that the user has the host */
  readonly folders: readonly string[];
  /** programs on PATH, any of which shows the same */
  readonly programs: readonly string[];
  /** even when it is asked for by name, nothing is registered for a user who does not have it */
  readonly mustBePresent?: true;
  /** the host whose files it reads instead of files of its own */
  readonly registeredBy?: string;
  /** files of other hosts that it reads besides its own */
  readonly alsoReads?: readonly { readonly host: string; readonly scope: InstallScope }[];
  /** absent where the host has no MCP, or keeps its servers where they cannot be written safely */
  readonly mcp?: McpServers;
  /** its program takes bundles of framework files: `<program> bundle add|list|remove` */
  readonly takesBundles?: true;
  /** what the user still has to do before registered hooks run */
  readonly nextStep?: Readonly<Partial<Record<InstallScope, string>>>;
  /** gaps that no answer of a hook can close */
  readonly gaps?: readonly string[];
  /** the name by which the launcher, recipes and bridges start it, and how it answers one prompt */
  readonly agent?: AgentLaunch;
  /** hooks of others in its files can run in other hosts, too: the dialect that they are written in */
  readonly importable?: "atomcode-json";
  readonly userFiles?: UserFiles;
  /** how `doctor --live` starts it, or why it cannot */
  readonly live: LiveDriver | string;
}

/** How a host takes subagents and slash commands of its user. Files are named below the folder of its settings. */
export interface UserFiles {
  /** `file` has NAME where the agent's name goes; `members` stand in the front matter besides name and description */
  readonly agents?: {
    readonly file: string;
    readonly format: "markdown" | "toml";
    readonly members?: readonly string[];
  };
  /** `argument` stands for what is typed after the command */
  readonly command?: {
    readonly file: string;
    readonly format: "markdown" | "toml";
    readonly argument: string;
  };
}

/** Where a host hears a yes in place of its person's. */
export interface Answering {
  readonly event: "PreToolUse" | "PermissionRequest";
  /** values of `permission_mode` in which the host asks its person; in any other, or without one, nothing is answered */
  readonly modes?: readonly string[];
  /** rules of the person's that a yes would override: while one of these files has such a rule, nothing is answered */
  readonly overrides?: readonly PersonRules[];
}

/** Files in which a person may have written rules of their own. */
export interface PersonRules {
  /** below the home directory and the project; the host's folder may have been moved */
  readonly folder: string;
  /** where an administrator's rules lie */
  readonly managed: string;
  readonly ending: string;
  readonly rule: RegExp;
  /** in words that follow "while you have" */
  readonly what: string;
}

/** A host that runs another command than its agent gave, when a hook says so. */
export interface Sandboxing {
  /** values of `permission_mode` in which it is done; in any other, or without one, it is not */
  readonly modes?: readonly string[];
  /** rules of the person's that the host would compare with the rewritten command: while there is one, none is rewritten */
  readonly overrides?: readonly PersonRules[];
  /** the word of its command line without which it would ask about the rewritten command, and how a person says it */
  readonly onlyWith?: { readonly word: RegExp; readonly what: string };
  /** words of its own command line that may hold such rules, which no file tells */
  readonly ruleOptions?: RegExp;
  /**
   * A host that runs calls in a sandbox of its own, in which ours cannot be started: how its transcript tells which, the
   * last time that it does (the first group), and the one that is none.
   */
  readonly ownSandbox?: { readonly told: RegExp; readonly none: string };
}

/** Everything this program knows about one host. */
export interface HostDescriptor<Id extends string = string> {
  /** a key of the event map; also the file name here and the value of `host` in every output */
  readonly id: Id;
  /** short names that `--host` takes besides the id */
  readonly shortNames?: readonly string[];
  readonly evidence?: Evidence;
  /** native event → canonical event; `Event:Tool` for a form specialised on one tool; null for no counterpart */
  readonly events: Readonly<Record<string, string | null>>;
  /** names that are canonical already are this host's, too */
  readonly usesCanonicalEvents: boolean;
  /** answers spell events as the host does, not by their canonical names */
  readonly answersInNativeNames?: true;
  readonly tools: Readonly<Record<string, string>>;
  readonly input?: InputMapping;
  /** the events it has and how they are answered, in the dialect of the payload where there are several */
  readonly responses: (context: RenderContext) => ResponseTable;
  /** stdout when there is no opinion */
  readonly noOpinion: string | ((context: RenderContext) => string);
  /** members that only our own form knows (`outcome.extras.claude`) go out to this host */
  readonly takesOwnForm?: true;
  /** answers that are not JSON */
  readonly encode?: (members: JsonObject) => string;
  /** more context than this, in characters, would be dropped or spilled by the host */
  readonly contextLimit?: number;
  /** runs unattended: questions for a person go to the model instead */
  readonly isHeadless?: (env: EnvironmentReader) => boolean;
  /** when policy could not run and is closed: `exit` is stderr and code 2, `deny` the encoded deny and code 0 */
  readonly closed: "exit" | "deny";
  /** what stdout holds beside a closed `exit` */
  readonly closedResponse?: (reason: string, context: RenderContext) => JsonObject | undefined;
  /** how its questions are answered, or why they are not, in words that follow its name */
  readonly answering: Answering | string;
  /** how its commands are rewritten to run in the sandbox; absent where they cannot be */
  readonly sandboxing?: Sandboxing;
  readonly registration?: Registration;
  readonly protects?: ProtectedFiles;
  readonly program?: AgentProgram;
  /** folders of skills, below a project or the home directory */
  readonly skillFolders?: readonly string[];
  /** its session files can be read without knowing whose they are */
  readonly recordsSessions?: true;
  /** absent where nothing is registered with the host; a function, because the hook program does not need it */
  readonly setup?: () => HostSetup;
}
