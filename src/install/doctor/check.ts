import { stripVTControlCharacters } from "node:util";

/** One thing that was looked at. */
export interface DoctorCheck {
  readonly id: string;
  readonly status: "pass" | "warn" | "fail";
  readonly message: string;
  /** a command or step that puts it right */
  readonly fix?: string;
}

const MAX_MESSAGE = 200;

export function pass(id: string, message: string): DoctorCheck {
  return { id, status: "pass", message: plain(message) };
}

export function warn(id: string, message: string, fix?: string): DoctorCheck {
  return { id, status: "warn", message: plain(message), ...(fix === undefined ? {} : { fix }) };
}

export function fail(id: string, message: string, fix?: string): DoctorCheck {
  return { id, status: "fail", message: plain(message), ...(fix === undefined ? {} : { fix }) };
}

/** One short line without colours, whatever a program or a file said. */
function plain(message: string): string {
  const line = stripVTControlCharacters(message).replace(/\s+/g, " ").trim();
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE - 1)}…` : line;
}
