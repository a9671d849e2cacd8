import {
  CALL_VALUE_LIMIT,
  describeEvent,
  FIELD_NAMES,
  findEvent,
  type InputWarning,
  isJsonObject,
  type JsonObject,
  type Normalised,
  PAYLOAD_DEPTH_LIMIT,
  PAYLOAD_VALUE_LIMIT,
  readField,
  readJson,
} from "../protocol/index.ts";
import { DEFAULT_HOST, HOST_LIST, HOSTS, type HostId, hostOrDefault } from "./descriptors.ts";
import { deriveFacts, NO_FACTS } from "./facts.ts";
import type { EnvironmentReader, HostDescriptor } from "./host.ts";
import { type MappedEvent, mapEvent, nativeEventName } from "./native-events.ts";
import { canonicalToolName, mcpToolName, nativeToolName, readFirst, readToolInput } from "./tool-input.ts";

export type NormaliseErrorCode =
  | "empty-stdin"
  | "invalid-json"
  | "too-large"
  | "too-deep"
  | "hidden-member"
  | "not-an-object"
  | "unknown-event"
  | "unmapped-event"
  | "missing-tool-name";

/**
 * `unmapped-event` is no fault of the host: the event has no counterpart here and passes through. What was
 * understood before the problem is kept, so that the failure can be answered in the host's own form.
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

export interface NormaliseOptions {
  /** given on the command line; beats every other evidence */
  readonly host?: HostId | undefined;
  /** given on the command line; counts when the payload names no event */
  readonly event?: string | undefined;
  /** the payload is for a hook of this event, which needs a tool: one that is found is taken, whatever is said of it */
  readonly expects?: string | undefined;
  readonly env: EnvironmentReader;
}

const EVENT_NAMES = [...FIELD_NAMES.event, "event", "agent_action_name", "hookName"];
const CWD_PATHS = [
  ...FIELD_NAMES.cwd,
  "working_dir",
  "workingDirectory",
  "tool_info.cwd",
  "toolCall.args.Cwd",
  "workspace_roots.0",
  "workspaceRoots.0",
  "workspacePaths.0",
];
const SESSION_PATHS = [
  ...FIELD_NAMES.sessionId,
  "conversation_id",
  "conversationId",
  "trajectory_id",
  "taskId",
];
const TRANSCRIPT_PATHS = [...FIELD_NAMES.transcriptPath, "tool_info.transcript_path"];

const MESSAGES: Readonly<Record<NormaliseErrorCode, string>> = {
  "empty-stdin": "stdin is empty; expected one JSON object",
  "invalid-json": "stdin is not JSON; expected one JSON object",
  "too-large": `the payload is larger than ${PAYLOAD_VALUE_LIMIT} values, or the call than ${CALL_VALUE_LIMIT}`,
  "too-deep": `the payload is nested deeper than ${PAYLOAD_DEPTH_LIMIT} levels`,
  "hidden-member": "the payload has a member named __proto__, which programs read differently",
  "not-an-object": "stdin is JSON but not an object",
  "unknown-event": "the payload names no event; name it on the command line (--event)",
  "unmapped-event": "the event has no counterpart here and passes through",
  "missing-tool-name": "a tool event needs a tool name, a string that is not empty",
};

/**
 * A host's payload in one vocabulary. Lenient: what can be lived with becomes a warning, and no input makes it
 * throw. The hook program judges the result with `checkInput`; `hooks inspect` prints it as it is.
 */
export function normalise(text: string, options: NormaliseOptions): NormaliseResult {
  const { read, host } = readPayload(text, options);
  if (read.payload === undefined) return failure(read.code, { host });
  if (options.expects === undefined) return normalisePayload(HOSTS[host], read.payload, options);
  if (read.hidesMembers === true) return failure("hidden-member", { host, raw: read.payload });
  return normaliseCall(HOSTS[host], read.payload, { ...options, expects: options.expects });
}

/** A tool call whatever its event word and the host on the command line say: other hosts' forms are tried as well. */
function normaliseCall(
  host: HostDescriptor<HostId>,
  raw: JsonObject,
  options: NormaliseOptions & { readonly expects: string },
): NormaliseResult {
  const { expects, env } = options;
  const first = normalisePayload(host, raw, options);
  if (first.ok && first.value.event === expects) return first;
  // It was found, and is too much for any host.
  if (!first.ok && first.code === "too-large") return first;
  const answered = { host: host.id, event: expects, nativeEvent: nativeEventName(host, expects) };
  for (const other of [HOSTS[recognise(raw, env)], ...HOST_LIST]) {
    const read = normalisePayload(other, raw, { env });
    if (read.ok && read.value.event === expects) return { ok: true, value: { ...read.value, ...answered } };
  }
  for (const other of [host, ...HOST_LIST]) {
    const read = readCall(other, raw, { event: expects }, answered, env);
    if (read.ok && !read.value.warnings.some(({ code }) => code === "missing-tool-input")) return read;
  }
  return first.ok ? failure("missing-tool-name", { ...answered, raw }) : { ...first, ...answered };
}

