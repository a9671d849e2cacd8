import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { Problem } from "../../state/index.ts";

/** DER around the 32 bytes of an Ed25519 key. */
const SPKI_START = Buffer.from("302a300506032b6570032100", "hex");
const SIGNATURE_BYTES = 64;

/** The key that releases are signed with: as configured, else the one that this release was shipped with. */
export function releaseKey(configured: string | undefined, shippedFile: string): KeyObject {
  const text = (configured ?? readShipped(shippedFile)).trim();
  if (text === "") {
    throw refuse(
      "no key to check releases with is shipped or configured",
      "set update.publicKey in config.jsonc",
    );
  }
  try {
    const key = readPublicKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Told below, without the text.
  }
  throw refuse(
    "the key to check releases with is not an Ed25519 public key",
    "set update.publicKey as PEM or base64",
  );
}

/** A build that was not released has none. */
function readShipped(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** PEM, or base64 of the DER form or of the bare 32 bytes. */
export function readPublicKey(text: string): KeyObject {
  if (text.startsWith("-----BEGIN")) return createPublicKey(text);
  const bytes = Buffer.from(text, "base64");
  const der = bytes.length === 32 ? Buffer.concat([SPKI_START, bytes]) : bytes;
  return createPublicKey({ key: der, format: "der", type: "spki" });
}

/** Refuses bytes that were not signed with the key. The signature is 64 bytes, bare or as base64. */
export function checkSignature(
  bytes: Uint8Array,
  signature: Uint8Array,
  key: KeyObject,
  what = "SHA256SUMS",
): void {
  const bare =
    signature.length === SIGNATURE_BYTES ? signature : Buffer.from(textOfBytes(signature), "base64");
  if (bare.length === SIGNATURE_BYTES && verify(null, bytes, key, bare)) return;
  throw refuse(`the signature of ${what} does not fit; nothing was changed`);
}

/** Refuses a file that is not what the signed sums say, or is not named there. */
export function checkSum(sums: Uint8Array, name: string, content: Uint8Array): void {
  const wanted = textOfBytes(sums)
    .split("\n")
    .map(line => /^([0-9a-f]{64}) [ *](.+?)\r?$/.exec(line))
    .find(match => match?.[2] === name)?.[1];
  if (wanted === undefined) throw refuse(`SHA256SUMS does not name ${name}; nothing was changed`);
  if (createHash("sha256").update(content).digest("hex") === wanted) return;
  throw refuse(`${name} is not the file that SHA256SUMS names; nothing was changed`);
}

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function refuse(message: string, fix?: string): Problem {
  return new Problem(message, { kind: "untrusted-release", fix });
}
