// The memory image of the native program on its way into the executable: packed, then written over the room that
// the linker left for it. `native/host/src/image.rs` reads it.
import { readFileSync, writeFileSync } from "node:fs";

/** Words of four bytes: the root, the length of what is copied, of the rest, the mark, and the place in the file. */
const HEAD = 64;
const BLOCK = 16 * 1024;
const DICTIONARY = 48 * 1024;
const MARK = Buffer.from("room for the image of the native program");

/** What stands for the image until it is known; its first word says that there is none. */
export function imageRoom(length) {
  return Buffer.concat([Buffer.alloc(HEAD), MARK], length);
}

/**
 * The head, what is copied at every start, then the rest in blocks that are unpacked one by one. A block may repeat
 * what stands in the dictionary, since it cannot repeat what stands in another block.
 */
export function packImage(raw) {
  const cold = raw.readUInt32LE(4);
  raw.writeUInt32LE(relateAddresses(raw.subarray(cold)), 12);
  const blocks = [];
  for (let from = cold; from < raw.length; from += BLOCK) blocks.push(raw.subarray(from, from + BLOCK));
  const dictionary = makeDictionary(blocks);
  const packed = blocks.map(block => pack(Buffer.concat([dictionary, block]), DICTIONARY));
  const index = Buffer.alloc((packed.length + 1) * 4);
  let offset = 0;
  for (const [number, block] of packed.entries()) {
    offset += block.length;
    index.writeUInt32LE(offset, (number + 1) * 4);
  }
  return Buffer.concat([raw.subarray(0, cold), dictionary, index, ...packed]);
}

const COLD = 0x1f_0000_0000n;

/**
 * Makes the addresses of what is loaded on demand relative to where they stand, which repeats more often; returns
 * the upper bits that mark them, which no other word has.
 */
function relateAddresses(cold) {
  const words = new BigUint64Array(cold.buffer.slice(cold.byteOffset, cold.byteOffset + cold.length));
  const used = new Set(words.map(word => word >> 48n));
  let mark = 0xf700n;
  while (used.has(mark)) mark++;
  const end = COLD + BigInt(cold.length);
  for (const [at, word] of words.entries())
    if (word >= COLD && word < end) {
      const relative = BigInt.asUintN(48, word - COLD - BigInt(at * 8));
      cold.writeBigUInt64LE((mark << 48n) | relative, at * 8);
    }
  return Number(mark);
}

const PIECE = 256;
/** In more blocks than this a word is so common that every block has it anyway. */
const COMMON = 12;
const STEP = 8;

/** The pieces that most blocks have in common. */
function makeDictionary(blocks) {
  const counts = new Map();
  for (const block of blocks) {
    const seen = new Set();
    for (let at = 0; at + STEP <= block.length; at++) seen.add(block.readBigUInt64LE(at));
    for (const word of seen) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const scored = [];
  const taken = new Set();
  for (const block of blocks)
    for (let from = 0; from + PIECE + STEP <= block.length; from += PIECE) {
      let score = 0;
      const words = new Set();
      for (let at = from; at < from + PIECE; at++) words.add(block.readBigUInt64LE(at));
      for (const word of words) score += Math.min(counts.get(word) - 1, COMMON);
      scored.push({ score, piece: block.subarray(from, from + PIECE), words });
    }
  scored.sort((left, right) => right.score - left.score);
  const chosen = [];
  for (const { piece, words } of scored) {
    if (chosen.length * PIECE >= DICTIONARY) break;
    const fresh = [...words].filter(word => !taken.has(word)).length;
    if (fresh * 2 < words.size) continue;
    for (const word of words) taken.add(word);
    chosen.push(piece);
  }
  return Buffer.concat([Buffer.concat(chosen)], DICTIONARY);
}

export function writeImage(executable, image) {
  const bytes = readFileSync(executable);
  const at = bytes.indexOf(MARK) - HEAD;
  if (at < 0 || bytes.indexOf(MARK, at + HEAD + 1) >= 0)
    throw new Error(`${executable}: expected room for one image`);
  image.writeUInt32LE(at, 16);
  image.copy(bytes, at);
  writeFileSync(executable, bytes, { mode: 0o755 });
}

const LEAST = 4;
const LAST_LITERALS = 5;
const TRIES = 256;

/** What follows `start` in the format of LZ4, packed as small as it gets: that happens once, unpacking often. */
function pack(source, start) {
  const matches = findMatches(source, start);
  // The cheapest way from every place to the end; a run of literals costs more once its length needs more bytes.
  const costs = new Float64Array(source.length + 1);
  const lengths = new Int32Array(source.length + 1);
  for (let at = source.length - 1; at >= start; at--) {
    costs[at] = costs[at + 1] + 1 + 1 / 128;
    const longest = Math.min(matches.lengths[at], source.length - LAST_LITERALS - at);
    for (let length = LEAST; length <= longest; length++) {
      const cost = costs[at + length] + 3 + (length >= 19 ? 1 + (length - 19) / 255 : 0);
      if (cost < costs[at]) {
        costs[at] = cost;
        lengths[at] = length;
      }
    }
  }
  const out = [];
  let literals = start;
  for (let at = start; at < source.length; ) {
    const length = lengths[at];
    if (length === 0) {
      at++;
      continue;
    }
    const distance = at - matches.froms[at];
    pushSequence(out, source.subarray(literals, at), length - LEAST);
    out.push(distance & 255, distance >> 8);
    pushLength(out, length - LEAST);
    at += length;
    literals = at;
  }
  pushSequence(out, source.subarray(literals), 0);
  return Buffer.from(out);
}

/** The longest repetition of something earlier at every place. */
function findMatches(source, start) {
  const lengths = new Int32Array(source.length);
  const froms = new Int32Array(source.length);
  const previous = new Int32Array(source.length).fill(-1);
  const heads = new Map();
  for (let at = 0; at + LEAST <= source.length; at++) {
    const key = source.readUInt32LE(at);
    let from = heads.get(key) ?? -1;
    previous[at] = from;
    heads.set(key, at);
    if (at < start) continue;
    // Inside a repetition the rest of it is a repetition too.
    if (at > start && lengths[at - 1] > 64) {
      lengths[at] = lengths[at - 1] - 1;
      froms[at] = froms[at - 1] + 1;
      continue;
    }
    for (let tries = 0; from >= 0 && tries < TRIES; tries++, from = previous[from]) {
      let length = LEAST;
      while (at + length < source.length && source[from + length] === source[at + length]) length++;
      if (length > lengths[at]) {
        lengths[at] = length;
        froms[at] = from;
      }
    }
  }
  return { lengths, froms };
}

function pushSequence(out, literals, match) {
  out.push((Math.min(literals.length, 15) << 4) | Math.min(match, 15));
  pushLength(out, literals.length);
  for (const byte of literals) out.push(byte);
}

function pushLength(out, length) {
  if (length < 15) return;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) out.push(255);
  out.push(rest);
}
