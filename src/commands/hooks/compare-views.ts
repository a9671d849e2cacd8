import { sha256Hex, utf8 } from "../../system/index.ts";
import {
  type Answered,
  type Comparison,
  canonicalOutput,
  type Difference,
  toPlain,
} from "../../verify/index.ts";

const SHOWN = 160;

export function renderCase(result: Comparison): string {
  const lines = [
    `${result.event} ${result.name}`,
    `Reference: ${duration(result.reference)} ${shorten(canonicalOutput(result.reference))}`,
    `Candidate: ${duration(result.candidate)} ${shorten(canonicalOutput(result.candidate))}`,
    `Status: ${statusText(result)}`,
    ...result.differences.map(differenceLine),
  ];
  return `${lines.join("\n")}\n`;
}

const STATUSES = ["match", "mismatch", "error"] as const;

export function renderSummary(results: readonly Comparison[]): string {
  const events = [...new Set(results.map(result => result.event))].sort();
  const width = Math.max(5, ...events.map(event => event.length));
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}  ${cells.map(cell => String(cell).padStart(8)).join("  ")}`;
  const rows = events.map(event => {
    const own = results.filter(result => result.event === event);
    return row(event, [own.length, ...STATUSES.map(status => countOf(own, status))]);
  });
  const bad = results
    .filter(result => result.status !== "match")
    .flatMap(result => [
      `${result.event} ${result.name}: ${statusText(result)}`,
      ...result.differences.map(line => `  ${differenceLine(line)}`),
    ]);
  const matched = `${countOf(results, "match")}/${results.length} matched`;
  return `${[row("event", ["total", ...STATUSES]), ...rows, ...bad, matched].join("\n")}\n`;
}

function countOf(results: readonly Comparison[], status: Comparison["status"]): number {
  return results.filter(result => result.status === status).length;
}

export function renderMatrix(results: readonly Comparison[]): string {
  const hash = (side: Answered): string => sha256Hex(utf8.encode(canonicalOutput(side)));
  const rows = results.map(
    result =>
      `${result.event} | ${result.name} | ${hash(result.reference)} | ${hash(result.candidate)} | ${result.status === "match" ? "✅" : "❌"}`,
  );
  return `${["event | case | sha256 of reference | sha256 of candidate | equal", ...rows].join("\n")}\n`;
}

export function toJson(results: readonly Comparison[]) {
  const side = (answered: Answered) => ({
    output: answered.output === undefined ? answered.raw : toPlain(answered.output),
    exit_code: answered.exitCode ?? null,
    stderr_tail: answered.stderrTail,
    duration_us: answered.durationUs,
  });
  return {
    success: countOf(results, "match") === results.length,
    total: results.length,
    matched: countOf(results, "match"),
    mismatched: countOf(results, "mismatch"),
    errors: countOf(results, "error"),
    cases: results.map(({ name, event, status, reference, candidate, differences, error }) => ({
      name,
      event,
      status,
      reference: side(reference),
      candidate: side(candidate),
      differences,
      ...(error === undefined ? {} : { error }),
    })),
  };
}

function statusText({ status, error }: Comparison): string {
  if (status === "match") return "MATCH ✅";
  return status === "mismatch" ? "MISMATCH ❌" : `ERROR ❌ ${error ?? ""}`;
}

function differenceLine(difference: Difference): string {
  const show = (side: "reference" | "candidate"): string =>
    side in difference ? shorten(JSON.stringify(difference[side])) : "absent";
  return `${difference.path === "" ? "(whole answer)" : difference.path}: reference ${show("reference")} candidate ${show("candidate")}`;
}

function duration({ durationUs }: Answered): string {
  return `${Math.round(durationUs / 1000)}ms`.padStart(6);
}

function shorten(text: string | undefined): string {
  const shown = text ?? "nothing";
  return shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN - 1)}…`;
}
