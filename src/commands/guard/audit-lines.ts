import { renderTable, type Terminal, type Width } from "../../cli/index.ts";
import { isJsonObject, type JsonObject, readJson, stringAt, stringsAt } from "../../protocol/index.ts";
import { listRotations, requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { clip, count, escapeHidden } from "../../text/index.ts";

/** One line of the audit log, as far as it can be read. */
export interface AuditLine {
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
  // Without a home the log would be that of another user.
  requireDirectories(system);
  const files = [...listRotations(system, path)].reverse().concat(path);
  const texts = files
    .filter(file => system.files.follow(file) !== undefined)
    .flatMap(file => system.text.decode(system.files.read(file, MAX_FILE_BYTES)).text.split("\n"))
    .filter(line => line.trim() !== "");
  const lines = texts.flatMap(parseLine);
  const broken = texts.length - lines.length;
  if (broken > 0) terminal.warn(`Warning: not readable in ${path}: ${count(broken, "line")}\n`);
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

/** A command as one line of a list, with everything written out that cannot be seen. */
export function oneLine(command: string, length: number): string {
  return clip(escapeHidden(command.replaceAll("\n", "⏎ ")), length);
}

const MAX_COMMAND = 120;
const INDENT = "    ";

/** One line, or on a terminal that is too narrow for it two and more, with the command below. */
export function renderAuditLine(
  { ts, verdict, host, rules, command = "a file" }: AuditLine,
  { columns }: Width,
): string {
  // The strongest rule; `guard why` and --json have the others.
  const rule = `${rules[0] ?? ""}${rules.length > 1 ? ` +${rules.length - 1}` : ""}`;
  const cells = [verdict.padEnd(5), host.padEnd(11), rule.padEnd(15)];
  const start = `${ts.slice(0, 16).replace("T", " ")}  ${cells.join(" ")}`;
  const shown = oneLine(command, MAX_COMMAND);
  if (columns === undefined || start.length + 1 + shown.length <= columns) return `${start} ${shown}\n`;
  return `${renderTable([[start.trimEnd()]], { columns })}${renderTable([[shown]], { columns }, INDENT)}`;
}
