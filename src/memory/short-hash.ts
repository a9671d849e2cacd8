import { createHash } from "node:crypto";

/** 64 bits of SHA-256 in hexadecimal: enough to tell texts apart, and to notice a changed one. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);
}
