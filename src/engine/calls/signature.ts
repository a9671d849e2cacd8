import { canonicalJson } from "../trust.ts";

/** Signs what waits for a person, so that nobody on the way can change what the person agreed to. */
export class Signer {
  private readonly key: ReturnType<typeof crypto.subtle.importKey>;

  /** Without a key of the host's own, only this engine can read its signatures. */
  constructor(secret: string | undefined) {
    const bytes =
      secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : new TextEncoder().encode(secret);
    this.key = crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
      "verify",
    ]);
  }

  async sign(value: object): Promise<string> {
    const signed = await crypto.subtle.sign("HMAC", await this.key, bytesOf(value));
    return Array.from(new Uint8Array(signed), byte => byte.toString(16).padStart(2, "0")).join("");
  }

  async isValid(value: object, signature: string): Promise<boolean> {
    if (!/^[0-9a-f]{64}$/.test(signature)) return false;
    const bytes = Uint8Array.from(signature.match(/../g) ?? [], pair => Number.parseInt(pair, 16));
    return crypto.subtle.verify("HMAC", await this.key, bytes, bytesOf(value));
  }
}

function bytesOf(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson(value));
}
