import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeBase32,
  decodeBase64,
  decodeHex,
  decodePercent,
  decodeUtf8,
  decodeUtf16LittleEndian,
  rotate13,
} from "../../src/shell/decode.ts";
import { anyCharacter } from "../generated-inputs.ts";

const bytes = fc.uint8Array({ maxLength: 200 });

describe("base64", () => {
  it("gives back any bytes, padded, unpadded, url-safe and broken into lines", () => {
    fc.assert(
      fc.property(bytes, original => {
        const encoded = Buffer.from(original).toString("base64");
        const forms = [
          encoded,
          encoded.replace(/=+$/, ""),
          Buffer.from(original).toString("base64url"),
          encoded.replace(/.{20}/g, "$&\n"),
        ];
        for (const form of forms) expect(decodeBase64(form)).toEqual(new Uint8Array(original));
      }),
    );
  });

  it("refuses what is not base64", () => {
    expect(decodeBase64("rm -rf!")).toBeUndefined();
  });
});

describe("hexadecimal and base32", () => {
  it("gives back any bytes", () => {
    fc.assert(
      fc.property(bytes, original => {
        expect(decodeHex(Buffer.from(original).toString("hex"))).toEqual(new Uint8Array(original));
      }),
    );
  });

  it.each(["abc", "zz", "7g"])("refuses %j", encoded => {
    expect(decodeHex(encoded)).toBeUndefined();
  });

  it("reads the examples of RFC 4648", () => {
    expect(decodeUtf8(decodeBase32("MZXW6YTBOI======") ?? new Uint8Array())).toBe("foobar");
    expect(decodeUtf8(decodeBase32("mzxw6===") ?? new Uint8Array())).toBe("foo");
    expect(decodeBase32("0189")).toBeUndefined();
  });
});

describe("UTF-8 and UTF-16", () => {
  it("give back any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), original => {
        const text = Buffer.from(original, "utf8").toString("utf8");
        expect(decodeUtf8(new Uint8Array(Buffer.from(text, "utf8")))).toBe(text);
        expect(decodeUtf16LittleEndian(new Uint8Array(Buffer.from(text, "utf16le")))).toBe(text);
      }),
    );
  });

  it.each([
    [[0xff], "\ufffd"],
    [[0xc0, 0xaf], "\ufffd\ufffd"],
    [[0xe2, 0x82], "\ufffd\ufffd"],
    [[0x41, 0x80, 0x42], "A\ufffdB"],
    [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
  ])("replaces what is no UTF-8: %j", (raw, expected) => {
    expect(decodeUtf8(new Uint8Array(raw))).toBe(expected);
  });

  it("drops half a character of UTF-16", () => {
    expect(decodeUtf16LittleEndian(new Uint8Array([0x72, 0, 0x6d, 0, 0x2d]))).toBe("rm");
  });
});

describe("percent encoding and rot13", () => {
  it("gives back any text", () => {
    fc.assert(
      fc.property(fc.string(), original => {
        expect(decodePercent(encodeURIComponent(original))).toBe(original);
      }),
    );
  });

  it("leaves a lonely percent sign alone and reads a plus where it means a blank", () => {
    expect(decodePercent("100% rm%20-rf")).toBe("100% rm -rf");
    expect(decodePercent("a+b%2B", true)).toBe("a b+");
  });

  it("turns rot13 back by doing it again", () => {
    expect(rotate13("ez -es /")).toBe("rm -rf /");
    fc.assert(fc.property(fc.string(), original => rotate13(rotate13(original)) === original));
  });
});
