import { sha256Hex } from "../../state/sha256.ts";
import { utf8 } from "../../system/utf8.ts";
import { type Answered, type Comparison, canonicalOutput } from "../../verify/compare.ts";
import { type Difference, toPlain } from "../../verify/json-equal.ts";

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

export function renderSummary(results: readonly Comparison[]): string {
  const events = [...new Set(results.map(result => result.event))].sort();
  const count = (event: string, status: Comparison["status"]): number =>
    results.filter(result => result.event === event && result.status === status).length;
  const width = Math.max(5, ...events.map(event => event.length));
  const rows = events.map(event => {
    const total = results.filter(result => result.event === event).length;
    const cells = [total, count(event, "match"), count(event, "mismatch"), count(event, "error")];
    return `${event.padEnd(width)}  ${cells.map(cell => String(cell).padStart(8)).join("  ")}`;
  });
  const head = `${"event".padEnd(width)}  ${["total", "match", "mismatch", "error"].map(cell => cell.padStart(8)).join("  ")}`;
  const bad = results
    .filter(result => result.status !== "match")
    .flatMap(result => [
      `${result.event} ${result.name}: ${statusText(result)}`,
      ...result.differences.map(line => `  ${differenceLine(line)}`),
    ]);
  const matched = results.filter(result => result.status === "match").length;
  return `${[head, ...rows, ...bad, `${matched}/${results.length} matched`].join("\n")}\n`;
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
  const count = (status: Comparison["status"]): number =>
    results.filter(result => result.status === status).length;
  const side = (answered: Answered) => ({
    output: answered.output === undefined ? answered.raw : toPlain(answered.output),
    exit_code: answered.exitCode ?? null,
    stderr_tail: answered.stderrTail,
    duration_us: answered.durationUs,
  });
  return {
    success: count("match") === results.length,
    total: results.length,
    matched: count("match"),
    mismatched: count("mismatch"),
    errors: count("error"),
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
