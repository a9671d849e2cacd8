// The memory image of the native program on its way into the executable: packed, then written over the room that
// the linker left for it. `native/host/src/image.rs` reads it.
import { spawnSync } from "node:child_process";
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
 * The head, what is copied at every start, then the rest in blocks that are unpacked one by one, with a dictionary that
 * all of them may repeat. `packer` is the program of `native/pack`.
 */
export function packImage(raw, packer) {
  const cold = raw.readUInt32LE(4);
  raw.writeUInt32LE(relateAddresses(raw.subarray(cold)), 12);
  const blocks = [];
  for (let from = cold; from < raw.length; from += BLOCK) blocks.push(raw.subarray(from, from + BLOCK));
  const dictionary = makeDictionary(blocks);
  const { status, stdout } = spawnSync(packer, [String(DICTIONARY), String(BLOCK)], {
    input: Buffer.concat([dictionary, ...blocks]),
    maxBuffer: 2 * raw.length,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${packer} ended with ${status}`);
  return Buffer.concat([raw.subarray(0, cold), dictionary, stdout]);
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
