import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CapturedOutput } from "../../src/system/output.ts";

const limits = { stdoutBytes: 5, tailBytes: 3, stderrBytes: 4, drainBytes: 6 };
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("the kept output of a child", () => {
  it("is the start of stdout, the end of what came after, and the end or the start of stderr, however it was cut up", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom("stdout" as const, "stderr" as const), fc.string({ maxLength: 9 })),
        ),
        fc.nat(8),
        fc.nat(8),
        fc.nat(8),
        fc.boolean(),
        (chunks, stdoutBytes, tailBytes, stderrBytes, keepsFirstErrors) => {
          const kept = { stdoutBytes, tailBytes, stderrBytes, keepsFirstErrors };
          const output = new CapturedOutput({ ...kept, drainBytes: 1_000_000 });
          for (const [stream, chunk] of chunks) output.push(stream, bytesOf(chunk));
          const all = (stream: string) =>
            bytesOf(
              chunks
                .filter(([name]) => name === stream)
                .map(([, chunk]) => chunk)
                .join(""),
            );
          const stdout = all("stdout");
          const stderr = all("stderr");
          const rest = stdout.subarray(stdoutBytes);
          const result = output.result();
          expect([...result.stdout]).toEqual([...stdout.subarray(0, stdoutBytes)]);
          expect([...result.stdoutTail]).toEqual([...rest.subarray(Math.max(0, rest.length - tailBytes))]);
          const from = keepsFirstErrors ? 0 : Math.max(0, stderr.length - stderrBytes);
          expect([...result.stderr]).toEqual([...stderr.subarray(from, from + stderrBytes)]);
          expect(result.stdoutTruncated).toBe(stdout.length > stdoutBytes);
          expect(result.stderrTruncated).toBe(stderr.length > stderrBytes);
        },
      ),
    );
  });

  it("overflows when more than the drain limit was thrown away, both streams together", () => {
    const output = new CapturedOutput(limits);
    output.push("stdout", bytesOf("12345678" + "abc"));
    output.push("stderr", bytesOf("1234" + "def"));
    expect(output.isOverflowing).toBe(false);
    output.push("stderr", bytesOf("g"));
    expect(output.isOverflowing).toBe(true);
  });

  it("does not grow after it was closed", () => {
    const output = new CapturedOutput(limits);
    output.push("stdout", bytesOf("abc"));
    output.close();
    output.push("stdout", bytesOf("def"));
    output.push("stderr", bytesOf("ghi"));
    const { stdout, stderr } = output.result();
    expect(textOf(stdout)).toBe("abc");
    expect(textOf(stderr)).toBe("");
  });
});
