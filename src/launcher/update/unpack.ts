import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Problem } from "../../state/index.ts";

const BLOCK = 512;
const MAX_BYTES = 512 * 1024 * 1024;

/** Writes the files of an npm package archive below a new directory, without its first folder. Links are refused. */
export function unpack(archive: Uint8Array, directory: string): void {
  const bytes = gunzipSync(archive, { maxOutputLength: MAX_BYTES });
  let longName: string | undefined;
  for (let offset = 0; offset + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(offset, offset + BLOCK);
    if (header[0] === 0) break;
    const size = readOctal(header, 124, 12);
    const content = bytes.subarray(offset + BLOCK, offset + BLOCK + size);
    if (content.length < size) throw broken("it ends too early");
    const type = String.fromCharCode(header[156] ?? 0);
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "x") longName = paxPath(content.toString("utf8")) ?? longName;
    else if (type === "L") longName = cString(content);
    else if (type !== "g") {
      const isExecutable = (readOctal(header, 100, 8) & 0o111) !== 0;
      writeEntry(directory, type, longName ?? nameOf(header), content, isExecutable);
      longName = undefined;
    }
  }
}

function writeEntry(
  directory: string,
  type: string,
  name: string,
  content: Uint8Array,
  isExecutable: boolean,
): void {
  if (type !== "0" && type !== "\0" && type !== "5") throw broken("it holds links or devices");
  const parts = name.split("/").filter(part => part !== "" && part !== ".");
  if (name.startsWith("/") || name.includes("\0") || parts.includes("..")) throw broken("a name leaves it");
  const path = join(directory, ...parts.slice(1));
  if (parts.length < 2) return;
  if (type === "5") {
    mkdirSync(path, { recursive: true, mode: 0o755 });
    return;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content, { flag: "wx", mode: isExecutable ? 0o755 : 0o644 });
}

function nameOf(header: Buffer): string {
  const [name, prefix] = [cString(header.subarray(0, 100)), cString(header.subarray(345, 500))];
  const isPosix = header.subarray(257, 262).toString("latin1") === "ustar";
  return isPosix && prefix !== "" ? `${prefix}/${name}` : name;
}

/** Records are \`<length> <key>=<value>\\n\`. */
function paxPath(text: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
}

function readOctal(header: Buffer, start: number, length: number): number {
  const text = cString(header.subarray(start, start + length)).trim();
  if (!/^[0-7]*$/.test(text)) throw broken("a number in it cannot be read");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end < 0 ? bytes.length : end).toString("utf8");
}

function broken(why: string): Problem {
  return new Problem(`the archive of the release is not usable: ${why}`, { kind: "update" });
}
