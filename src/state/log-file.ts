import { errorText } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import { appendLine } from "./append-line.ts";
import type { Rotation } from "./rotate.ts";
import { localTimestamp } from "./timestamp.ts";

export type LogLevel = "DEBUG" | "INFO" | "WARNING" | "ERROR";

const ROTATION: Rotation = { limitBytes: 10 * 1024 * 1024, keep: 5 };
const MESSAGE_LENGTH = 2_000;
/** Logs that were complained about, by the machine they are on: one run opens a log more than once. */
const COMPLAINTS = new WeakMap<System["stdio"], Set<string>>();

/**
 * A log of lines `[time] LEVEL: message` that rotates itself. Writing never throws: a log that cannot be written
 * says so once on stderr, because no decision may depend on it.
 */
export class LogFile {
  readonly path: string;
  private readonly system: System;

  constructor(path: string, options: { readonly system: System }) {
    this.path = path;
    this.system = options.system;
  }

  write(level: LogLevel, message: string): void {
    const { clock, stdio } = this.system;
    try {
      const line = `[${localTimestamp(clock.nowMs())}] ${level}: ${escapeControls(clip(message, MESSAGE_LENGTH))}`;
      appendLine(this.system, this.path, line, { rotation: ROTATION });
    } catch (error) {
      const told = COMPLAINTS.get(stdio) ?? new Set();
      if (told.has(this.path)) return;
      COMPLAINTS.set(stdio, told.add(this.path));
      const reason = errorText(error);
      stdio.writeError(`amplihack: the log cannot be written: ${escapeControls(reason)}\n`);
    }
  }
}
