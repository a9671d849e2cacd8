import { option, usageError } from "../../cli/index.ts";
import { type Config, NETWORKS, type SandboxSettings } from "../../config/index.ts";
import { findHome } from "../../state/index.ts";
import { expandHome, type System } from "../../system/index.ts";

export const NETWORK_OPTION = option.choice(
  NETWORKS,
  "none at all, only allowed hosts, or all of it; hosts unless sandbox.network says otherwise",
);

/** What the configuration says, and what was typed beside it. Folders that are not there are left out. */
export function resolveSettings(
  system: System,
  { sandbox }: Pick<Config, "sandbox">,
  typed: { readonly [name in keyof SandboxSettings]?: SandboxSettings[name] | undefined },
): SandboxSettings {
  const { files } = system;
  const home = findHome(system);
  const configured = (paths: readonly string[]) =>
    paths.map(path => expandHome(path, home)).filter(path => files.follow(path) !== undefined);
  const absolute = (paths: readonly string[]) => paths.map(path => files.realPath(path));
  return {
    network: typed.network ?? sandbox.network,
    hosts: [...sandbox.hosts, ...(typed.hosts ?? [])],
    ports: [...new Set([...sandbox.ports, ...(typed.ports ?? [])])],
    write: absolute([...configured(sandbox.write), ...(typed.write ?? [])]),
    read: absolute([...configured(sandbox.read), ...(typed.read ?? [])]),
    env: [...sandbox.env, ...(typed.env ?? [])],
  };
}

export function parsePorts(words: readonly string[]): readonly number[] {
  return words.map(word => {
    const port = /^\d{1,5}$/.test(word) ? Number(word) : 0;
    if (port < 1 || port > 65_535) throw usageError(`'${word}' is no port: 1 to 65535`);
    return port;
  });
}
