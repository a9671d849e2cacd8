import {
  ALL_ROWS,
  type HostId,
  type InstallScope,
  planRegistrations,
  resolveSubcommand,
} from "../hosts/index.ts";
import { isExecutable, type UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { findRegistrations } from "./hook-entries.ts";
import { isPresent } from "./targets.ts";

/** One hook of the registry, and which hosts call it. */
export interface ListedHook {
  readonly event: string;
  readonly subcommand: string;
  /** seconds */
  readonly timeout: number;
  readonly matcher: string | null;
  readonly hosts: readonly {
    readonly host: HostId;
    readonly scope: InstallScope;
    readonly registered: boolean;
    /** the program that is started, or null */
    readonly path: string | null;
    readonly path_ok: boolean;
  }[];
}

/** The registry with its registrations: of every host that is there or has any. */
export function listHooks(system: System, places: UserDirectories): readonly ListedHook[] {
  const found = findRegistrations(system, places).filter(({ target, entries }) => {
    // Entries in the file of another host do not show that the user has this one.
    const hasEntries = entries.length > 0 && target.host === target.owner;
    return hasEntries || (target.scope === "user" && isPresent(system, places, target.host));
  });
  const listed = ALL_ROWS.map(({ event, subcommand, timeoutSeconds, matcher }) => ({
    event,
    subcommand,
    timeout: timeoutSeconds,
    matcher: matcher ?? null,
    hosts: found.flatMap(({ target, entries }) => {
      const natives = planRegistrations(target.owner)
        .registrations.filter(row => row.event === event && row.subcommand === subcommand)
        .map(row => row.nativeEvent);
      if (natives.length === 0) return [];
      const entry = entries.find(
        each => natives.includes(each.event) && resolveSubcommand(each.subcommand ?? "")?.name === subcommand,
      );
      return [
        {
          host: target.host,
          scope: target.scope,
          registered: entry !== undefined,
          path: entry?.program ?? null,
          path_ok: entry !== undefined && isExecutable(system, entry.program),
        },
      ];
    }),
  }));
  return listed.filter(({ subcommand, hosts }) => subcommand !== "permission-request" || hosts.length > 0);
}
