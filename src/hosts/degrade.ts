import type { Json, JsonObject, Outcome, Power } from "../protocol/index.ts";
import { refusalInsteadOfAsk } from "./allow-once.ts";
import { type Draft, say, unlessBlank } from "./answer-draft.ts";
import { asText } from "./claude-words.ts";
import type { Occasion, Speech } from "./host.ts";
import { readFirst } from "./payload-paths.ts";

// What becomes of an effect on a host that has no word for it: the nearest stricter one, or a note.

const CORRECTED_INPUT_LIMIT = 4_000;
const NOTHING = "(the result is empty)";

/**
 * Before an action a halt is also a deny: alone it would let the action happen. On a stop it means "do stop", so
 * nothing holds the agent. Where the host cannot end the turn, the model is told to.
 */
export function settleHalt(
  draft: Draft,
  speech: Speech,
  on: Occasion,
  power: Power,
  halt: Outcome["halt"],
): void {
  if (halt === undefined) return;
  const reason = unlessBlank(halt.reason) ?? draft.reason ?? `${halt.hook} ended the turn and gave no reason`;
  if (power === "retry") {
    draft.verdict = "none";
    draft.reason = undefined;
  } else if (draft.verdict !== "deny" && (power === "veto" || (power === "feedback" && !speech.halt))) {
    draft.verdict = "deny";
    draft.reason = reason;
  }
  if (speech.halt !== undefined) say(draft, speech.halt(reason, on));
  else if (power === "none") draft.unsupported.push("halt");
  else if (power !== "retry") draft.degraded.push("halt → deny");
}

/** A question nobody can be asked is a refusal that says how a person can permit the call. */
export function settleQuestion(draft: Draft, speech: Speech, on: Occasion, power: Power): void {
  const { verdict } = draft;
  if (verdict !== "ask" && verdict !== "defer") return;
  if (speech[verdict] !== undefined && power === "veto") return;
  draft.degraded.push(`${verdict} → deny`);
  draft.reason = refusalInsteadOfAsk(draft.reason, on.extras);
  draft.verdict = "deny";
}

/** A rewrite the host cannot make is refused, with the input that would have been right. */
export function settleInput(
  draft: Draft,
  speech: Speech,
  on: Occasion,
  power: Power,
  input: JsonObject | undefined,
): void {
  if (input === undefined || draft.verdict === "deny") return;
  const isSayable =
    speech.input !== undefined &&
    (speech.inputNeedsAllow !== true || draft.verdict === "allow") &&
    (speech.inputIsMerged !== true || !removesMembers(input, on.payload));
  if (isSayable) {
    draft.input = input;
    if (speech.caveats?.input !== undefined && draft.verdict === "none")
      draft.degraded.push(speech.caveats.input);
    return;
  }
  if (power !== "veto") {
    draft.unsupported.push("input");
    return;
  }
  const text = JSON.stringify(input);
  const shown = text.length > CORRECTED_INPUT_LIMIT ? `${text.slice(0, CORRECTED_INPUT_LIMIT)}… (cut)` : text;
  const why = draft.reason === undefined ? "" : `${draft.reason}\n`;
  draft.degraded.push("input → deny");
  draft.verdict = "deny";
  draft.reason = `${why}The input has to be changed, which cannot be done here. Use this input instead: ${shown}`;
}

function removesMembers(input: JsonObject, payload: JsonObject): boolean {
  const original = readFirst(payload, ["tool_input", "toolInput", "toolArgs"])?.value;
  if (typeof original !== "object" || original === null || Array.isArray(original)) return false;
  return Object.keys(original).some(name => !Object.hasOwn(input, name));
}

/** Where a refusal takes the place of the result, its reason can be the new result. */
export function settleOutput(draft: Draft, speech: Speech, on: Occasion, output: Json): void {
  if (speech.output !== undefined) {
    say(draft, speech.output(output, on));
  } else if (speech.denyReplacesResult === true && speech.deny !== undefined && draft.verdict !== "deny") {
    draft.degraded.push("output → deny");
    say(draft, speech.deny(unlessBlank(asText(output)) ?? NOTHING, on));
  } else {
    draft.unsupported.push("output");
  }
}

/** A refusal without a word for it: after a tool the model is told why, elsewhere it cannot be had. */
export function settleRefusal(draft: Draft, speech: Speech, power: Power): void {
  if (draft.verdict !== "deny" || speech.deny !== undefined) return;
  const reason = draft.reason ?? "refused by a hook, which gave no reason";
  if (power === "feedback" && speech.context !== undefined) {
    draft.degraded.push("deny → context");
    draft.context = draft.context === "" ? reason : `${reason}\n\n${draft.context}`;
    draft.stderr.push(reason);
    draft.verdict = "none";
  } else {
    draft.unsupported.push("deny");
    draft.stderr.push(reason);
    draft.verdict = "none";
  }
}
