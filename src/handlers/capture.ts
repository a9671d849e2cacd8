import type { TextCodec } from "../system/index.ts";
import type { CapturedOutput } from "./decode.ts";

const CONTINUATION = 0x80;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === CONTINUATION;
}

/** Bytes → text. Where an output was cut in the middle of a character, the pieces are not bad UTF-8. */
export function captureText(
  codec: TextCodec,
  head: Uint8Array,
  isTruncated: boolean,
  tail: Uint8Array = new Uint8Array(0),
): CapturedOutput {
  const start = codec.decode(isTruncated ? withoutPartialEnd(head) : head);
  const end = codec.decode(withoutPartialStart(tail));
  return { text: start.text, tail: end.text, isTruncated, isReplaced: start.replaced || end.replaced };
}

function withoutPartialStart(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < 3 && isContinuation(bytes[from])) from++;
  return bytes.subarray(from);
}

function withoutPartialEnd(bytes: Uint8Array): Uint8Array {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const first = bytes[lead];
  if (first === undefined || first < 0xc0) return bytes;
  const expected = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return bytes.length - lead < expected ? bytes.subarray(0, lead) : bytes;
}
