import { canonicalToolName, hostOrDefault } from "../hosts/index.ts";
import type { System } from "../system/index.ts";
import type { Entry, Naming } from "./entry.ts";
import { readLines } from "./lines.ts";
import { readTranscript } from "./read.ts";

/** `## 3. ASSISTANT`: the heading of a message in an exported conversation. */
export function messageHeading(number: number, role: string): string {
  return `## ${number}. ${role.toUpperCase()}`;
}

export const RULE = "---";
const HEADING = /^## (?:\d+\. )?(USER|ASSISTANT|User|Assistant)\b/;
const TIME_LINE = /^\*\*Timestamp\*\*: (.*)$/;

export function timeLine(timestamp: string | undefined): string {
  return `**Timestamp**: ${timestamp ?? "Unknown"}`;
}

/** The messages of an exported conversation, in either form. */
export function* readExport(
  system: Pick<System, "files" | "text">,
  path: string,
  name: Naming,
): Generator<Entry> {
  if (!path.endsWith(".md")) {
    yield* readTranscript(system, path, name);
    return;
  }
  let role: string | undefined;
  let timestamp: string | undefined;
  let text: string[] = [];
  const finish = (): Entry[] => {
    const body = text
      .join("\n")
      .replace(/(?<!\n)\n*---\s*$/, "")
      .trim();
    const parts = [{ kind: "text" as const, text: body }];
    return role === undefined ? [] : [{ role, timestamp, parts, isSynthetic: false }];
  };
  for (const line of readLines(system, path)) {
    const heading = HEADING.exec(line.text ?? "")?.[1];
    const time = TIME_LINE.exec(line.text ?? "")?.[1];
    if (heading !== undefined) {
      yield* finish();
      role = heading.toLowerCase();
      timestamp = undefined;
      text = [];
    } else if (time !== undefined && text.every(earlier => earlier.trim() === "")) {
      timestamp = time === "Unknown" ? undefined : time;
    } else {
      text.push(line.text ?? "");
    }
  }
  yield* finish();
}

/** Canonical names for the tools in a host's session files. */
export function toolNaming(host: string): Naming {
  const descriptor = hostOrDefault(host);
  return name => canonicalToolName(descriptor, name, {});
}