type PayloadRead =
  | { readonly payload: JsonObject; readonly hidesMembers?: boolean }
  | { readonly payload?: undefined; readonly code: NormaliseErrorCode };

/** The payload and who sent it: some hosts carry it in a variable, and then that says who is calling. */
function readPayload(text: string, options: NormaliseOptions): { read: PayloadRead; host: HostId } {
  const maxValues = options.expects === undefined ? PAYLOAD_VALUE_LIMIT : CALL_VALUE_LIMIT;
  const fromStdin = parsePayload(text, maxValues);
  const host = recognise(fromStdin.payload, options.env, options.host);
  const variable = HOSTS[host].input?.environment?.payload;
  const carried = variable === undefined ? undefined : options.env.get(variable);
  if (carried === undefined || carried === "") return { read: fromStdin, host };
  const read = parsePayload(carried, maxValues);
  return { read, host: recognise(read.payload, options.env, options.host) };
}

function parsePayload(text: string, maxValues: number): PayloadRead {
  const read = readJson(text, { recover: true, maxDepth: PAYLOAD_DEPTH_LIMIT, maxValues });
  if (!read.ok && read.problem === "too-many") return { code: "too-large" };
  if (!read.ok && read.problem === "too-deep") return { code: "too-deep" };
  if (!read.ok) return { code: read.problem === "empty" ? "empty-stdin" : "invalid-json" };
  if (!isJsonObject(read.value)) return { code: "not-an-object" };
  return { payload: read.value, hidesMembers: read.repairs.includes("proto-key-dropped") };
}

function normalisePayload(
  host: HostDescriptor<HostId>,
  raw: JsonObject,
  { event: hint, env }: Pick<NormaliseOptions, "event" | "env">,
): NormaliseResult {
  const named = nameEvent(host, raw, hint);
  if (named === undefined) return failure("unknown-event", { host: host.id, raw });
  const { nativeEvent, mapped } = named;
  if (mapped === undefined || mapped === null)
    return failure("unmapped-event", { host: host.id, nativeEvent, raw });

  return readCall(host, raw, mapped, { host: host.id, event: mapped.event, nativeEvent }, env);
}

function readCall(
  host: HostDescriptor<HostId>,
  raw: JsonObject,
  mapped: MappedEvent,
  named: { readonly host: HostId; readonly event: string; readonly nativeEvent: string },
  env: EnvironmentReader,
): NormaliseResult {
  const warnings: InputWarning[] = [];
  const { environment } = host.input ?? {};
  const text = (paths: readonly string[], variable: string | undefined) =>
    readText(raw, paths, warnings) ?? fromEnvironment(env, variable);
  const base = {
    ...named,
    cwd: text(CWD_PATHS, environment?.cwd),
    sessionId: text([...SESSION_PATHS, ...(host.input?.sessionId ?? [])], environment?.sessionId),
    transcriptPath: text(TRANSCRIPT_PATHS, undefined),
    warnings,
    raw,
    ...hostAliases(host, raw, named.nativeEvent),
  };
  if (!describeEvent(mapped.event).requiresTool) {
    const noTool = { toolName: null, canonicalToolName: null, toolInput: null, facts: NO_FACTS };
    return { ok: true, value: { ...base, ...noTool } };
  }
  const toolName = readToolName(host, raw, mapped);
  if (toolName === undefined) return failure("missing-tool-name", { ...named, raw });
  const canonical = canonicalName(host, raw, mapped, toolName);
  const toolInput = readToolInput(host, raw, named.nativeEvent, warnings);
  if (toolInput === undefined) return failure("too-large", { ...named, raw });
  const facts = deriveFacts(host, toolName, canonical, toolInput);
  return { ok: true, value: { ...base, toolName, canonicalToolName: canonical, toolInput, facts } };
}

function failure(
  code: NormaliseErrorCode,
  known: { host: HostId; event?: string; nativeEvent?: string; raw?: JsonObject },
): NormaliseResult {
  return { ok: false, code, message: MESSAGES[code], ...known };
}

