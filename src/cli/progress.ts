import type { System } from "../system/index.ts";
import type { Terminal } from "./terminal.ts";

const REDRAW_MS = 100;
/** Work that takes less is not worth a word. */
const SILENT_MS = 1_000;
const CLEAR_LINE = "\r\u001b[K";
const DEFAULT_COLUMNS = 80;

/** A line on stderr that shows how far something is; nothing where no person watches, or JSON was asked for. */
export class ProgressLine {
  private readonly system: System;
  private readonly terminal: Terminal;
  private drawnMs = Number.NEGATIVE_INFINITY;
  private isDrawn = false;

  constructor(system: System, terminal: Terminal) {
    this.system = system;
    this.terminal = terminal;
  }

  /** For loops that call it often: draws ten times a second at most. */
  show(render: () => string): void {
    if (this.terminal.showsProgress && this.system.clock.monotonicMs() - this.drawnMs >= REDRAW_MS)
      this.draw(render());
  }

  /** Says what is going on, and for how long. `say` changes the words. */
  async during<T>(text: string, work: (say: (text: string) => void) => T | Promise<T>): Promise<T> {
    const ticking = this.tick(text);
    ticking.say(text);
    try {
      return await work(ticking.say);
    } finally {
      ticking.stop();
    }
  }

  /** Redraws every second from the next on, until it is stopped. */
  tick(text: string): { say(text: string): void; stop(): void } {
    if (!this.terminal.showsProgress) return { say() {}, stop() {} };
    const { clock } = this.system;
    const startedMs = clock.monotonicMs();
    let current = text;
    const draw = (): void => {
      const seconds = Math.floor((clock.monotonicMs() - startedMs) / 1000);
      this.draw(seconds === 0 ? current : `${current} ${seconds} s`);
    };
    const timer = setInterval(draw, SILENT_MS);
    timer.unref();
    return {
      say(next) {
        current = next;
        draw();
      },
      stop: () => {
        clearInterval(timer);
        this.clear();
      },
    };
  }

  clear(): void {
    if (this.isDrawn) this.terminal.note(CLEAR_LINE);
    this.isDrawn = false;
  }

  private draw(text: string): void {
    this.drawnMs = this.system.clock.monotonicMs();
    this.isDrawn = true;
    const columns = process.stderr.columns || DEFAULT_COLUMNS;
    this.terminal.note(CLEAR_LINE + (text.length < columns ? text : `${text.slice(0, columns - 2)}…`));
  }
}

/**
 * A terminal for a command that may say nothing for a while: after a second a line tells that it works, and is gone
 * before the first word of its own.
 */
export function tellWhileSilent(
  system: System,
  terminal: Terminal,
  text: string,
): { readonly terminal: Terminal; stop(): void } {
  if (!terminal.showsProgress) return { terminal, stop() {} };
  const { stop } = new ProgressLine(system, terminal).tick(text);
  const first =
    <A extends readonly unknown[]>(write: (...words: A) => void) =>
    (...words: A): void => {
      stop();
      write(...words);
    };
  return {
    stop,
    terminal: {
      ...terminal,
      print: first(terminal.print),
      printJson: first(terminal.printJson),
      printResult: first(terminal.printResult),
      note: first(terminal.note),
      warn: first(terminal.warn),
    },
  };
}
