import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Loopback, "this host", and addresses that only lead to the machine or its cloud's account of it. */
const LOCAL: readonly (readonly [address: string, bits: number])[] = [
  ["127.0.0.0", 8],
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["::1", 128],
  ["::", 128],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
];

/** Does an address lead back to this machine? A name that is allowed must not. */
export function isOwnAddress(address: string): boolean {
  const list = new BlockList();
  for (const [start, bits] of LOCAL) list.addSubnet(start, bits, familyOf(start));
  for (const { address: own } of Object.values(networkInterfaces()).flatMap(each => each ?? []))
    list.addAddress(own, familyOf(own));
  const [plain = ""] = address.split("%");
  const mapped = /^::ffff:(?:0:)?([\d.]+)$/i.exec(plain)?.[1];
  return [plain, ...(mapped === undefined ? [] : [mapped])].some(
    each => isIP(each) !== 0 && list.check(each, familyOf(each)),
  );
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
