/** SHA-256 in plain ECMAScript, for the places where no crypto module is at hand. */

const BLOCK_BYTES = 64;

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const INITIAL = new Uint32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

/** The same of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

let supplied: ((bytes: Uint8Array) => string) | undefined;

/** For an engine that interprets, and has a faster one beside it. */
export function supplySha256(hex: (bytes: Uint8Array) => string): void {
  supplied = hex;
}

export function sha256Hex(bytes: Uint8Array): string {
  if (supplied !== undefined) return supplied(bytes);
  return Array.from(sha256(bytes), byte => byte.toString(16).padStart(2, "0")).join("");
}

export function sha256(bytes: Uint8Array): Uint8Array {
  const hash = INITIAL.slice();
  const schedule = new Uint32Array(BLOCK_BYTES);
  const whole = bytes.length - (bytes.length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) compress(hash, schedule, bytes, at);
  const rest = padded(bytes.subarray(whole), bytes.length);
  for (let at = 0; at < rest.length; at += BLOCK_BYTES) compress(hash, schedule, rest, at);
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  for (const [index, word] of hash.entries()) view.setUint32(index * 4, word);
  return digest;
}

/** The last bytes, a one bit, zeros, and the length in bits as 64 bits. */
function padded(last: Uint8Array, totalBytes: number): Uint8Array {
  const blocks = last.length + 9 > BLOCK_BYTES ? 2 : 1;
  const rest = new Uint8Array(blocks * BLOCK_BYTES);
  rest.set(last);
  rest[last.length] = 0x80;
  const view = new DataView(rest.buffer);
  view.setUint32(rest.length - 8, Math.floor(totalBytes / 2 ** 29));
  view.setUint32(rest.length - 4, (totalBytes << 3) >>> 0);
  return rest;
}

/** Without calls inside: engines that only interpret pay more for one than for all the arithmetic of a round. */
function compress(hash: Uint32Array, schedule: Uint32Array, bytes: Uint8Array, at: number): void {
  for (let index = 0, from = at; index < 16; index++, from += 4) {
    schedule[index] =
      ((bytes[from] as number) << 24) |
      ((bytes[from + 1] as number) << 16) |
      ((bytes[from + 2] as number) << 8) |
      (bytes[from + 3] as number);
  }
  for (let index = 16; index < 64; index++) {
    const early = schedule[index - 15] as number;
    const late = schedule[index - 2] as number;
    const mixedEarly = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const mixedLate = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    schedule[index] =
      (schedule[index - 16] as number) + mixedEarly + (schedule[index - 7] as number) + mixedLate;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let round = 0; round < 64; round++) {
    const mixedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = (e & f) ^ (~e & g);
    const first =
      (h + mixedE + choice + (ROUND_CONSTANTS[round] as number) + (schedule[round] as number)) | 0;
    const mixedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + mixedA + majority) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) {
    hash[index] = (hash[index] as number) + value;
  }
}
