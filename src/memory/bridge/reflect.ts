import type { ReflectReply, ReflectRequest } from "../../hooks/bridge/contracts.ts";
import { isReadablePlace } from "../../hooks/stop/power-steering/source.ts";
import { type Entry, entryText } from "../../hooks/transcript/entry.ts";
import { readLines } from "../../hooks/transcript/lines.ts";
import { isJsonObject, ownValue, readJson } from "../../protocol/index.ts";
import { askForReflection } from "../reflection/ask-agent.ts";
import { type Finding, strongest } from "../reflection/finding.ts";
import { renderReport } from "../reflection/report.ts";
import { reviewSession } from "../reflection/review.ts";
import { readSession, type Surroundings } from "./surroundings.ts";

/**
 * What went wrong in a session. Deterministic checks find it; the configured agent, if there is one, is asked
 * instead and gets what they found. A failing agent is an error, never a reason to fall back.
 */
export async function reflect(request: ReflectRequest, surroundings: Surroundings): Promise<ReflectReply> {
  const { agent } = surroundings.config.reflect;
  const excerpt = new Excerpt();
  const review = reviewSession(excerpt.watch(readSession(surroundings, request.transcript_path)));
  const findings = [...review.findings, ...holdsOf(request.redirects_path, surroundings)];
  if (agent !== undefined && excerpt.text !== "") {
    return askForReflection(surroundings, agent, { conversation: excerpt.text, findings });
  }
  const severity = strongest(findings);
  if (findings.length === 0) return { should_block: false, findings: [], severity };
  return {
    should_block: true,
    findings: findings.map(finding => finding.text),
    severity,
    report: renderReport(review.task, findings),
  };
}

const EXCERPT_CHARACTERS = 24_000;

/** The end of what was said, without tools: where a session got to matters more than where it began. */
class Excerpt {
  text = "";

  *watch(entries: Iterable<Entry>): Generator<Entry> {
    for (const entry of entries) {
      const said = entryText(entry).trim();
      if (said !== "" && !entry.isSynthetic) {
        this.text = `${this.text}${entry.role}: ${said}\n\n`.slice(-EXCERPT_CHARACTERS);
      }
      yield entry;
    }
  }
}

const HOLDS = 2;

/** How often the end of a turn was held, and for what; the stop hook keeps a line for each. */
function holdsOf(path: string | undefined, surroundings: Surroundings): readonly Finding[] {
  const { system } = surroundings;
  if (path === undefined || !isReadablePlace(surroundings, path)) return [];
  if (system.files.follow(path)?.kind !== "file") return [];
  const reasons = new Set<string>();
  let count = 0;
  for (const { text } of readLines(system, path)) {
    const read = readJson(text ?? "", { recover: false, maxDepth: 8 });
    if (!read.ok || !isJsonObject(read.value)) continue;
    count++;
    const failed = ownValue(read.value, "failed_considerations");
    for (const reason of Array.isArray(failed) ? failed : []) {
      if (typeof reason === "string" && /^[\w-]{1,64}$/.test(reason)) reasons.add(reason);
    }
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
