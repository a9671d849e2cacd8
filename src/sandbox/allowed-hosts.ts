import { registryHosts } from "../programs/index.ts";
import { join, type System } from "../system/index.ts";

/** `api.example.com` at ports 443 and 80, `*.example.com` for all names below it, `example.com:8443` for that port. */
export function isAllowedHost(rules: readonly string[], host: string, port: number): boolean {
  const name = plainHost(host);
  return rules.some(rule => {
    const found = /^(.*?)(?::(\d+))?$/.exec(rule.toLowerCase());
    const [, pattern = "", wanted] = found ?? [];
    if (wanted === undefined ? port !== 443 && port !== 80 : Number(wanted) !== port) return false;
    return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
  });
}

/** Names have no case, and may end with a dot. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
}

const CONFIGURATIONS = [".npmrc", ".config/pip/pip.conf", ".pip/pip.conf", ".cargo/config.toml"];
const MAX_BYTES = 256 * 1024;
const REGISTRY_LINE =
  /^\s*(?:@[\w.-]+:)?(?:registry|index-url|extra-index-url|index|replace-with)\s*=\s*"?(?:sparse\+)?https?:\/\/(?:[^@/\s]*@)?([\w.-]+(?::\d+)?)/gim;

/** The registries of package managers: their own, and those that the user's own configuration names. */
export function findRegistries(
  { files, text }: Pick<System, "files" | "text">,
  home: string,
): readonly string[] {
  const configured = CONFIGURATIONS.flatMap(name => {
    const path = join(home, name);
    if (files.follow(path)?.kind !== "file") return [];
    const { text: content } = text.decode(files.readRange(path, 0, MAX_BYTES));
    return [...content.matchAll(REGISTRY_LINE)].map(([, host = ""]) => host.toLowerCase());
  });
  return [...new Set([...registryHosts(), ...configured])];
}
