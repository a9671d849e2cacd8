const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HEADER_BYTES = 5;

/** What the first bytes of a connection say: not TLS, not enough of them yet, or the name that the client asks for. */
export type ClientHello =
  | { readonly kind: "other" }
  | { readonly kind: "more" }
  | { readonly kind: "hello"; readonly name: string | undefined };

/** Reads the server's name of a TLS handshake, which is sent before anything is encrypted. */
export function readClientHello(bytes: Uint8Array): ClientHello {
  const handshake: number[] = [];
  let at = 0;
  // A handshake may be cut into several records.
  while (at < bytes.length) {
    if (bytes[at] !== HANDSHAKE) return { kind: "other" };
    if (bytes.length < at + HEADER_BYTES) return { kind: "more" };
    const length = numberAt(bytes, at + 3, 2);
    const part = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    handshake.push(...part);
    if (handshake.length >= 4) {
      if (handshake[0] !== CLIENT_HELLO) return { kind: "other" };
      const end = 4 + numberAt(handshake, 1, 3);
      if (handshake.length >= end) return { kind: "hello", name: findName(handshake.slice(4, end)) };
    }
    if (part.length < length) return { kind: "more" };
    at += HEADER_BYTES + length;
  }
  return { kind: "more" };
}

function numberAt(bytes: ArrayLike<number>, at: number, length: number): number {
  let value = 0;
  for (let index = at; index < at + length; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

/** Version and random bytes, then a session, ciphers and compressions, each behind its length; then extensions. */
function findName(hello: readonly number[]): string | undefined {
  let at = 34;
  for (const size of [1, 2, 1]) at += size + numberAt(hello, at, size);
  const end = Math.min(hello.length, at + 2 + numberAt(hello, at, 2));
  at += 2;
  while (at + 4 <= end) {
    const length = numberAt(hello, at + 2, 2);
    if (numberAt(hello, at, 2) === SERVER_NAME) return nameIn(hello.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}

/** A list of names, of which only the kind 0, a host, exists. */
function nameIn(extension: readonly number[]): string | undefined {
  if (extension[2] !== 0) return undefined;
  const name = extension.slice(5, 5 + numberAt(extension, 3, 2));
  return String.fromCharCode(...name);
}
