import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256, sha256Hex } from "../../src/system/index.ts";

describe("SHA-256", () => {
  it("gives the published digests", () => {
    expect(sha256Hex(new Uint8Array(0))).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    expect(sha256Hex(new TextEncoder().encode("abc"))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });

  it("agrees with the crypto module for every length around the block borders", () => {
    for (let length = 0; length <= 200; length++) {
      const bytes = new Uint8Array(length).map((_, index) => index * 7);
      expect(sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
  });

  it("agrees with the crypto module for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), bytes => {
        expect([...sha256(bytes)]).toEqual([...createHash("sha256").update(bytes).digest()]);
      }),
    );
  });

  it("agrees with the crypto module for a long text and a view into a buffer", () => {
    const bytes = new Uint8Array(1_000_003).fill(0xa5).subarray(3);
    expect(sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});
