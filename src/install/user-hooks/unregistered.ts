import type { BuiltFile, BuiltHandler } from "../../hooks/index.ts";
import {
  HOOK_REGISTRY,
  HOST_LIST,
  planRegistrations,
  registeredEvents,
  resolveSubcommand,
} from "../../hosts/index.ts";
import { hookProgramPath } from "../places.ts";

const REGISTERED = HOST_LIST.filter(({ registration }) => registration !== undefined);

/** Hosts that do not call us on one of the events: an installation registers what stock hooks need, and no more. */
export function hostsWithout(events: readonly string[], hosts: readonly string[]): readonly string[] {
  return REGISTERED.filter(({ id }) => hosts.length === 0 || hosts.includes(id))
    .filter(({ id }) => {
      const called = new Set(planRegistrations(id).registrations.map(({ event }) => event));
      return events.some(event => !called.has(event));
    })
    .map(({ id }) => id);
}

/** What a person has to do for hooks on events that no installation registers; one line for each hook and event. */
export function unregisteredNotes(
  { files, handlers }: { readonly files: readonly BuiltFile[]; readonly handlers: readonly BuiltHandler[] },
  stateHome: string,
): readonly string[] {
  const known = new Set(HOOK_REGISTRY.map(({ event }) => event));
  const wanted = [
    ...files.flatMap(({ hooks }) =>
      hooks.flatMap(({ name, events }) => events.map(event => ({ name, event }))),
    ),
    ...handlers.map(({ id: name, event }) => ({ name, event })),
  ];
  return wanted
    .filter(({ event }) => !known.has(event))
    .map(({ name, event }) => {
      const hosts = REGISTERED.flatMap(host => {
        const [native] = registeredEvents(host, event);
        return native === undefined ? [] : [`${host.id} (${native})`];
      });
      const command = `${hookProgramPath({ stateHome })} ${resolveSubcommand(event)?.name ?? event}`;
      return hosts.length === 0
        ? `${name} never runs: no host has the event ${event}`
        : `${name} is for ${event}, on which no host calls us by itself; have it run \`${command} --host HOST\` there: ${hosts.join(", ")}`;
    });
}
