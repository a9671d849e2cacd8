import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemorySystem } from "../../../src/system/memory.ts";
import { countLines, readLines } from "../../../src/transcripts/lines.ts";

const lines = (content: string | Uint8Array, maxLineBytes = 1000, chunkBytes = 7) => {
  const system = createMemorySystem({ files: { "/t": { content } } });
  return [...readLines(system, "/t", { maxLineBytes, chunkBytes })].map(line => line.text);
};

describe("the lines of a file of any size", () => {
  it("ends a line at each newline and needs none at the end", () => {
    expect(lines("one\ntwo")).toEqual(["one", "two"]);
    expect(lines("one\ntwo\n")).toEqual(["one", "two"]);
  });

  it("keeps empty lines and finds none in an empty file", () => {
    expect(lines("a\n\nb\n")).toEqual(["a", "", "b"]);
    expect(lines("")).toEqual([]);
  });

  it("joins a character that was cut between two chunks", () => {
    expect(lines("123456€789\n", 1000, 7)).toEqual(["123456€789"]);
  });

  it("gives no text for a line over the limit and goes on behind it", () => {
    expect(lines(`short\n${"x".repeat(50)}\nafter\n`, 20)).toEqual(["short", undefined, "after"]);
  });

  it("passes over the lines it is told to skip, however long they are", () => {
    const system = createMemorySystem({ files: { "/t": `0\n1\n${"2".repeat(90)}\n3\n4` } });
    const options = { maxLineBytes: 50, chunkBytes: 7, skip: [1, 4] as const };
    expect([...readLines(system, "/t", options)]).toEqual([{ text: "0" }, { text: "4" }]);
  });

  it("can be counted, with and without a newline at the end", () => {
    const count = (content: string) => countLines(createMemorySystem({ files: { "/t": content } }), "/t", 3);
    expect(["", "a", "a\n", "a\nb", "\n\n"].map(count)).toEqual([0, 1, 1, 2, 2]);
  });

  it("never asks for more than one chunk at a time", () => {
    const system = createMemorySystem({ files: { "/t": "x".repeat(5000) } });
    const asked: number[] = [];
    const files = {
      ...system.files,
      readRange: (path: string, offset: number, length: number) => {
        asked.push(length);
        return system.files.readRange(path, offset, length);
      },
    };
    const found = [...readLines({ ...system, files }, "/t", { maxLineBytes: 100, chunkBytes: 512 })];
    expect(found).toEqual([{ text: undefined }]);
    expect(Math.max(...asked)).toBe(512);
  });

  it("agrees with splitting the whole text, whatever the chunk", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" })),
        fc.integer({ min: 1, max: 40 }),
        (parts, chunk) => {
          const clean = parts.map(part => part.replace(/[\n\ud800-\udfff]/g, ""));
          expect(lines(clean.map(part => `${part}\n`).join(""), 100_000, chunk)).toEqual(clean);
        },
      ),
    );
  });
});
