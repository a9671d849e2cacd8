import { clip, countCharacters, wordPattern } from "../../text/index.ts";
import type { HookContext } from "../program/hook-context.ts";

/** What the user asked for at the start, kept so that no later summary can lose it. */
export type OriginalRequest = {
  readonly timestamp: string;
  readonly session_id: string;
  readonly raw_prompt: string;
  readonly target: string;
  readonly requirements: readonly string[];
  readonly constraints: readonly string[];
  readonly success_criteria: readonly string[];
  readonly word_count: number;
  readonly char_count: number;
  readonly extracted_at: string;
};

const LIMITS = { requirements: 10, constraints: 5, successCriteria: 5 };
const NO_TARGET = "General development task";
/** Of one item in the summary, so that a pasted wall of text leaves room for the rest of the context. */
const SHOWN_LENGTH = 500;

const SUBSTANTIAL = wordPattern(`
  implement | create | build | add | fix | update | all | every | each | complete | comprehensive
`);

/** A request worth keeping: more than a greeting, or one that asks for work. */
export function isSubstantial(prompt: string): boolean {
  return countCharacters(prompt.trim()) > 20 || SUBSTANTIAL.test(prompt);
}

export function extractRequest(prompt: string, sessionId: string, timestamp: string): OriginalRequest {
  return {
    timestamp,
    session_id: sessionId,
    raw_prompt: prompt,
    target: findTarget(prompt),
    requirements: findRequirements(prompt).slice(0, LIMITS.requirements),
    constraints: findConstraints(prompt).slice(0, LIMITS.constraints),
    success_criteria: findSuccessCriteria(prompt).slice(0, LIMITS.successCriteria),
    word_count: prompt.split(/\s+/).filter(word => word !== "").length,
    char_count: countCharacters(prompt),
    extracted_at: timestamp,
  };
}

/** What follows `**Label**:` on its line, also as `**Label:** text`. */
function labelled(prompt: string, label: string): readonly string[] {
  const pattern = new RegExp(`\\*\\*${label}(?::\\*\\*|\\*\\*\\s*:)[ \\t]*(.+)$`, "gim");
  return [...prompt.matchAll(pattern)].map(match => (match[1] ?? "").trim()).filter(text => text !== "");
}

const ACTION = wordPattern("implement | create | build | add | fix | update | improve");

function findTarget(prompt: string): string {
  const [given] = labelled(prompt, "Target");
  if (given !== undefined) return given;
  const opening = splitSentences(prompt, /[.!?]+/).slice(0, 3);
  return (
    opening.find(sentence => sentence.length > 15 && ACTION.test(sentence)) ??
    opening.find(sentence => sentence.length > 10) ??
    NO_TARGET
  );
}

const TOTALITY = wordPattern("all | every | each | complete | comprehensive");
const BULLET = /^[ \t]*(?:[-•]|\*(?!\*))[ \t]*(.+)$/gm;

function findRequirements(prompt: string): readonly string[] {
  const labels = ["Target", "Problem"].flatMap(label =>
    labelled(prompt, label).map(text => `${label.toUpperCase()}: ${text}`),
  );
  const sentences = splitSentences(prompt, /[.!?\n]+/).filter(
    text => text.length > 10 && TOTALITY.test(text),
  );
  const bullets = [...prompt.matchAll(BULLET)]
    .map(match => (match[1] ?? "").trim())
    .filter(text => text.length > 5);
  return unique([...labels, ...sentences.map(withoutBullet), ...bullets]);
}

const RESTRICTION = wordPattern("must not | cannot | avoid | limitations? | restrictions?");

function findConstraints(prompt: string): readonly string[] {
  const sentences = splitSentences(prompt, /[.!?\n]+/).filter(text => RESTRICTION.test(text));
  return unique([...labelled(prompt, "Constraints?"), ...sentences.map(withoutBullet)]);
}

const CRITERIA = wordPattern("success criteria | acceptance criteria | goals? | outcomes?");

function findSuccessCriteria(prompt: string): readonly string[] {
  const found: string[] = [];
  for (const line of prompt.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 0 || !CRITERIA.test(line)) continue;
    const criterion = line
      .slice(colon + 1)
      .replace(/^\*+/, "")
      .trim();
    if (criterion.length > 5) found.push(criterion);
  }
  return unique(found);
}

function splitSentences(text: string, ends: RegExp): readonly string[] {
  return text
    .split(ends)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== "");
}

function withoutBullet(text: string): string {
  return text.replace(/^(?:[-•]|\*(?!\*))\s*/, "");
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** The request as context for the model. */
export function summariseRequest(request: OriginalRequest): string {
  return [
    "## 🎯 Original user request",
    "",
    "These are explicit user requirements. They must not be optimised away or traded for something simpler.",
    "",
    `**Target**: ${clip(request.target, SHOWN_LENGTH)}`,
    ...section("Requirements", request.requirements),
    ...section("Constraints", request.constraints),
    ...section("Success criteria", request.success_criteria),
  ].join("\n");
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0
    ? []
    : ["", `**${title}**:`, ...items.map(item => `- ${clip(item, SHOWN_LENGTH)}`)];
}

/** `ORIGINAL_REQUEST.md`: the summary with the request in the user's own words. */
export function renderRequestFile(request: OriginalRequest): string {
  const quoted = request.raw_prompt.split("\n").map(line => (line === "" ? ">" : `> ${line}`));
  return [
    "# Original user request",
    "",
    `- Session: ${request.session_id}`,
    `- Time: ${request.timestamp}`,
    `- Words: ${request.word_count}, characters: ${request.char_count}`,
    "",
    summariseRequest(request),
    "",
    "## In the user's words",
    "",
    ...quoted,
    "",
  ].join("\n");
}

/** Extracts the request and keeps it in two files of the session: for people and for programs. */
export function keepRequest(context: HookContext, prompt: string): OriginalRequest {
  const request = extractRequest(prompt, context.sessionFilesId(), context.nowText());
  context.saveSessionData("ORIGINAL_REQUEST.md", renderRequestFile(request));
  context.saveSessionData("original_request.json", request);
  return request;
}
