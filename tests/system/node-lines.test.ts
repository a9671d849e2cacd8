import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readLines } from "../../src/system/node.ts";

async function linesOf(chunks: readonly (string | Buffer)[], limit = 1_000_000): Promise<readonly string[]> {
  const lines: string[] = [];
  const input = Readable.from(
    chunks.map(chunk => Buffer.from(chunk)),
    { objectMode: false },
  );
  readLines(input, limit, line => lines.push(line));
  await new Promise(resolve => input.once("end", resolve));
  return lines;
}

describe("the lines of a stream", () => {
  it("end at a line feed and nowhere else", async () => {
    expect(await linesOf(["a\u2028b\u0085c\rd\u000be\n\nf\r\ng"])).toEqual([
      "a\u2028b\u0085c\rd\u000be",
      "",
      "f",
      "g",
    ]);
  });

  it("are whole however they come, characters too", async () => {
    const bytes = [...Buffer.from('{"a":"ä€😀"}\nnext\n')].map(byte => Buffer.from([byte]));
    expect(await linesOf(bytes)).toEqual(['{"a":"ä€😀"}', "next"]);
  });

  it("are their two ends where they are too long, which are no JSON, and the next is whole", async () => {
    const long = `{"id":7,"x":"${"y".repeat(100_000)}"}`;
    for (const size of [1, 7, 4_096, 1_000_000]) {
      const text = `${long}\n{"id":8}\n`;
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      );
      const [first = "", second] = await linesOf(chunks, 50_000);
      expect(first.length).toBeLessThan(9_000);
      expect([first.startsWith('{"id":7,'), first.endsWith('y"}'), second]).toEqual([true, true, '{"id":8}']);
      expect(() => JSON.parse(first)).toThrow();
    }
  });
});
