import type { Json } from "../../src/protocol/index.ts";
import type { GoldenCase, GoldenRun, LeftFile } from "./golden-case.ts";
import { differences } from "./matches.ts";

/** Everything in which a finished run is not as its case says; empty when it is. */
export function complaints(golden: GoldenCase, ended: GoldenRun): readonly string[] {
  const { meta, expected } = golden;
  const found: string[] = [];
  if (ended.exitCode !== (meta.exit_code ?? 0)) found.push(`exit code ${ended.exitCode}`);
  const { stdout } = ended;
  if (stdout !== "" && (!stdout.endsWith("\n") || stdout.trimEnd().includes("\n"))) {
    found.push(`stdout must be one line: ${stdout}`);
  }
  const normal = (text: string) => text.replaceAll(ended.sandbox, "{{SANDBOX}}");
  found.push(
    ...differences(expected, JSON.parse(normal(stdout === "" ? "{}" : stdout)) as Json).map(
      line => `stdout ${line}`,
    ),
  );
  const lines = ended.stderr.trimEnd().split("\n");
  if (!/^\{"hook":/.test(lines.at(-1) ?? ""))
    found.push(`stderr must end with the telemetry line: ${lines.at(-1)}`);
  for (const text of meta.stderr_contains ?? []) {
    if (!ended.stderr.includes(text)) found.push(`stderr lacks ${text}: ${ended.stderr}`);
  }
  for (const text of meta.stderr_lacks ?? []) {
    if (ended.stderr.includes(text)) found.push(`stderr must not hold ${text}`);
  }
  if (meta.asked !== undefined) {
    const asked = JSON.parse(normal(JSON.stringify(ended.asked))) as Json;
    found.push(...differences(meta.asked, asked).map(line => `bridge ${line}`));
  }
  for (const [path, wanted] of Object.entries(meta.leaves ?? {})) {
    found.push(...leftDifferences(wanted, ended.look(path), normal).map(line => `${path} ${line}`));
  }
  return found;
}

function leftDifferences(
  wanted: LeftFile,
  left: ReturnType<GoldenRun["look"]>,
  normal: (text: string) => string,
): readonly string[] {
  if (wanted === null) return left === undefined ? [] : ["must not be there"];
  if (left === undefined) return ["is missing"];
  if ("names" in wanted)
    return "names" in left ? differences([...wanted.names].sort(), [...left.names].sort()) : ["is a file"];
  if ("names" in left) return ["is a directory"];
  const text = normal(left.text);
  if ("text" in wanted) return differences(wanted.text, text);
  if ("json" in wanted) return differences(wanted.json, JSON.parse(text) as Json);
  const lines = text.split("\n").filter(line => line !== "");
  return differences(
    [...wanted.jsonl],
    lines.map(line => JSON.parse(line) as Json),
  );
}
