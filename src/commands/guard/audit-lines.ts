import type { Terminal } from "../../cli/terminal.ts";
import { isJsonObject, type JsonObject, readJson } from "../../protocol/index.ts";
import { stringAt, stringsAt } from "../../protocol/members.ts";
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

interface AuditLog {
  readonly lines: readonly AuditLine[];
  /** how many lines are no audit lines */
  readonly broken: number;
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The whole log, oldest line first, rotated files included. Lines that cannot be read are counted in a warning. */
export function readAuditLog(system: System, terminal: Terminal, path: string): AuditLog {
  const files = [...rotationsOf(system, path)].reverse().concat(path);
  const texts = files
    .filter(file => system.files.follow(file) !== undefined)
    .flatMap(file => system.text.decode(system.files.read(file, MAX_FILE_BYTES)).text.split("\n"))
    .filter(line => line.trim() !== "");
  const lines = texts.flatMap(parseLine);
  const broken = texts.length - lines.length;
  if (broken > 0) terminal.warn(`Warning: ${broken} line(s) of ${path} cannot be read\n`);
  return { lines, broken };
}

function parseLine(text: string): readonly AuditLine[] {
  const read = readJson(text);
  const raw = read.ok && isJsonObject(read.value) ? read.value : undefined;
  const [ts, verdict] = [stringAt(raw, "ts"), stringAt(raw, "verdict")];
  if (raw === undefined || ts === undefined || verdict === undefined) return [];
  return [
    {
      ts,
      host: stringAt(raw, "host") ?? "unknown",
      verdict,
      rules: stringsAt(raw, "rules"),
      command: stringAt(raw, "command"),
      cwd: stringAt(raw, "cwd"),
      raw,
    },
  ];
}

/** A command as one line of a list. */
export function oneLine(command: string, length: number): string {
  return command.replaceAll("\n", "⏎ ").slice(0, length);
}
