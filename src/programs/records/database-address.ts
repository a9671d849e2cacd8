import { isLoopback } from "../../system/index.ts";

/** Whether an address is, or may be, one of another machine; none at all is the configured one. */
export function isElsewhere(address: string): boolean {
  if (address === "") return false;
  const [, authority, rest = ""] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(address) ?? [];
  if (authority === undefined || !hasPlainQuery(rest)) return true;
  const hosts = authority
    .slice(authority.lastIndexOf("@") + 1)
    .toLowerCase()
    .split(",");
  return !hosts
    .map(host => host.replace(/:\d*$/, ""))
    .every(host => host === "" || host.startsWith("%2f") || isLoopback(host));
}

/** Names of parameters may be written in ways that only a reader of addresses undoes (`%68ost`): others than these count. */
function hasPlainQuery(rest: string): boolean {
  const [, query = ""] = /\?([^#]*)/.exec(rest) ?? [];
  return query.split("&").every(each => each === "" || /^(?:port|ssl[a-z]+)=/.test(each));
}
