import { BlockList, isIP } from "node:net";

const LOOPBACK = blockList("127.0.0.0/8 ::1/128");
/** Never: link-local (cloud metadata lives there), unspecified, multicast, broadcast and reserved addresses. */
const FORBIDDEN = blockList("0.0.0.0/8 169.254.0.0/16 224.0.0.0/4 240.0.0.0/4 ::/128 fe80::/10 ff00::/8");
const PRIVATE = blockList(
  "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 192.0.0.0/24 198.18.0.0/15 fc00::/7 fec0::/10",
);

function blockList(subnets: string): BlockList {
  const list = new BlockList();
  for (const [, address = "", prefix] of subnets.matchAll(/(\S+)\/(\d+)/g))
    list.addSubnet(address, Number(prefix), address.includes(":") ? "ipv6" : "ipv4");
  return list;
}

export interface AddressRules {
  /** plain http: nothing may leave this machine */
  readonly loopbackOnly: boolean;
  readonly allowPrivateNetwork: boolean;
}

/** Why a web hook may not be sent to an address, or undefined when it may. */
export function refuseAddress(address: string, rules: AddressRules): string | undefined {
  const family = isIP(address);
  if (family === 0) return `${address} is not an address`;
  const embedded = family === 6 ? embeddedIpv4(address) : undefined;
  if (embedded !== undefined) return refuseAddress(embedded, rules);
  const isIn = (list: BlockList): boolean => list.check(address, family === 4 ? "ipv4" : "ipv6");
  if (isIn(LOOPBACK)) return undefined;
  if (rules.loopbackOnly) return `plain http goes to this machine only, and ${address} is another`;
  if (isIn(FORBIDDEN)) return `${address} is a link-local, unspecified, multicast or reserved address`;
  if (isIn(PRIVATE) && !rules.allowPrivateNetwork)
    return `${address} is on a private network (allowPrivateNetwork is off)`;
  return undefined;
}

/** Forms of IPv6 in which an IPv4 address travels: mapped, compatible, NAT64 and 6to4. */
function embeddedIpv4(address: string): string | undefined {
  const words = expandIpv6(address);
  if (words === undefined) return undefined;
  const [first = 0, second = 0, third = 0] = words;
  if (first === 0x2002) return dotted(second, third);
  const high = words.slice(0, 6);
  const isMapped = high.slice(0, 5).every(word => word === 0) && high[5] === 0xffff;
  const isCompatible = high.every(word => word === 0) && ((words[6] ?? 0) > 0 || (words[7] ?? 0) > 1);
  const isNat64 = first === 0x64 && second === 0xff9b && words.slice(2, 6).every(word => word === 0);
  return isMapped || isCompatible || isNat64 ? dotted(words[6] ?? 0, words[7] ?? 0) : undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

function expandIpv6(address: string): readonly number[] | undefined {
  const plain = address.replace(/%.*$/, "").replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const pair = (high: string, low: string): string => ((Number(high) << 8) | Number(low)).toString(16);
    return `${pair(a, b)}:${pair(c, d)}`;
  });
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = 8 - left.length - right.length;
  if (missing < 0 || (tail === undefined && missing > 0)) return undefined;
  return [...left, ...new Array<string>(missing).fill("0"), ...right].map(word => Number.parseInt(word, 16));
}
