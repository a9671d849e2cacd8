import { HOSTS, type HostId } from "./descriptors.ts";
import type { Registration, ResponseEncoder } from "./host.ts";
import { registeredEvents } from "./native-events.ts";
import { ALL_ROWS, type RegistryRow } from "./registry-rows.ts";
import { encoderFor, renderContext } from "./render-context.ts";

/** A registry row as one host takes it. */
export interface HostRegistration {
  readonly event: string;
  readonly nativeEvent: string;
  readonly subcommand: string;
  readonly matcher: string | undefined;
  /** in the host's unit; undefined where it has no such setting */
  readonly timeout: number | undefined;
  /** what the hook program allows itself: a second less than the host does */
  readonly deadlineMs: number;
  /** seconds that the host was told to wait beyond what is usual; the hook's command line says so too */
  readonly limitSeconds?: number | undefined;
}

export interface RegistrationPlan {
  readonly registrations: readonly HostRegistration[];
  /** rows this host does not get, and why */
  readonly omitted: readonly { readonly event: string; readonly subcommand: string; readonly why: string }[];
}

/** The generated modules of hosts that start no programs wait no longer than this for any hook. */
export const MODULE_DEADLINE_SECONDS = 10;

/** The rows for a machine whose questions wait so long for an answer of its team. */
export function rowsWaiting(waitMs: number): readonly RegistryRow[] {
  const waitSeconds = Math.ceil(waitMs / 1_000);
  if (waitSeconds === 0) return ALL_ROWS;
  return ALL_ROWS.map(row => (row.subcommand === "pre-tool-use" ? { ...row, waitSeconds } : row));
}

/** What to register with a host, in registry order. */
export function planRegistrations(host: HostId, rows = ALL_ROWS): RegistrationPlan {
  const { registration } = HOSTS[host];
  const registrations: HostRegistration[] = [];
  const omitted: { event: string; subcommand: string; why: string }[] = [];
  for (const row of rows) {
    const { event, subcommand } = row;
    const natives = registration === undefined ? [] : registeredEvents(HOSTS[host], event);
    const why =
      registration === undefined
        ? "nothing is registered with this host"
        : whyOmitted(host, registration, row, natives[0]);
    if (why !== undefined) omitted.push({ event, subcommand, why });
    else if (registration !== undefined)
      registrations.push(...natives.map(native => toRegistration(registration, row, native)));
  }
  return { registrations, omitted };
}

function whyOmitted(
  host: HostId,
  { avoided, layout }: Registration,
  { event, needs, isSecond }: RegistryRow,
  native: string | undefined,
): string | undefined {
  if (avoided?.[event] !== undefined) return avoided[event];
  if (native === undefined) return "the host has no such event";
  if (needs === "answer") {
    const { answering } = HOSTS[host];
    const isHeard = typeof answering === "object" && answering.event === event;
    return isHeard ? undefined : "nothing is answered for the person here";
  }
  if (needs !== undefined && abilities(host, event, native)[needs] === undefined)
    return needs === "deny" ? "the host cannot be refused anything here" : "the host takes no context here";
  const isSecondProgram = layout.kind === "executables" && isSecond === true;
  return isSecondProgram ? "the host starts one program per event" : undefined;
}

/** How a host is answered on an event, to tell what it can and cannot do. */
export function abilities(host: HostId, event: string, nativeEvent: string): ResponseEncoder {
  const descriptor = HOSTS[host];
  return encoderFor(descriptor, renderContext(descriptor, { event, nativeEvent }, {}));
}

function toRegistration(
  { timeout, layout, matcher, waits }: Registration,
  { event, subcommand, timeoutSeconds, waitSeconds = 0, matcher: wanted }: RegistryRow,
  nativeEvent: string,
): HostRegistration {
  const isModule = layout.kind === "module";
  const ceiling = isModule ? MODULE_DEADLINE_SECONDS : (timeout?.ceilings?.[nativeEvent] ?? timeoutSeconds);
  const usual = Math.min(timeoutSeconds, ceiling);
  // Our own module honours any timeout; a host without a setting for it waits a fixed time.
  const settable = isModule || timeout !== undefined ? Number.POSITIVE_INFINITY : (waits ?? usual);
  const longest = timeout?.ceilings?.[nativeEvent] ?? settable;
  const seconds = Math.max(usual, Math.min(usual + waitSeconds, longest));
  return {
    event,
    nativeEvent,
    subcommand,
    matcher: wanted === undefined ? undefined : matcher,
    timeout: timeout === undefined ? undefined : seconds * (timeout.unit === "ms" ? 1_000 : 1),
    deadlineMs: (seconds - 1) * 1_000,
    limitSeconds: seconds > usual ? seconds : undefined,
  };
}

/** How long the hook program may take on a host: as its command line says, else what is usual. */
export function hookDeadlineMs(
  host: HostId,
  subcommand: string,
  event: string,
  limitSeconds?: number,
): number {
  if (limitSeconds !== undefined) return (limitSeconds - 1) * 1_000;
  const rows = ALL_ROWS.filter(row => row.subcommand === subcommand);
  const planned = planRegistrations(host, rows).registrations;
  const exact = planned.find(each => each.event === event) ?? planned[0];
  return exact?.deadlineMs ?? ((rows[0]?.timeoutSeconds ?? 10) - 1) * 1_000;
}
