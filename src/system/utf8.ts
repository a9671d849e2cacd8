import { type Files, SystemError, type TextCodec } from "./system.ts";

/** UTF-8 in plain ECMAScript, for hosts that bring no codec of their own. Replaces as the Encoding standard does. */
export const utf8: TextCodec = { decode: bytes => decode(bytes, false), encode: text => encode(text, false) };

const REPLACEMENT = 0xfffd;
/** Each byte that is kept is the lone surrogate that ends like it. */
const RAW_BYTES = 0xdc00;
/** Longer argument lists overflow the stack of small engines. */
const UNITS_PER_CALL = 4096;

export function decode(bytes: Uint8Array, keepsBytes: boolean): { text: string; replaced: boolean } {
  const pieces: string[] = [];
  let units: number[] = [];
  let replaced = false;
  for (let index = 0; index < bytes.length; ) {
    const lead = bytes[index++] as number;
    if (lead < 0x80) {
      units.push(lead);
    } else {
      const { codePoint, next } = readSequence(bytes, lead, index);
      if (codePoint === undefined) replaced = true;
      // What follows a byte that is kept may be a sequence of its own.
      if (codePoint !== undefined || !keepsBytes) index = next;
      pushCodePoint(units, codePoint ?? (keepsBytes ? RAW_BYTES | lead : REPLACEMENT));
    }
    if (units.length >= UNITS_PER_CALL) {
      pieces.push(String.fromCharCode(...units));
      units = [];
    }
  }
  pieces.push(String.fromCharCode(...units));
  return { text: pieces.join(""), replaced };
}

/** Reads the bytes after `lead`; a sequence that breaks off is one error, and the byte that broke it is kept. */
function readSequence(
  bytes: Uint8Array,
  lead: number,
  start: number,
): { codePoint: number | undefined; next: number } {
  const shape = sequenceShape(lead);
  if (shape === undefined) return { codePoint: undefined, next: start };
  let { codePoint, lowest, highest } = shape;
  let next = start;
  for (let left = shape.following; left > 0; left--) {
    const byte = bytes[next];
    if (byte === undefined || byte < lowest || byte > highest) return { codePoint: undefined, next };
    codePoint = (codePoint << 6) | (byte & 0x3f);
    lowest = 0x80;
    highest = 0xbf;
    next++;
  }
  return { codePoint, next };
}

/** What may follow a lead byte; the bounds of the second byte exclude overlong forms and surrogates. */
function sequenceShape(
  lead: number,
): { following: number; codePoint: number; lowest: number; highest: number } | undefined {
  if (lead >= 0xc2 && lead <= 0xdf)
    return { following: 1, codePoint: lead & 0x1f, lowest: 0x80, highest: 0xbf };
  if (lead >= 0xe0 && lead <= 0xef) {
    const lowest = lead === 0xe0 ? 0xa0 : 0x80;
    const highest = lead === 0xed ? 0x9f : 0xbf;
    return { following: 2, codePoint: lead & 0x0f, lowest, highest };
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const lowest = lead === 0xf0 ? 0x90 : 0x80;
    const highest = lead === 0xf4 ? 0x8f : 0xbf;
    return { following: 3, codePoint: lead & 0x07, lowest, highest };
  }
  return undefined;
}

function pushCodePoint(units: number[], codePoint: number): void {
  if (codePoint < 0x10000) {
    units.push(codePoint);
    return;
  }
  const offset = codePoint - 0x10000;
  units.push(0xd800 + (offset >> 10), 0xdc00 + (offset & 0x3ff));
}

export function encode(text: string, keepsBytes: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) return encodeBeyondAscii(text, keepsBytes);
    bytes[index] = unit;
  }
  return bytes;
}

function encodeBeyondAscii(text: string, keepsBytes: boolean): Uint8Array {
  // Three bytes per UTF-16 unit are always enough: a pair of units takes four.
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    let codePoint = text.charCodeAt(index);
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
      const low = text.charCodeAt(index + 1);
      if (codePoint < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
        codePoint = 0x10000 + ((codePoint - 0xd800) << 10) + (low - 0xdc00);
        index++;
      } else if (keepsBytes && codePoint >= 0xdc80 && codePoint <= 0xdcff) {
        bytes[length++] = codePoint & 0xff;
        continue;
      } else {
        codePoint = REPLACEMENT;
      }
    }
    if (codePoint < 0x80) {
      bytes[length++] = codePoint;
    } else if (codePoint < 0x800) {
      bytes[length++] = 0xc0 | (codePoint >> 6);
      bytes[length++] = 0x80 | (codePoint & 0x3f);
    } else if (codePoint < 0x10000) {
      bytes[length++] = 0xe0 | (codePoint >> 12);
      bytes[length++] = 0x80 | ((codePoint >> 6) & 0x3f);
      bytes[length++] = 0x80 | (codePoint & 0x3f);
    } else {
      bytes[length++] = 0xf0 | (codePoint >> 18);
      bytes[length++] = 0x80 | ((codePoint >> 12) & 0x3f);
      bytes[length++] = 0x80 | ((codePoint >> 6) & 0x3f);
      bytes[length++] = 0x80 | (codePoint & 0x3f);
    }
  }
  return bytes.slice(0, length);
}

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
  const readStamp = (path: string) => {
    try {
      return exactFacts(path)?.stamp ?? "";
    } catch (error) {
      if (error instanceof SystemError) return error.code;
      throw error;
    }
  };
  return paths.split("\0").map(readStamp).join("\n");
}
