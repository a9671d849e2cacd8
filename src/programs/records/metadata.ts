import { wordSet } from "../../shell/index.ts";

/** Services that tell a machine of a cloud who it is, and give it its credentials. */
const NAMES = wordSet(
  `metadata metadata.google.internal metadata.goog instance-data instance-data.ec2.internal metadata.tencentyun.com
  metadata.packet.net metadata.platformequinix.com`,
);
/** 169.254.169.254 (most clouds), .170.2 and .170.23 (containers), 100.100.100.200, 192.0.0.192, 168.63.129.16 */
const ADDRESSES: readonly number[] = [
  0xa9fea9fe, 0xa9feaa02, 0xa9feaa17, 0xa9fe0017, 0x646464c8, 0xc00000c0, 0xa83f8110,
];
const ADDRESSES_6 = wordSet("fd00:ec2:0:0:0:0:0:254 fd00:ec2:0:0:0:0:0:23 fd20:ce:0:0:0:0:0:254");
/** Names that a public server answers with the address in them. */
const EMBEDDED = /(?:^|[.-])(\d+)[.-](\d+)[.-](\d+)[.-](\d+)\.(?:nip|sslip|xip)\.io$/;

/** Whether an address with or without a scheme, a port and a path leads to such a service. */
export function isMetadataAddress(address: string): boolean {
  const host = hostOf(address);
  if (host === "") return false;
  if (NAMES.has(host)) return true;
  if (host.includes(":")) return isMetadataAddress6(host);
  const embedded = EMBEDDED.exec(host);
  const number = numberOf(embedded === null ? host : embedded.slice(1).join("."));
  return number !== undefined && ADDRESSES.includes(number);
}

function hostOf(address: string): string {
  const rest = decoded(address.replace(/^[a-z][a-z0-9+.-]*:[/\\]*/i, "").replace(/^[/\\]+/, ""));
  const authority = rest.replace(/[/\\?#].*$/s, "").replace(/^.*@/s, "");
  const bracketed = /^\[([^\]]*)\]/.exec(authority)?.[1];
  const host = bracketed ?? (/^[^:]*:[^:]*:/.test(authority) ? authority : authority.replace(/:.*$/s, ""));
  return host.toLowerCase().replace(/\.$/, "");
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** As inet_aton reads it: one to four numbers, each decimal, octal or hexadecimal; the last fills what is left. */
function numberOf(host: string): number | undefined {
  const parts = host.split(".").map(numeral);
  const last = parts.at(-1);
  if (parts.length > 4 || last === undefined || parts.includes(undefined)) return undefined;
  const front = parts
    .slice(0, -1)
    .reduce<number>((sum, part, index) => sum + (part ?? 0) * 256 ** (3 - index), 0);
  return front + last;
}

function numeral(written: string): number | undefined {
  if (/^0x[0-9a-f]+$/i.test(written)) return Number.parseInt(written.slice(2), 16);
  if (/^0[0-7]+$/.test(written)) return Number.parseInt(written, 8);
  return /^\d{1,10}$/.test(written) ? Number(written) : undefined;
}

function isMetadataAddress6(host: string): boolean {
  const groups = groupsOf(host.replace(/%.*$/s, ""));
  if (groups === undefined) return false;
  const isMapped = /^0:0:0:0:0:(?:ffff|0):|^64:ff9b:0:0:0:0:/.test(groups.join(":"));
  const [high = "0", low = "0"] = groups.slice(6);
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return ADDRESSES_6.has(groups.join(":")) || (isMapped && ADDRESSES.includes(number));
}

/** The eight groups without leading zeros; `::` stands for those left out, four decimal numbers for the last two. */
function groupsOf(host: string): readonly string[] | undefined {
  const tail = /[^:]+\..+$/.exec(host)?.[0];
  const number = tail === undefined ? undefined : numberOf(tail);
  const written =
    tail === undefined || number === undefined
      ? host
      : `${host.slice(0, -tail.length)}${Math.floor(number / 65_536).toString(16)}:${(number % 65_536).toString(16)}`;
  const [front = "", back] = written.split("::");
  const before = front === "" ? [] : front.split(":");
  const after = back === undefined || back === "" ? [] : back.split(":");
  const missing = back === undefined ? 0 : 8 - before.length - after.length;
  if (missing < 0) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  if (groups.length !== 8 || groups.some(group => !/^[0-9a-f]{1,4}$/.test(group))) return undefined;
  return groups.map(group => group.replace(/^0+(?=.)/, ""));
}
