import { asText, canonicalInput } from "../../hosts/index.ts";
import { type HookInput, isJsonObject, type Json, type JsonObject } from "../../protocol/index.ts";
import {
  AtomicJsonFile,
  findHome,
  findProjectRoot,
  findSessionDirectory,
  findSessionId,
  findStateHome,
  LogFile,
  listIfThere,
  readText,
  sanitiseSessionId,
} from "../../state/index.ts";
import {
  childEnvironment,
  describeEnd,
  join,
  resolve,
  type System,
  sha256Hex,
  writeAtomically,
} from "../../system/index.ts";
import { type Entry, readTranscript, toolNaming } from "../../transcripts/index.ts";
import { deeperEnvironment } from "./depth.ts";
import { fitInput, isToolName } from "./tools.ts";

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_ENTRIES = 50_000;

/** What one run of one hook needs besides the event. */
interface CallServices {
  readonly hook: string;
  /** on the clock of `monotonicMs` */
  readonly deadlineMs: number;
  /** made when it is first asked for */
  readonly facts: () => CommandFacts;
  readonly isAborted?: () => boolean;
}

export type OpenedCall =
  /** `plain`: the members of `call` that are JSON and cost nothing */
  | { readonly ok: true; readonly call: GivenCall; readonly plain: object }
  /** the input has not what the type of its tool promises */
  | { readonly ok: false; readonly problem: string };

/** What `run` of a hook is given. `wantsKnownTool`: it named the tool, so it relies on the members of its input. */
export function openCall(
  input: HookInput,
  system: System,
  services: CallServices,
  wantsKnownTool: boolean,
): OpenedCall {
  const fields = eventFields(input, wantsKnownTool);
  if (typeof fields === "string") return { ok: false, problem: fields };
  const given = givenCall(input, system, services);
  const plain = { event: input.event, ...fields, host: input.host, raw: input.raw };
  // Not spread: what is expensive is behind a getter.
  const call: GivenCall = Object.defineProperties(
    { ...plain },
    Object.getOwnPropertyDescriptors(given),
  ) as never;
  return { ok: true, call, plain };
}

function eventFields(input: HookInput, wantsKnownTool: boolean): object | string {
  switch (input.kind) {
    case "tool":
      return toolFields(input, wantsKnownTool);
    case "prompt":
      return { input: input.raw, prompt: input.prompt ?? "" };
    case "stop":
      return { input: input.raw, stopHookActive: input.stopHookActive };
    case "session-start":
      return { input: input.raw, source: input.source };
    case "session-end":
      return { input: input.raw, reason: input.reason };
    case "compact":
      return { input: input.raw, trigger: input.trigger };
    case "other":
      return { input: input.raw };
  }
}

function toolFields(
  { tool, facts, result, error, event }: Extract<HookInput, { readonly kind: "tool" }>,
  wantsKnownTool: boolean,
): object | string {
  const members = canonicalInput(tool.canonicalName, tool.input, facts);
  const named = { toolName: tool.canonicalName, hostTool: tool.name };
  const after =
    event === "PreToolUse" ? {} : { output: result ?? null, error: error === undefined ? "" : asText(error) };
  const known = isToolName(tool.canonicalName) ? tool.canonicalName : undefined;
  if (known === undefined) return { ...named, ...after, tool: undefined, input: members };
  const fitted = fitInput(known, members);
  if (fitted.ok) return { ...named, ...after, tool: known, input: fitted.input };
  if (!wantsKnownTool) return { ...named, ...after, tool: undefined, input: members };
  return `the input of ${tool.name} has no ${fitted.missing}`;
}

