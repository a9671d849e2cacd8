import { type JsonObject, readField } from "../protocol/index.ts";
import { DEFAULT_HOST, HOST_LIST, type HostId } from "./descriptors.ts";
import type { EnvironmentReader, HostDescriptor } from "./host.ts";

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
  const evident = payload === undefined ? undefined : callerOf(payload);
  if (evident !== undefined) return evident.id;
  const marked = CANDIDATES.find(({ evidence }) => evidence?.variables?.some(name => isSet(env, name)));
  const likely =
    payload === undefined
      ? undefined
      : CANDIDATES.find(({ evidence }) => evidence?.sharedPayload?.(payload, marked));
  return (likely ?? marked)?.id ?? DEFAULT_HOST;
}

function callerOf(payload: JsonObject): HostDescriptor<HostId> | undefined {
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
