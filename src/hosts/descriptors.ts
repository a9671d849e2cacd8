import * as all from "./all.ts";
import type { HostDescriptor } from "./host.ts";

export type HostId = (typeof all)[keyof typeof all]["id"];

/** Every host, by id. */
export const HOST_LIST: readonly HostDescriptor<HostId>[] = Object.values(all).sort((one, other) =>
  one.id < other.id ? -1 : 1,
);
export const HOST_IDS: readonly HostId[] = HOST_LIST.map(({ id }) => id);
export const HOSTS = Object.fromEntries(HOST_LIST.map(host => [host.id, host])) as Readonly<
  Record<HostId, HostDescriptor<HostId>>
>;

/** Whose calls those are that give nothing away, and whose form every unknown caller gets. */
export const DEFAULT_HOST: HostId = all.claudeCode.id;

export function isHostId(name: string): name is HostId {
  return Object.hasOwn(HOSTS, name);
}

/** The host of that id, else the default one. */
export function hostOrDefault(id: string): HostDescriptor<HostId> {
  return HOSTS[isHostId(id) ? id : DEFAULT_HOST];
}

/** The host a person or an installed command line means; undefined for an unknown name. */
export function resolveHost(name: string): HostId | undefined {
  const wanted = name.trim().toLowerCase();
  const byShortName = HOST_LIST.find(({ shortNames }) => shortNames?.includes(wanted));
  return byShortName?.id ?? (isHostId(wanted) ? wanted : undefined);
}
