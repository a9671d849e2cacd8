import { afterEach, describe, expect, it, vi } from "vitest";
import { Interruption, listenForSignals } from "../../src/recipes/run/interruption.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("signals to a run", () => {
  it.each([
    ["SIGTERM", "SIGTERM", [143]],
    ["SIGINT", "SIGTERM", [143]],
    ["SIGTERM", "SIGHUP", [129]],
    // The system hangs up when a terminal closes, and then its shell does.
    ["SIGHUP", "SIGHUP", []],
  ] as const)("%s asks it to end; %s after it ends the process with %j", (first, second, codes) => {
    const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
    const interruption = new Interruption();
    const listening = listenForSignals(interruption);
    process.emit(first, first);
    expect([interruption.signal, exit.mock.calls]).toEqual([first, []]);
    process.emit(second, second);
    listening.dispose();
    expect(exit.mock.calls).toEqual(codes.map(code => [code]));
  });
});