/** The payload's own name wins; a name from the command line may also be canonical. */
function nameEvent(
  host: HostDescriptor,
  raw: JsonObject,
  hint: string | undefined,
): { readonly nativeEvent: string; readonly mapped: MappedEvent | null | undefined } | undefined {
  for (const path of [...EVENT_NAMES, ...(host.input?.event ?? [])]) {
    const value = readFirst(raw, [path])?.value;
    if (typeof value === "string" && value.trim() !== "")
      return { nativeEvent: value, mapped: mapEvent(host, value) };
  }
  if (hint === undefined || hint === "") return undefined;
  const name = host.input?.unnamedEvent?.(raw, hint) ?? hint;
  const mapped = mapEvent(host, name);
  const canonical = mapped === undefined ? findEvent(name) : undefined;
  if (canonical === undefined) return { nativeEvent: name, mapped };
  return { nativeEvent: nativeEventName(host, canonical.name), mapped: { event: canonical.name } };
}

/** The first path that leads to a string that is not empty; other types on the way are reported, not guessed. */
function readText(raw: JsonObject, paths: readonly string[], warnings: InputWarning[]): string | null {
  for (const path of paths) {
    const field = readFirst(raw, [path]);
    if (field === undefined || field.value === "") continue;
    if (typeof field.value === "string") return field.value;
    warnings.push({ code: "field-wrong-type", field: field.name });
  }
  return null;
}

function fromEnvironment(env: EnvironmentReader, variable: string | undefined): string | null {
  const value = variable === undefined ? undefined : env.get(variable);
  return value === undefined || value === "" ? null : value;
}

function hostAliases(host: HostDescriptor, raw: JsonObject, nativeEvent: string): { aliases?: JsonObject } {
  const aliases = host.input?.aliases?.(raw, nativeEvent) ?? {};
  return Object.keys(aliases).length === 0 ? {} : { aliases };
}

/** Where one host's calls show the evidence of another, too, the one comes first. */
const CANDIDATES = HOST_LIST.filter(({ evidence }) => evidence !== undefined).sort(
  (one, other) => (other.evidence?.precedence ?? 0) - (one.evidence?.precedence ?? 0),
);

/**
 * Who is calling. A name given on the command line beats the payload, the payload beats the environment, whose
 * markers are inherited when one agent starts another; without any evidence it is Claude Code.
 */
export function recognise(
  payload: JsonObject | undefined,
  env: EnvironmentReader,
  hint?: HostId | undefined,
): HostId {
  if (hint !== undefined) return hint;
  const evident = payload === undefined ? undefined : findCaller(payload);
  if (evident !== undefined) return evident.id;
  const marked = CANDIDATES.find(({ evidence }) => evidence?.variables?.some(name => isSet(env, name)));
  const likely =
    payload === undefined
      ? undefined
      : CANDIDATES.find(({ evidence }) => evidence?.sharedPayload?.(payload, marked));
  return (likely ?? marked)?.id ?? DEFAULT_HOST;
}

function findCaller(payload: JsonObject): HostDescriptor<HostId> | undefined {
  const byShape = CANDIDATES.find(({ evidence }) => evidence?.payload?.(payload));
  if (byShape !== undefined) return byShape;
  const transcript = readField(payload, ["transcript_path", "transcriptPath"])?.value;
  if (typeof transcript !== "string") return undefined;
  return CANDIDATES.find(({ evidence: { transcriptFolder: folder } = {} }) =>
    folder === undefined ? false : transcript.includes(folder),
  );
}

function isSet(env: EnvironmentReader, name: string): boolean {
  const value = env.get(name);
  return value !== undefined && value !== "";
}

/** Whether a process that has this variable was started by an agent. */
export function isAgentVariable(name: string): boolean {
  return CANDIDATES.some(({ evidence: { variables = [], agentVariables = [] } = {} }) =>
    [...variables, ...agentVariables].some(known =>
      known.endsWith("*") ? name.startsWith(known.slice(0, -1)) : name === known,
    ),
  );
}

/** The tool in the host's spelling; undefined when the payload names none that could be one. */
function readToolName(host: HostDescriptor, raw: JsonObject, { tool }: MappedEvent): string | undefined {
  const paths = [...FIELD_NAMES.toolName, "toolUse.name", ...(host.input?.toolName ?? [])];
  const found = readFirst(raw, paths)?.value;
  if (found === undefined && tool !== undefined && tool !== "mcp") return nativeToolName(host, tool);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** An event that is made for one tool says which it is, whatever name the payload gives to it. */
function canonicalName(
  host: HostDescriptor,
  raw: JsonObject,
  { tool }: MappedEvent,
  toolName: string,
): string {
  if (tool !== undefined && tool !== "mcp") return tool;
  const canonical = canonicalToolName(host, toolName, raw);
  if (tool === "mcp") return canonical.startsWith("mcp__") ? canonical : mcpToolName("unknown", toolName);
  return canonical;
}

/** Does the payload of a call that has ended say that it failed? */
export function hasFailed(host: string, payload: JsonObject): boolean {
  const found = readFirst(payload, hostOrDefault(host).input?.failure ?? [])?.value;
  if (typeof found === "string") return found !== "success";
  return found !== undefined && found !== false && found !== 0;
}
