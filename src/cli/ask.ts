import { readSync } from "node:fs";
import type { System } from "../system/system.ts";

const LONGEST_ANSWER = 4_096;

/** Asks on stderr and reads one line from the terminal; empty at the end of input. */
export function askLine(system: System, question: string): string {
  system.stdio.writeError(question);
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  while (bytes.length < LONGEST_ANSWER) {
    if (readSync(0, byte, 0, 1, null) === 0 || byte[0] === 0x0a) break;
    bytes.push(byte[0] ?? 0);
  }
  return Buffer.from(bytes).toString("utf8");
}
