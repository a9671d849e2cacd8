import { type Json, readJson } from "../../protocol/index.ts";
import type { RuleId } from "../rules.ts";
import { type Cue, type CueKind, findCues } from "./cues.ts";
import { findHiddenParts } from "./hidden-parts.ts";
import { findWaitingAddress } from "./image-links.ts";
import { mentionsIn } from "./mention.ts";
import { findOverrides } from "./overrides.ts";
import { findPassages } from "./passages.ts";
import { findSmuggled } from "./smuggled.ts";
import { decodedTexts, toPlain, undisguised } from "./views.ts";

/** A sign that a text from outside gives instructions to the agent that reads it. */
export interface InjectionFinding {
  readonly rule: Extract<RuleId, `injection.${string}`>;
  /** what it is, for both readers; never words of the text itself */
  readonly what: string;
  /** counted from one; undefined where the text was decoded first */
  readonly line: number | undefined;
}

/** Of longer texts the beginning and the end are read. */
const MAX_OPENING = 150_000;
const MAX_ENDING = 50_000;
/** Signs further apart than this do not belong together. */
const NEAR = 400;
const MAX_DEPTH = 12;

/** What a tool brought, as a text or as any value with texts in it. One finding of each rule at most. */
export function findInjections(result: Json): readonly InjectionFinding[] {
  const found = new Map<string, InjectionFinding>();
  for (const text of textsOf(result)) {
    for (const finding of inspect(shorten(text)))
      if (!found.has(finding.rule)) found.set(finding.rule, finding);
  }
  return [...found.values()];
}

/** JSON in a text is read, too: quotes and escapes of the format are none of the text's own. */
function textsOf(result: Json): readonly string[] {
  if (typeof result !== "string") return [stringsIn(result, MAX_DEPTH).join("\n")];
  if (!/^\s*[[{]/.test(result) || result.length > MAX_OPENING) return [result];
  const read = readJson(result, { maxDepth: MAX_DEPTH * 2, recover: false });
  return read.ok ? [result.replaceAll("\\n", "\n"), stringsIn(read.value, MAX_DEPTH).join("\n")] : [result];
}

function stringsIn(value: Json, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth === 0) return [];
  return Object.values(value).flatMap(member => stringsIn(member, depth - 1));
}

function shorten(text: string): string {
  if (text.length <= MAX_OPENING + MAX_ENDING) return text;
  return `${text.slice(0, MAX_OPENING)}\n${text.slice(-MAX_ENDING)}`;
}

function inspect(text: string): readonly InjectionFinding[] {
  const findings: InjectionFinding[] = [];
  const smuggled = findSmuggled(text);
  if (smuggled !== undefined)
    findings.push({ rule: "injection.hidden", what: smuggled.what, line: lineOf(text, smuggled.at) });
  const plain = toPlain(text);
  findings.push(...inspectAddresses(plain));
  findings.push(...inspectPassages(plain));
  if (findings.length === 0) findings.push(...inspectDisguised(plain));
  for (const decoded of decodedTexts(plain)) {
    if (!findCues(decoded).some(({ kind }) => kind !== "address" && kind !== "imitation")) continue;
    findings.push({ rule: "injection.encoded", what: "instructions in base64", line: undefined });
    break;
  }
  return findings;
}

function inspectAddresses(plain: string): readonly InjectionFinding[] {
  if (!plain.includes("http")) return [];
  const waiting = findWaitingAddress(plain);
  if (waiting === undefined || mentionsIn(plain)(waiting.at, waiting.at + 1)) return [];
  if (!waiting.isImage) {
    const around = plain.slice(Math.max(0, waiting.at - NEAR), waiting.at + NEAR);
    if (!findCues(around).some(({ kind }) => kind === "address")) return [];
  }
  const what = "an address that waits for data to be filled in";
  return [{ rule: "injection.exfiltration", what, line: lineOf(plain, waiting.at) }];
}

function inspectDisguised(plain: string): readonly InjectionFinding[] {
  const isFound = undisguised(plain).some(view => {
    const isMention = mentionsIn(view);
    return findOverrides(view).some(([start, end]) => !isMention(start, end));
  });
  const what = "a request to drop earlier instructions, in disguised letters";
  return isFound ? [{ rule: "injection.override", what, line: undefined }] : [];
}

function inspectPassages(plain: string): readonly InjectionFinding[] {
  const passages = findPassages(plain);
  if (passages.length === 0) return [];
  const hidden = findHiddenParts(plain);
  const isMention = mentionsIn(plain);
  return passages.flatMap(({ start, text }) => {
    const cues = findCues(text)
      .map(cue => ({ ...cue, start: cue.start + start, end: cue.end + start }))
      .filter(cue => !isMention(cue.start, cue.end));
    const found = judge(cues, hidden);
    return found === undefined ? [] : [{ ...found.finding, line: lineOf(plain, found.at) }];
  });
}

const HARM: readonly CueKind[] = ["risk", "secrecy", "persona"];

/** One strong sign, or two that belong together: somebody is spoken to, and something is wanted that harms. */
function judge(
  cues: readonly Cue[],
  hidden: ReturnType<typeof findHiddenParts>,
): { readonly at: number; readonly finding: Omit<InjectionFinding, "line"> } | undefined {
  const isHidden = (cue: Cue) => hidden.some(([from, to]) => cue.start >= from && cue.end <= to);
  const covert = cues.find(
    cue => isHidden(cue) && (cue.kind === "override" || isPaired(cue, cues, isHidden)),
  );
  if (covert !== undefined) {
    const what = "instructions to agents in a part that is not shown";
    return { at: covert.start, finding: { rule: "injection.hidden", what } };
  }
  const override = cues.find(({ kind }) => kind === "override");
  if (override !== undefined) {
    const what = "a request to drop earlier instructions";
    return { at: override.start, finding: { rule: "injection.override", what } };
  }
  const harm = cues.find(cue => HARM.includes(cue.kind) && partnerOf(cue, cues) !== undefined);
  const partner = harm === undefined ? undefined : partnerOf(harm, cues);
  if (harm === undefined || partner === undefined) return undefined;
  const finding =
    partner.kind === "imitation"
      ? ({
          rule: "injection.imitation",
          what: "an imitated turn or tool call with something risky to do",
        } as const)
      : ({ rule: "injection.directive", what: "a risky request to whatever agent reads it" } as const);
  return { at: Math.min(harm.start, partner.start), finding };
}

/** In a hidden part, a harm is enough, and so is somebody who is spoken to and told what to do. */
function isPaired(cue: Cue, cues: readonly Cue[], isHidden: (cue: Cue) => boolean): boolean {
  if (HARM.includes(cue.kind))
    return cues.some(other => other.kind !== cue.kind && isHidden(other) && isNear(cue, other));
  return cue.kind === "address" && cues.some(other => other.kind === "imitation" && isHidden(other));
}

function partnerOf(harm: Cue, cues: readonly Cue[]): Cue | undefined {
  return cues.find(({ kind, start, end }) => {
    if (kind === harm.kind || kind === "override") return false;
    return isNear(harm, { kind, start, end });
  });
}

function isNear(one: Cue, other: Cue): boolean {
  return Math.abs(one.start - other.start) <= NEAR;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
