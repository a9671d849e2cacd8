import type { System } from "../system/system.ts";
import type { Terminal } from "./terminal.ts";

const REDRAW_MS = 100;
const CLEAR_LINE = "\r\u001b[K";

/** A line on stderr that shows how far something is; nothing where stderr is no terminal. */
export class ProgressLine {
  private readonly system: System;
  private readonly terminal: Terminal;
  private readonly isShown: boolean;
  private drawnMs = 0;

  constructor(system: System, terminal: Terminal) {
    this.system = system;
    this.terminal = terminal;
    this.isShown = system.stdio.isTerminal("stderr");
  }

  show(render: () => string): void {
    const nowMs = this.system.clock.monotonicMs();
    if (!this.isShown || nowMs - this.drawnMs < REDRAW_MS) return;
    this.drawnMs = nowMs;
    this.terminal.note(CLEAR_LINE + render());
  }

  /** Says what is going on while something runs that cannot tell how far it is. */
  async during<T>(text: string, work: () => T | Promise<T>): Promise<T> {
    this.show(() => text);
    try {
      return await work();
    } finally {
      this.clear();
    }
  }

  clear(): void {
    if (this.isShown) this.terminal.note(CLEAR_LINE);
  }
}
