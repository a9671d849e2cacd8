import { describe, expect, it } from "vitest";
import { isLoopback } from "../../src/system/loopback.ts";

describe("a host that is this machine", () => {
  it.each(["localhost", "127.0.0.1", "127.0.0.2", "127.255.255.255", "127.10.99.0", "::1", "[::1]"])(
    "is %s",
    host => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    "",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "evil.example/127.0.0.1",
    "evil.localhost",
    "127.0.0.1,db.example",
    "127.0.0.1 ",
    "127.0.0.1\n",
    "127.0.0.1\0.evil.example",
    "127.0.0.1.",
    "localhost.",
    "LOCALHOST",
    "127.0.0.256",
    "127.0.0.01",
    "127.0.0.1.1",
    "127.0.0",
    "127.1",
    "127",
    "0x7f.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "1127.0.0.1",
    "126.0.0.1",
    "0.0.0.0",
    "::",
    "[::]",
    "[::1",
    "::1]",
    "[127.0.0.1]",
    "::ffff:127.0.0.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "0:0:0:0:0:0:0:1",
    "::1%eth0",
    "１２７.0.0.1",
  ])("is not %j", host => {
    expect(isLoopback(host)).toBe(false);
  });

  it("is read from a URL as the URL is used, whatever its spelling", () => {
    const isHere = (address: string) => isLoopback(new URL(address).hostname);
    for (const host of ["LOCALHOST", "0x7f.1", "127.1", "2130706433", "127.0.0.1.", "[0::1]"])
      expect([host, isHere(`http://${host}/`)]).toEqual([host, true]);
    for (const host of [
      "127.0.0.1.evil.example",
      "localhost.",
      "[::ffff:127.0.0.1]",
      "127.0.0.1@evil.example",
    ])
      expect([host, isHere(`http://${host}/`)]).toEqual([host, false]);
  });
});
