import { type Files, SystemError } from "./system.ts";
import { decode, encode } from "./utf8.ts";

/**
 * Names of files are bytes. In text, each byte of a name that is not part of UTF-8 is a lone surrogate, U+DC80 to U+DCFF:
 * such a name leads to its file again.
 */
export function decodeName(bytes: Uint8Array): string {
  return decode(bytes, true).text;
}

/** Undefined for a text without such bytes, which any codec can encode. */
export function encodeRawName(name: string): Uint8Array | undefined {
  return RAW_BYTE.test(name) ? encode(name, true) : undefined;
}

const RAW_BYTE = /[\udc80-\udcff]/;

/** `Files.stampsOf`, one look after the other. */
export function joinStamps(paths: string, exactFacts: Files["exactFacts"]): string {
  const stampOf = (path: string) => {
    try {
      return exactFacts(path)?.stamp ?? "";
    } catch (error) {
      if (error instanceof SystemError) return error.code;
      throw error;
    }
  };
  return paths.split("\0").map(stampOf).join("\n");
}
