import type { ReaderTexts } from "../protocol/index.ts";
import { clipMiddle, clipWithin, escapeHidden, redactOpening } from "../text/index.ts";
import { canBeAllowedForGood, type Finding } from "./finding.ts";
import type { Verdict } from "./rule.ts";

const LIMIT = 600;
const PERSON_LIMIT = 400;
const SAFER_LIMIT = 140;
const SHORT_TARGET = 40;
const LONG_TARGET = 160;
const UNATTENDED = "Nobody is there to ask.";
const ASKED_ELSEWHERE = "Your team is asked.";
const NO_OTHER_WAY = "Don't work around it.";

/** What is said of a call that does not simply pass, each text at most 600 characters long. */
export interface Told {
  /** of a denial the model's text; of a question the person's and behind it the model's */
  readonly reason: string;
  readonly texts: ReaderTexts;
}

/**
 * The person reads what would be lost, whether it can be undone and how to allow it. The model reads what would be
 * lost, a safer command and what not to try. No text says how else the command could be written.
 */
export function renderTexts(
  verdict: Exclude<Verdict, "allow">,
  findings: readonly Finding[],
  code: string | undefined,
  isUnattended = false,
): Told {
  const isAsked = verdict === "ask";
  // A person who is asked has to see all that they would agree to; a refusal needs one reason, the strongest.
  const told = isAsked ? findings : findings.slice(0, 1);
  const hint = renderHint(findings, code, isUnattended, false);
  const forPerson: Teller = (shownOnes, room) => tellFindings("", " ", shownOnes, room, "person");
  const own = renderHint(findings, code, isUnattended, isAsked);
  const person = `${forPerson(told, PERSON_LIMIT - own.length)}${own}`;
  const opening = isAsked ? "Needs your user's consent " : "Blocked ";
  const closing = renderClosing(findings, code, isUnattended);
  const model = compose(LIMIT, closing, told, (shownOnes, room) =>
    tellFindings(opening, ": ", shownOnes, room),
  );
  if (!isAsked) return { reason: model, texts: { person, model } };
  const toAgent = "\nAgent: not run; your user has to allow it.";
  const both = compose(
    LIMIT - (code === undefined ? 0 : hint.length),
    code === undefined ? closing : NO_OTHER_WAY,
    findings,
    (shownOnes, room) => forPerson(shownOnes, room - toAgent.length) + toAgent,
  );
  return { reason: code === undefined ? both : both + hint, texts: { person, model } };
}

type Teller = (findings: readonly Finding[], room: number) => string;

/** What was found, then advice if that leaves room for the first finding, a safer command, and the closing words. */
function compose(limit: number, closing: string, findings: readonly Finding[], tell: Teller): string {
  const [first] = findings;
  const safer = clipWithin(shown(first?.safer ?? ""), SAFER_LIMIT);
  const command = safer === "" ? "" : ` Safer: \`${safer}\`.`;
  const advice = first === undefined || first.model === "" ? "" : ` ${shown(first.model)}`;
  const room = limit - command.length - closing.length - 1;
  const least = tell(findings.slice(0, 1), Number.MAX_SAFE_INTEGER).length;
  const kept = least + advice.length > room ? "" : advice;
  return `${tell(findings, room - kept.length)}${kept}${command} ${closing}`;
}

/** What was found, for the person: one line each. */
export function tellPerson(findings: readonly Finding[]): readonly string[] {
  return findings.map(finding => tellFindings("", " ", [finding], LIMIT, "person"));
}

/** The first in full, the others as far as there is room, and by their names when there is not. */
function tellFindings(
  opening: string,
  colon: string,
  findings: readonly Finding[],
  room: number,
  more?: "person",
): string {
  const [first, ...others] = findings;
  if (first === undefined) return "";
  const names = others.map(
    finding => ` [${finding.rule}] ${clipMiddle(shown(finding.target), SHORT_TARGET)};`,
  );
  const reserved = Math.min(names.join("").length + 6, Math.max(0, room - 160));
  const behind = more === undefined || first[more] === "" ? "" : ` ${shown(first[more])}`;
  let told = clipWithin(`${opening}[${first.rule}]${colon}${tellLoss(first)}${behind}`, room - reserved);
  for (const [index, finding] of others.entries()) {
    const rest = names.slice(index + 1).join("").length;
    const full = ` Also [${finding.rule}]: ${tellLoss(finding)}`;
    if (told.length + full.length + rest <= room) told += full;
    else told += clipWithin(` Also${names[index] ?? ""}`, Math.max(0, room - told.length));
  }
  return told.replace(/;$/, ".");
}

/** A long target loses its middle: what it leads to stands at its end. */
function tellLoss({ lost, target }: Finding): string {
  const [told, named] = [shown(lost), shown(target)];
  return named.length <= LONG_TARGET ? told : told.split(named).join(clipMiddle(named, LONG_TARGET));
}

/** Without secrets, and without characters that would hide or reorder what a person is asked about. */
function shown(text: string): string {
  return escapeHidden(redactOpening(text));
}

/** How the person can allow it, on a line of its own. Whoever is asked allows it once by saying yes. */
function renderHint(
  findings: readonly Finding[],
  code: string | undefined,
  isUnattended: boolean,
  isAsked: boolean,
): string {
  if (isUnattended) return `\n${code === undefined ? UNATTENDED : `${ASKED_ELSEWHERE} The code is ${code}.`}`;
  if (isFixed(findings))
    return isAsked ? "" : "\nNo setting allows it. If you want it, run it in your own terminal.";
  if (code === undefined) return "";
  const canStay = isAsked && findings.every(canBeAllowedForGood);
  const what = canStay ? "To not be asked again in this folder, run" : "To allow it,";
  return `\n${what} in your terminal: amplihack guard allow-once ${code}`;
}

/** What the model does now. It can hand on the code, and cannot use it. */
function renderClosing(
  findings: readonly Finding[],
  code: string | undefined,
  isUnattended: boolean,
): string {
  if (isUnattended)
    return code === undefined
      ? `${UNATTENDED} ${NO_OTHER_WAY} Go on without it and say so.`
      : `${ASKED_ELSEWHERE} ${NO_OTHER_WAY} Do other work, then try exactly the same again; if it stays refused, go on without it and say so (${code}).`;
  if (isFixed(findings))
    return `${NO_OTHER_WAY} If it's needed, ask the user to run it in their own terminal.`;
  return code === undefined
    ? `${NO_OTHER_WAY} If it's needed, ask the user: only they can allow it.`
    : `${NO_OTHER_WAY} If it's needed, ask the user to run: amplihack guard allow-once ${code}`;
}

function isFixed(findings: readonly Finding[]): boolean {
  return findings.some(finding => !finding.isAllowable);
}
