import { isReadablePlace, type ReflectReply, type ReflectRequest } from "../../hooks/index.ts";
import { isJsonObject, readJson, stringsAt } from "../../protocol/index.ts";
import { type Entry, entryText, readLines } from "../../transcripts/index.ts";
import { askForReflection } from "../reflection/ask-agent.ts";
import { type SessionFinding, strongest } from "../reflection/finding.ts";
import { renderReflection } from "../reflection/report.ts";
import { reviewSession } from "../reflection/review.ts";
import { type BridgeContext, readSession } from "./bridge-context.ts";

/**
 * What went wrong in a session. Deterministic checks find it; the configured agent, if there is one, is asked
 * instead and gets what they found. A failing agent is an error, never a reason to fall back.
 */
export async function reflect(request: ReflectRequest, context: BridgeContext): Promise<ReflectReply> {
  const { agent } = context.config.reflect;
  const excerpt = new Excerpt();
  const review = reviewSession(excerpt.watch(readSession(context, request.transcript_path)));
  const findings = [...review.findings, ...holdsOf(request.redirects_path, context)];
  if (agent !== undefined && excerpt.text !== "") {
    return askForReflection(context, agent, { conversation: excerpt.text, findings });
  }
  const severity = strongest(findings);
  if (findings.length === 0) return { should_block: false, findings: [], severity };
  return {
    should_block: true,
    findings: findings.map(finding => finding.text),
    severity,
    report: renderReflection(review.task, findings),
  };
}

const MAX_EXCERPT_CHARACTERS = 24_000;

/** The end of what was said, without tools: where a session got to matters more than where it began. */
class Excerpt {
  text = "";

  *watch(entries: Iterable<Entry>): Generator<Entry> {
    for (const entry of entries) {
      const said = entryText(entry).trim();
      if (said !== "" && !entry.isSynthetic) {
        this.text = `${this.text}${entry.role}: ${said}\n\n`.slice(-MAX_EXCERPT_CHARACTERS);
      }
      yield entry;
    }
  }
}

const HOLDS = 2;

/** How often the end of a turn was held, and for what; the stop hook keeps a line for each. */
function holdsOf(path: string | undefined, context: BridgeContext): readonly SessionFinding[] {
  const { system } = context;
  if (path === undefined || !isReadablePlace(context, path)) return [];
  if (system.files.follow(path)?.kind !== "file") return [];
  const reasons = new Set<string>();
  let count = 0;
  for (const { text } of readLines(system, path)) {
    const read = readJson(text ?? "", { recover: false, maxDepth: 8 });
    if (!read.ok || !isJsonObject(read.value)) continue;
    count++;
    for (const reason of stringsAt(read.value, "failed_considerations"))
      if (/^[\w-]{1,64}$/.test(reason)) reasons.add(reason);
  }
  if (count < HOLDS) return [];
  return [
    {
      severity: "low",
      text: `the end of a turn was held ${count} times (${[...reasons].sort().join(", ")})`,
      advice: "Go through the open points before ending a turn.",
    },
  ];
}
