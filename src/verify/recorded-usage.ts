import { setImmediate } from "node:timers/promises";
import { HOST_LIST } from "../hosts/index.ts";
import { errorText } from "../protocol/index.ts";
import { readText } from "../state/index.ts";
import { dirname, isAbsolute, join, type System } from "../system/index.ts";
import { findPastSessions, type PriceList, type Usage, UsageSum } from "../transcripts/index.ts";
import { readOpenCodeSessions } from "./open-code-records.ts";

const MAX_PLACE_BYTES = 4096;

export interface RecordedUsage extends Usage {
  /** what could not be read, for people */
  readonly problems: readonly string[];
}

/** What all hosts recorded below a home, in files that changed since then. */
export async function readRecordedUsage(
  system: System,
  home: string,
  { prices = {}, sinceMs = 0 }: { readonly prices?: PriceList; readonly sinceMs?: number } = {},
): Promise<RecordedUsage> {
  const sum = new UsageSum(prices);
  const problems: string[] = [];
  const records = findPastSessions(system, home).filter(({ modifiedMs }) => modifiedMs >= sinceMs);
  for (const record of records.toReversed()) {
    try {
      sum.addFile(system, record, knownDirectory(system, record.path));
    } catch (error) {
      problems.push(`${record.path}: ${errorText(error)}`);
    }
    // A server answers between the records.
    await setImmediate();
  }
  for (const { id, evidence } of HOST_LIST) {
    if (evidence?.messageStore === undefined) continue;
    const store = join(home, evidence.messageStore);
    try {
      for (const { messages } of await readOpenCodeSessions(system, store)) sum.addLines(id, messages);
    } catch (error) {
      problems.push(`${store}: ${errorText(error)}`);
    }
  }
  return { ...sum.result(), problems };
}

/** Gemini tells the directory of a session in a file above its records, not in them. */
export function knownDirectory(system: System, path: string): string | undefined {
  const folders = [dirname(dirname(path)), dirname(dirname(dirname(path)))];
  return folders
    .map(folder => readText(system, join(folder, ".project_root"), MAX_PLACE_BYTES)?.trim())
    .find(cwd => cwd !== undefined && isAbsolute(cwd));
}
