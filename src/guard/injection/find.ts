import type { RuleId } from "../../config/index.ts";
import { type Json, readJson } from "../../protocol/index.ts";
import type { Rule } from "../rule.ts";
import { INJECTION } from "../rules/injection.ts";
import {
  type Cue,
  type CueKind,
  decodedTexts,
  findCues,
  findOverrides,
  toPlain,
  undisguised,
} from "./cues.ts";

/** A sign that a text from outside gives instructions to the agent that reads it. */
export interface InjectionFinding {
  readonly rule: Extract<RuleId, `injection.${string}`>;
  /** what it is, for both readers; never words of the text itself */
  readonly what: string;
  /** counted from one; undefined where the text was decoded first */
  readonly line: number | undefined;
}

export function injectionRule(id: InjectionFinding["rule"]): Rule {
  return { id, ...INJECTION.rules[id] };
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
  for (const text of listTexts(result)) {
    for (const finding of inspect(shorten(text)))
      if (!found.has(finding.rule)) found.set(finding.rule, finding);
  }
  return [...found.values()];
}

/** JSON in a text is read, too: quotes and escapes of the format are none of the text's own. */
function listTexts(result: Json): readonly string[] {
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
    findings.push({ rule: "injection.hidden", what: smuggled.what, line: lineNumber(text, smuggled.at) });
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
  return [{ rule: "injection.exfiltration", what, line: lineNumber(plain, waiting.at) }];
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
    return found === undefined ? [] : [{ ...found.finding, line: lineNumber(plain, found.at) }];
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
  const harm = cues.find(cue => HARM.includes(cue.kind) && findPartner(cue, cues) !== undefined);
  const partner = harm === undefined ? undefined : findPartner(harm, cues);
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

function findPartner(harm: Cue, cues: readonly Cue[]): Cue | undefined {
  return cues.find(({ kind, start, end }) => {
    if (kind === harm.kind || kind === "override") return false;
    return isNear(harm, { kind, start, end });
  });
}

function isNear(one: Cue, other: Cue): boolean {
  return Math.abs(one.start - other.start) <= NEAR;
}

function lineNumber(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

/** Parts of a page that a person who reads it does not see. */
const HIDDEN_PARTS = [
  /\[(?:\/\/|comment)\]:\s*(?:#|<>)\s*\(([^\n]{1,2000})\)/gi,
  /<\w+\b[^>]{0,200}?(?:\shidden\b|display:\s*none|visibility:\s*hidden|opacity:\s*0(?![.\d])|font-size:\s*0(?![.\d]))[^>]{0,200}>([^<]{1,2000})/gi,
  /<\w+\b[^>]{0,200}?(?:color[:=]\s*["']?(?:white|#fff(?:fff)?)\b)[^>]{0,200}>([^<]{1,2000})/gi,
  /<\w+\b[^>]{0,200}?\s(?:alt|title|aria-label)\s*=\s*"([^"]{20,2000})"/gi,
];

const MAX_PARTS = 1_000;

type Span = readonly [number, number];

/** Begin and end of each hidden part. */
function findHiddenParts(text: string): readonly Span[] {
  if (!text.includes("<") && !text.includes("]:")) return [];
  const others = HIDDEN_PARTS.flatMap(pattern =>
    [...text.matchAll(pattern)].map((match): Span => [match.index, match.index + match[0].length]),
  );
  return [...findComments(text), ...others].slice(0, MAX_PARTS);
}

function findComments(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf("<!--"); start >= 0; ) {
    const end = text.indexOf("-->", start + 4);
    if (end < 0) break;
    spans.push([start, end + 3]);
    start = text.indexOf("<!--", end);
  }
  return spans;
}

/** An image, or a link, up to the end of its address. */
const ADDRESSES =
  /(!?)\[[^\]\n]{0,200}\]\(\s*(https?:\/\/(?:[^()\n]|\([^()\n]{0,60}\)){1,400})\)|<img\b[^>]{0,200}?\bsrc\s*=\s*["']?(https?:\/\/[^"'\n]{1,400})/gi;
const WANTED =
  "(?:conversation|chat|history|secrets?|api[_ ]?key|(?:session|access|auth|user)[_ ]token|password|credential|\\benv\\b|prompt|messages?|context|contents?|cookies?|base64|memory|user_(?:data|input|secrets?)|\\bdata\\b)";
const IN_BRACKETS = new RegExp(`[{<[(]['\\w .*+()-]{0,60}?${WANTED}['\\w .*+()-]{0,60}?[}>\\])]`, "i");
const IN_CAPITALS =
  /[?&=/](?:[A-Z0-9]+_)*(?:ENV|CONVERSATION|SECRETS?|HISTORY|MESSAGES?|CONTENTS?|PROMPT|PASSWORD|CREDENTIALS|COOKIES?|CHAT)(?:_[A-Z0-9]+)*\b/;
/** `?key={api_key}` is how documentation shows where a reader's own key goes. */
const OWN_KEY = /[?&](?:api_?key|key|token|appid)=[{<[]{0,2}(?:your[_ ])?(?:api_?key|key|token)[}>\]]{0,2}/gi;
const ESCAPES: Readonly<Record<string, string>> = {
  "%7b": "{",
  "%7d": "}",
  "%5b": "[",
  "%5d": "]",
  "%20": " ",
};

/** Where an address waits for data to be filled in. */
function findWaitingAddress(text: string): { readonly at: number; readonly isImage: boolean } | undefined {
  for (const match of text.matchAll(ADDRESSES)) {
    const address = (match[2] ?? match[3] ?? "")
      .replace(/%(?:7b|7d|5b|5d|20)/gi, code => ESCAPES[code.toLowerCase()] ?? code)
      .replace(OWN_KEY, "");
    if (!IN_BRACKETS.test(address) && !IN_CAPITALS.test(address)) continue;
    return { at: match.index, isImage: match[1] === "!" || match[3] !== undefined };
  }
  return undefined;
}

/** What people write around an example of an attack, and around the format of a prompt. */
const TOPIC =
  /prompt[- ]?injection|injection|jailbreak|adversarial|red[- ]team|owasp|\battackers?\b|\battack\b|guardrail|untrusted|detector|suspicious|classifier|chat[ _]?template|tokenizer|prompt template|few-shot|phishing|\bsentence like\b|\bphrases? (?:like|such as)\b/i;
const TOPIC_BEFORE = 1_500;
const TOPIC_AFTER = 800;
const MAX_LINE = 400;

const PAIRS: Readonly<Record<string, string>> = {
  "“": "”",
  "„": "“",
  "«": "»",
  "‘": "’",
  "「": "」",
  "『": "』",
};

/**
 * Tells where a text speaks of such words instead of using them: they are quoted, and their subject is named near by.
 */
function mentionsIn(text: string): (start: number, end: number) => boolean {
  let fences: readonly number[] | undefined;
  return (start, end) => {
    if (!TOPIC.test(text.slice(Math.max(0, start - TOPIC_BEFORE), end + TOPIC_AFTER))) return false;
    if (isQuoted(text, start, end)) return true;
    fences ??= [...text.matchAll(/^[ \t]*(?:```|~~~)/gm)].map(({ index }) => index);
    return fences.filter(fence => fence < start).length % 2 === 1;
  };
}

function isQuoted(text: string, start: number, end: number): boolean {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const before = text.slice(Math.max(lineStart, start - MAX_LINE), start);
  const after = text.slice(end, lineEnd < 0 ? end + MAX_LINE : Math.min(lineEnd, end + MAX_LINE));
  if (/^\s*(?:\S+ \[\w+\] |# | ?\* )?(?:>|[-*+] |\||\d+[.)] )/.test(`${before}${text.slice(start, end)}`))
    return true;
  for (const quote of ['\\"', '"', "`"]) {
    if (before.split(quote).length % 2 === 0 && after.includes(quote)) return true;
  }
  if (/(?:^|[\s(=,:[])'(?:[^'\n]|\w'\w)*$/.test(before) && after.includes("'")) return true;
  return Object.entries(PAIRS).some(
    ([open, close]) => before.lastIndexOf(open) > before.lastIndexOf(close) && after.includes(close),
  );
}

/** Words without which no passage speaks to an agent, in lower case. Looking for them is cheap; the patterns are not. */
const STEMS =
  "ignor|disregard|forget|overrid|overrul|discard|neglect|set aside|no attention|not follow|t follow|not obey|stop following|stop obeying|longer follow|supersede|" +
  "prompt is void|is void|are void|are revoked|cancelled|instructions are|llm|language model|chatbot|chat bot|assistant|agent|claude|copilot|gpt|gemini|codex|cursor|ai:|ai,|ai!| ai |reviewers|lgtm|" +
  "<|im_|<|s|<|e|<|u|<|a|[inst]|<<sys|<system|system:|system n|system m|system a|system u|[system|[admin|[developer|begin system|begin admin|begin operator|begin developer|admin override|guardrails|silently|secretly|human:|user:|<important>|</document>|</tool_result>|</function_results>|</context>|" +
  '</web_content>|</untrusted|end of |<function_calls>|invoke name=|<tool_call|tool_calls"|tool_use"|tool_code|"name"|"role"|the user says|the user said|' +
  "new user message|not tell|t tell|never tell|not inform|t inform|inform|not mention|t mention|mention|not let|not reveal|disclos|not report|secret from|hidden from|" +
  "from the user|from the human|from the developer|must not|nobody|without asking|without telling|you are now|no longer|unrestricted|no restrictions|new instruction|" +
  "new system|new policy|new prompt|new directive|additional instruction|your new|your real|your actual|your true|your only|the true|the real|the actual|your instructions|your guidelines|your rules|pretend|act as|before you|from your|by your|that reads this|processing this|when summari|while summari|not show|t show|system override|system prompt|" +
  "developer mode|act as if|from now on|granted|obey|already agreed|suspended|compromised";
const OTHER_STEMS =
  "missacht|vergiss|vergess|oublie|compte|abstraction|olvid|omiso|descarta|dimentica|trascura|esque|desconsidere|negeer|vergeet|glöm|bortse|игнор|забудь|внимания|" +
  "отбрось|ігнор|відкинь|zapomnij|pomiń|önceki|yukarıdaki|تجاهل|انس|पिछले|पूर्व|उपरोक्त|忽略|无视|無視|忘|忽視|理会|무시|잊|nutzer|utilisateur|usuario|utente|告诉|ユーザー|пользовател";

const PLAIN_STEMS = STEMS.split("|").filter(stem => stem.length > 2);
const ALL_STEMS = [...PLAIN_STEMS, ...OTHER_STEMS.split("|"), "<|"];
const REACH = 400;
const MAX_PASSAGES = 200;

export interface Passage {
  readonly start: number;
  readonly text: string;
}

/** The parts of a text that have such a word, each with what is around it. */
function findPassages(text: string): readonly Passage[] {
  const lower = text.toLowerCase();
  const spans: [number, number][] = [];
  for (const stem of ALL_STEMS) {
    for (let at = lower.indexOf(stem); at >= 0; at = lower.indexOf(stem, at + REACH)) {
      spans.push([Math.max(0, at - REACH), at + 2 * REACH]);
    }
  }
  spans.sort(([left], [right]) => left - right);
  const merged: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged.slice(0, MAX_PASSAGES).map(([start, end]) => ({ start, text: text.slice(start, end) }));
}

/** Unicode tags spell ASCII that nobody sees; after a black flag they name a region. */
const TAGS = /(\ud83c\udff4)?((?:\udb40[\udc20-\udc7f]){3,})/g;
const ZERO_WIDTH = /[\u200b-\u200d\u2060-\u2064\ufeff]{6,}/;
const VARIATIONS = /[\ufe00-\ufe0f]{3,}|(?:\udb40[\udd00-\uddef]){2,}/;
const DIRECTION = /[\u202d\u202e]/;
const NOT_ASCII = /[^\u0000-\u007f]/;

export interface Smuggled {
  readonly at: number;
  readonly what: string;
}

/** The first characters that carry text which is not shown, or that show it in another order. */
function findSmuggled(text: string): Smuggled | undefined {
  if (!NOT_ASCII.test(text)) return undefined;
  for (const match of text.matchAll(TAGS)) {
    if (match[1] === undefined) return { at: match.index, what: "invisible tag characters" };
  }
  const found = [
    [ZERO_WIDTH, "a run of zero-width characters"],
    [VARIATIONS, "a run of variation selectors"],
    [DIRECTION, "a direction override"],
  ] as const;
  for (const [pattern, what] of found) {
    const match = pattern.exec(text);
    if (match !== null) return { at: match.index, what };
  }
  return undefined;
}
