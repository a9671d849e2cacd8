import { isWanted, type UserHook, wantsOf } from "../../hooks/index.ts";
import { type HostId, normalise } from "../../hosts/index.ts";
import { checkInput, type HookInput, type JsonObject } from "../../protocol/index.ts";
import { RECORDED_PAYLOADS } from "./recorded-payloads.ts";

/** A call that a real host made. */
export interface RecordedInput {
  readonly host: HostId;
  readonly input: HookInput;
}

/** Where the hosts were recorded. */
const RECORDED_IN = "/home/dev/project";

interface RecordedCall {
  readonly host: HostId;
  readonly event: string;
  readonly payload: JsonObject;
}

/** What hosts sent, as if they had run in `cwd`. */
export function readRecordedCalls(cwd: string): readonly RecordedCall[] {
  const here = JSON.stringify(cwd).slice(1, -1);
  return RECORDED_PAYLOADS.map(line => JSON.parse(line.replaceAll(RECORDED_IN, () => here)) as RecordedCall);
}

/** The recorded calls of all hosts, normalised. */
export function readRecorded(cwd: string): readonly RecordedInput[] {
  return readRecordedCalls(cwd).flatMap(({ host, event, payload }) => {
    const read = normalise(JSON.stringify(payload), { host, event, env: { get: () => undefined } });
    const checked = read.ok ? checkInput(read.value) : undefined;
    return checked?.ok === true ? [{ host, input: checked.input }] : [];
  });
}

/** Those that a hook is for by event, tool and host; whether it wants their text is for the table to tell. */
export function recordedFor(hook: UserHook, recorded: readonly RecordedInput[]): readonly RecordedInput[] {
  const wants = { ...wantsOf(hook), when: undefined };
  return recorded.filter(({ input }) => isWanted(wants, input));
}
