import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { CloseSignal } from "../../src/engine/cancel-signal.ts";
import { BASH_CALL, claudeCommands, makeEngine, source } from "./fixture.ts";

describe("an cancel", () => {
  it("is raised by the signal or the closing, and tells each subscriber once", () => {
    for (const raise of [
      (closing: CloseSignal) => closing.raise(),
      (_: CloseSignal, controller: AbortController) => controller.abort(),
    ]) {
      const closing = new CloseSignal();
      const controller = new AbortController();
      const cancel = closing.or(controller.signal);
      const [first, second, gone] = [vi.fn(), vi.fn(), vi.fn()];
      cancel.subscribe(first);
      cancel.subscribe(second);
      cancel.subscribe(gone)();
      expect(cancel.isRaised).toBe(false);
      raise(closing, controller);
      raise(closing, controller);
      expect(cancel.isRaised).toBe(true);
      expect([first, second, gone].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    }
  });

  it("puts one listener on a signal, however many wait, and none when nobody does", () => {
    const { signal } = new AbortController();
    const closing = new CloseSignal();
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
