import { decodeBase32, decodeBase64, decodeHex, decodeUtf8 } from "../../shell/decode.ts";

function asText(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

export function base64Text(encoded: string): string | undefined {
  return asText(decodeBase64(encoded));
}

export function base32Text(encoded: string): string | undefined {
  return asText(decodeBase32(encoded));
}

export function hexText(encoded: string): string | undefined {
  return asText(decodeHex(encoded));
}
