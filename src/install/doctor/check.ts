import { stripColours } from "../host-version.ts";

/** One thing that was looked at. */
export interface Check {
  readonly id: string;
  readonly status: "pass" | "warn" | "fail";
  readonly message: string;
  /** a command or step that puts it right */
  readonly fix?: string;
}

const LONGEST_MESSAGE = 200;

export function pass(id: string, message: string): Check {
  return { id, status: "pass", message: plain(message) };
}

export function warn(id: string, message: string, fix?: string): Check {
  return { id, status: "warn", message: plain(message), ...(fix === undefined ? {} : { fix }) };
}

export function fail(id: string, message: string, fix?: string): Check {
  return { id, status: "fail", message: plain(message), ...(fix === undefined ? {} : { fix }) };
}

/** One short line without colours, whatever a program or a file said. */
function plain(message: string): string {
  const line = stripColours(message).replace(/\s+/g, " ").trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE - 1)}…` : line;
}
