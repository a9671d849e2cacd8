import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import { decodeName, encodeRawName, utf8 } from "../../src/system/utf8.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";

const node = createNodeSystem().text;
const standard = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes that are likely to form, break and overlap sequences. */
const trickyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(0x41, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff),
      fc.constantFrom(0x8f, 0x90, 0x9f, 0xa0, 0xbb),
      fc.integer({ min: 0, max: 255 }),
    ),
    { maxLength: 40 },
  )
  .map(bytes => Uint8Array.from(bytes));

describe.each([
  ["the portable codec", utf8],
  ["the Node codec", node],
])("%s", (_name, codec) => {
  it("decodes any bytes as the Encoding standard does, and says when it replaced some", () => {
    fc.assert(
      fc.property(trickyBytes, bytes => {
        const { text, replaced } = codec.decode(bytes);
        expect(text).toBe(standard.decode(bytes));
        expect(replaced).toBe(!isValid(bytes));
      }),
      { numRuns: runs(2000) },
    );
  });

  it("gives back every text it encodes", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), text => {
        expect(codec.decode(codec.encode(text))).toEqual({ text, replaced: false });
      }),
    );
  });

  it("encodes lone surrogates as the replacement character", () => {
    expect(codec.encode("a\ud800b\udc00")).toEqual(new TextEncoder().encode("a\ufffdb\ufffd"));
    expect(codec.encode("\ud800\ud800\udc00")).toEqual(new TextEncoder().encode("\ufffd\u{10000}"));
  });

  it("keeps a byte order mark", () => {
    expect(codec.decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41)).text).toBe("\ufeffA");
  });

  it("decodes texts of many pieces, and views into larger buffers", () => {
    const text = "aé€😀".repeat(5_000);
    const bytes = new TextEncoder().encode(`<<${text}>>`);
    expect(codec.decode(bytes.subarray(2, bytes.length - 2)).text).toBe(text);
  });
});

function isValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

describe("names of files", () => {
  it("lead back to their bytes, whatever these are", () => {
    fc.assert(
      fc.property(trickyBytes, bytes => {
        const name = decodeName(bytes);
        expect([...(encodeRawName(name) ?? utf8.encode(name))]).toEqual([...bytes]);
      }),
      { numRuns: runs(2000) },
    );
  });

  it("that are UTF-8 are ordinary text", () => {
    expect(decodeName(utf8.encode("größe \ufffd \u{1f480}"))).toBe("größe \ufffd \u{1f480}");
    expect(encodeRawName("größe \ufffd")).toBeUndefined();
  });
});
