import type { Readable } from "node:stream";

/** What is kept of both ends of a line that is too long. */
const ENDS = 4_096;
/** No JSON has it: what stands around it is no message. */
const CUT = "\0";

/**
 * Each line of a stream, and only a line feed ends one: some readers take more for an end, and would see other messages.
 * A line above the limit comes as its two ends.
 */
export function readLines(input: Readable, limit: number, take: (line: string) => void): void {
  let parts: string[] = [];
  let length = 0;
  const keep = (part: string): void => {
    length += part.length;
    if (length > limit) parts = cutMiddle(parts, part);
    else parts.push(part);
  };
  const end = (): void => {
    const line = parts.join("");
    [parts, length] = [[], 0];
    take(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  input.setEncoding("utf8");
  input.on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    lines.forEach((line, index) => {
      keep(line);
      if (index < lines.length - 1) end();
    });
  });
  input.on("end", () => {
    if (length > 0) end();
  });
}

function cutMiddle(parts: readonly string[], part: string): string[] {
  const [begin = "", cut, end = ""] = parts;
  if (cut === CUT) return [begin, CUT, `${end}${part}`.slice(-ENDS)];
  const whole = [...parts, part].join("");
  return [whole.slice(0, ENDS), CUT, whole.slice(-ENDS)];
}