function givenCall(input: HookInput, system: System, services: CallServices): GivenCall {
  const { clock } = system;
  const projectRoot = once(() => findProjectRoot(system, input.cwd));
  const cwd = once(() => findSessionDirectory(system, input.cwd) ?? projectRoot());
  const session = once(() => findSessionId(system, input.sessionId));
  const stateHome = () => findStateHome(system) ?? join(findHome(system) ?? "/", ".amplihack");
  const leftMs = () => services.deadlineMs - clock.monotonicMs();
  const facts = once(services.facts);
  const env = once(() => childEnvironment(system, {}));
  const files = once(() => openFiles(system, cwd()));
  const state = once(() =>
    openStores(system, {
      stateHome: stateHome(),
      hook: services.hook,
      session: session(),
      projectRoot: projectRoot(),
    }),
  );
  // Behind getters: a hook runs before every tool call, and most use little of this.
  return {
    host: input.host,
    get session() {
      return session();
    },
    get cwd() {
      return cwd();
    },
    get projectRoot() {
      return projectRoot();
    },
    raw: input.raw,
    transcript: () => readEntries(system, input.host, input.transcriptPath),
    get facts() {
      return facts();
    },
    get files() {
      return files();
    },
    get env() {
      return env();
    },
    clock: { nowMs: () => clock.nowMs() },
    log(text) {
      new LogFile(join(stateHome(), "logs", "hooks.log"), { system }).write(
        "INFO",
        `${services.hook}: ${text}`,
      );
    },
    get state() {
      return state();
    },
    exec: (argv, options = {}) => execute(system, argv, options, cwd(), leftMs()),
    signal: {
      get aborted() {
        return leftMs() <= 0 || services.isAborted?.() === true;
      },
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function readEntries(system: System, host: string, path: string | undefined): readonly Entry[] {
  if (path === undefined || !path.startsWith("/")) return [];
  const entries: Entry[] = [];
  for (const entry of readTranscript(system, path, toolNaming(host))) {
    entries.push(entry);
    if (entries.length === MAX_ENTRIES) break;
  }
  return entries;
}

function openFiles(system: System, cwd: string): HookFiles {
  const { files, text } = system;
  return {
    read: path => readText(system, resolve(cwd, path), MAX_FILE_BYTES),
    exists: path => files.follow(resolve(cwd, path)) !== undefined,
    list: path => listIfThere(files, resolve(cwd, path)),
    write: (path, content) =>
      writeAtomically(system, resolve(cwd, path), text.encode(content), {
        mode: 0o644,
        directoryMode: 0o755,
      }),
  };
}

async function execute(
  system: System,
  argv: readonly [string, ...string[]],
  options: ExecOptions,
  cwd: string,
  leftMs: number,
): Promise<ExecResult> {
  const timeoutMs = Math.min(options.timeoutMs ?? leftMs, leftMs);
  if (timeoutMs <= 0) return { exitCode: undefined, stdout: "", stderr: "", problem: "no time was left" };
  const result = await system.processes.start({
    argv,
    cwd: resolve(cwd, options.cwd ?? "."),
    env: { ...childEnvironment(system, deeperEnvironment(system)), ...options.env },
    input: system.text.encode(options.input ?? ""),
    timeoutMs,
    limits: {
      stdoutBytes: MAX_OUTPUT_BYTES,
      tailBytes: 0,
      stderrBytes: MAX_OUTPUT_BYTES,
      drainBytes: MAX_OUTPUT_BYTES,
    },
  }).done;
  return {
    exitCode: result.end.kind === "exit" ? result.end.code : undefined,
    stdout: system.text.decode(result.stdout).text,
    stderr: system.text.decode(result.stderr).text,
    problem: result.end.kind === "exit" ? undefined : `${argv[0]} ${describeEnd(result.end, timeoutMs)}`,
  };
}

/** What a command does, as the guard sees it. Empty for calls that are no command. */
export interface CommandFacts {
  /** Every program that would start, also behind `sudo`, `xargs`, `sh -c` and the like. */
  readonly programs: readonly StartedProgram[];
  /** all words of all programs that are known */
  readonly words: readonly string[];
  /** files that are read, written, moved or deleted, as far as they are known; of a file tool its paths */
  readonly paths: readonly string[];
  readonly effects: readonly CommandEffectFact[];
}

export interface StartedProgram {
  /** base name; empty when only the run decides it */
  readonly name: string;
  /** the words behind the name; undefined where only the run decides one */
  readonly args: readonly (string | undefined)[];
  /** through sudo, doas and the like */
  readonly isElevated: boolean;
}

export interface CommandEffectFact {
  /** `delete`, `read`, `write`, `move`, `send`, `git` … */
  readonly kind: string;
  readonly program: string;
  /** undefined where only the run decides it, or the effect has none */
  readonly path: string | undefined;
}

/** Files; a relative path is one below the session's directory. */
export interface HookFiles {
  /** the text of a file; undefined when there is none */
  read(path: string): string | undefined;
  exists(path: string): boolean;
  /** names in a directory; none when there is no such directory */
  list(path: string): readonly string[];
  /** replaces the whole file at once */
  write(path: string, text: string): void;
}

/** A small JSON object that is safe to change from several processes. */
export interface HookStore {
  read(): JsonObject;
  /** Reads, changes and writes under a lock; returns the new value. */
  update(change: (current: JsonObject) => JsonObject): JsonObject;
}

export interface ExecOptions {
  readonly cwd?: string;
  readonly input?: string;
  /** variables besides those of this process */
  readonly env?: Readonly<Record<string, string>>;
  /** at most what is left of the hook's own time */
  readonly timeoutMs?: number;
}

export interface ExecResult {
  /** undefined when it did not end by itself */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** why it did not start or end by itself; undefined when it did */
  readonly problem: string | undefined;
}

/** What every hook is given besides its event. Nothing else is needed, and a hook that uses nothing else is portable. */
export interface GivenCall {
  readonly host: string;
  readonly session: string | undefined;
  readonly cwd: string;
  readonly projectRoot: string;
  /** the payload as the host sent it */
  readonly raw: Json;
  /** The session's messages so far; none where the host records none. Read when it is called. */
  transcript(): readonly Entry[];
  readonly facts: CommandFacts;
  readonly files: HookFiles;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: { nowMs(): number };
  /** a line in the log of users' hooks */
  log(text: string): void;
  readonly state: { readonly session: HookStore; readonly project: HookStore };
  /** Starts a program without a shell and waits for it. */
  exec(argv: readonly [string, ...string[]], options?: ExecOptions): Promise<ExecResult>;
  /** `aborted` once the hook's time is over */
  readonly signal: { readonly aborted: boolean };
}

const NO_FACTS: CommandFacts = { programs: [], words: [], paths: [], effects: [] };

/** What finds the facts of a command: large, so it is loaded for hooks alone that mention them. */
export async function openFacts(
  isUsed: boolean,
): Promise<(input: HookInput, system: System) => CommandFacts> {
  return isUsed ? (await import("./command-facts.ts")).commandFacts : () => NO_FACTS;
}

const LOCK_TIMEOUT_MS = 2_000;
const MAX_STATE_BYTES = 1024 * 1024;

/** Where users' hooks keep things between runs: beside the hooks, where no project can write. */
export function stateFolder(stateHome: string, hook: string): string {
  return join(stateHome, "hooks", ".state", hook);
}

/** The two stores of one hook. Nothing is read or written before a hook asks. */
function openStores(
  system: System,
  place: {
    readonly stateHome: string;
    readonly hook: string;
    readonly session: string | undefined;
    readonly projectRoot: string;
  },
): { readonly session: HookStore; readonly project: HookStore } {
  const folder = stateFolder(place.stateHome, place.hook);
  const project = sha256Hex(system.text.encode(place.projectRoot)).slice(0, 32);
  return {
    session: openStore(system, join(folder, `session-${sanitiseSessionId(place.session ?? "")}.json`)),
    project: openStore(system, join(folder, `project-${project}.json`)),
  };
}

function openStore(system: System, path: string): HookStore {
  const file = new AtomicJsonFile<JsonObject>(path, {
    system,
    parse(value) {
      if (!isJsonObject(value)) throw new TypeError("the state of a hook is an object");
      return value;
    },
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    limitBytes: MAX_STATE_BYTES,
  });
  return {
    read: () => file.readOrDefault({}),
    // A copy: a hook that is evaluated by itself has objects of its own kind.
    update: change => file.update(now => copyJson(change(now)), {}, { onMalformed: "set-aside" }),
  };
}

function copyJson(value: JsonObject): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value) ?? "null");
  if (!isJsonObject(copy)) throw new TypeError("the state of a hook is an object");
  return copy;
}
