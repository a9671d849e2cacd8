import { isJsonObject, type Json, type JsonObject, ownValue, readJson } from "../../protocol/index.ts";
import { rotationsOf } from "../../state/index.ts";
import type { System } from "../../system/system.ts";

/** One line of the audit log, as far as it can be read. */
interface AuditLine {
  readonly ts: string;
  readonly host: string;
  readonly verdict: string;
  readonly rules: readonly string[];
  readonly command: string | undefined;
  readonly cwd: string | undefined;
  readonly raw: JsonObject;
}

interface AuditRead {
  readonly lines: readonly AuditLine[];
  /** lines that are no audit lines; never silently skipped */
  readonly broken: number;
}

const FILE_LIMIT_BYTES = 64 * 1024 * 1024;

/** The whole log, oldest line first, rotated files included. */
export function readAudit(system: System, path: string): AuditRead {
  const lines: AuditLine[] = [];
  let broken = 0;
  const files = [...rotationsOf(system, path)].reverse();
  for (const file of [...files, path]) {
    if (system.files.follow(file) === undefined) continue;
    const { text } = system.text.decode(system.files.read(file, FILE_LIMIT_BYTES));
    for (const line of text.split("\n")) {
      if (line.trim() === "") continue;
      const read = readJson(line);
      const parsed = read.ok ? parseLine(read.value) : undefined;
      if (parsed === undefined) broken++;
      else lines.push(parsed);
    }
  }
  return { lines, broken };
}

function parseLine(value: Json): AuditLine | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = (name: string): string | undefined => {
    const found = ownValue(value, name);
    return typeof found === "string" ? found : undefined;
  };
  const rules = ownValue(value, "rules");
  const ts = text("ts");
  const verdict = text("verdict");
  if (ts === undefined || verdict === undefined) return undefined;
  return {
    ts,
    host: text("host") ?? "unknown",
    verdict,
    rules: Array.isArray(rules) ? rules.filter(rule => typeof rule === "string") : [],
    command: text("command"),
    cwd: text("cwd"),
    raw: value,
  };
}
