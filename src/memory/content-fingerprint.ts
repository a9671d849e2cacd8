import { shortHash } from "./short-hash.ts";

/** Equal for texts that differ in case, punctuation and white space only. */
export function contentFingerprint(text: string): string {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return shortHash(words === null ? text : words.join(" "));
}
