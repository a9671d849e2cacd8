import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { Closing } from "../../src/engine/interruption.ts";
import { BASH_CALL, claudeCommands, makeEngine, source } from "./fixture.ts";

describe("an interruption", () => {
  it("is raised by the signal or the closing, and tells each subscriber once", () => {
    for (const raise of [
      (closing: Closing) => closing.raise(),
      (_: Closing, controller: AbortController) => controller.abort(),
    ]) {
      const closing = new Closing();
      const controller = new AbortController();
      const interruption = closing.or(controller.signal);
      const [first, second, gone] = [vi.fn(), vi.fn(), vi.fn()];
      interruption.subscribe(first);
      interruption.subscribe(second);
      interruption.subscribe(gone)();
      expect(interruption.isRaised).toBe(false);
      raise(closing, controller);
      raise(closing, controller);
      expect(interruption.isRaised).toBe(true);
      expect([first, second, gone].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    }
  });

  it("puts one listener on a signal, however many wait, and none when nobody does", () => {
    const { signal } = new AbortController();
    const closing = new Closing();
    const ends = Array.from({ length: 50 }, () => closing.or(signal).subscribe(() => {}));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    for (const end of ends) end();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("of a session with many hooks and dispatches makes Node warn of nothing", async () => {
    const warnings: unknown[] = [];
    const listen = (warning: unknown) => void warnings.push(warning);
    process.on("warning", listen);
    const engine = makeEngine({
      sources: [
        source(
          "claude",
          claudeCommands(
            "PreToolUse",
            Array.from({ length: 15 }, (_, index) => `: ${index}`),
          ),
        ),
      ],
    });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 12 }, () => engine.dispatch("PreToolUse", BASH_CALL, { signal })));
    await new Promise(resolve => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
