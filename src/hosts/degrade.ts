import type { Json, JsonObject, Outcome } from "../protocol/index.ts";
import { refusalInsteadOfAsk } from "./allow-once.ts";
import { asText } from "./claude-encoders.ts";
import { readFirst } from "./payload-paths.ts";
import { addMembers, NO_REASON, type ResponseDraft, unlessBlank } from "./response-draft.ts";

// What becomes of an effect that a host cannot express: the nearest stricter one, or a note.

const MAX_SHOWN_INPUT = 4_000;
const NOTHING = "(the result is empty)";

/**
 * Before an action a halt is also a deny: alone it would let the action happen. On a stop it means "do stop", so
 * nothing holds the agent. Where the host cannot end the turn, the model is told to.
 */
export function applyHalt(draft: ResponseDraft, halt: Outcome["halt"]): void {
  if (halt === undefined) return;
  const { encoder, at, power } = draft;
  const reason = unlessBlank(halt.reason) ?? draft.reason ?? `${halt.hook} ended the turn and gave no reason`;
  if (power === "retry") {
    draft.verdict = "none";
    draft.reason = undefined;
  } else if (draft.verdict !== "deny" && (power === "veto" || (power === "feedback" && !encoder.halt))) {
    draft.verdict = "deny";
    draft.reason = reason;
  }
  if (encoder.halt !== undefined) addMembers(draft, encoder.halt(reason, at));
  else if (power === "none") draft.unsupported.push("halt");
  else if (power !== "retry") draft.degraded.push("halt → deny");
}

/** A question that the host cannot ask is a refusal that says how a person can permit the call. */
export function degradeQuestion(draft: ResponseDraft): void {
  const { verdict, encoder, at, power } = draft;
  if (verdict !== "ask" && verdict !== "defer") return;
  if (encoder[verdict] !== undefined && power === "veto") return;
  draft.degraded.push(`${verdict} → deny`);
  draft.reason = refusalInsteadOfAsk(draft.reason, at.extras);
  draft.verdict = "deny";
}

/** A rewrite the host cannot make is refused, with the input that would have been right. */
export function applyInput(draft: ResponseDraft, input: JsonObject | undefined): void {
  if (input === undefined || draft.verdict === "deny") return;
  const { encoder, at, power } = draft;
  const isPossible =
    encoder.input !== undefined &&
    (encoder.inputNeedsAllow !== true || draft.verdict === "allow") &&
    (encoder.inputIsMerged !== true || !removesMembers(input, at.payload));
  if (isPossible) {
    draft.input = input;
    if (encoder.caveats?.input !== undefined && draft.verdict === "none")
      draft.degraded.push(encoder.caveats.input);
    return;
  }
  if (power !== "veto") {
    draft.unsupported.push("input");
    return;
  }
  const text = JSON.stringify(input);
  const shown = text.length > MAX_SHOWN_INPUT ? `${text.slice(0, MAX_SHOWN_INPUT)}… (cut)` : text;
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
export function applyOutput(draft: ResponseDraft, output: Json | undefined): void {
  if (output === undefined) return;
  const { encoder, at } = draft;
  if (encoder.output !== undefined) {
    addMembers(draft, encoder.output(output, at));
  } else if (encoder.denyReplacesResult === true && encoder.deny !== undefined && draft.verdict !== "deny") {
    draft.degraded.push("output → deny");
    addMembers(draft, encoder.deny(unlessBlank(asText(output)) ?? NOTHING, at));
  } else {
    draft.unsupported.push("output");
  }
}

/** A refusal that the host cannot express: after a tool the model is told why, elsewhere it cannot be had. */
export function degradeRefusal(draft: ResponseDraft): void {
  const { encoder, power } = draft;
  if (draft.verdict !== "deny" || encoder.deny !== undefined) return;
  const reason = draft.reason ?? NO_REASON;
  if (power === "feedback" && encoder.context !== undefined) {
    draft.degraded.push("deny → context");
    draft.context = draft.context === "" ? reason : `${reason}\n\n${draft.context}`;
  } else {
    draft.unsupported.push("deny");
  }
  draft.stderr.push(reason);
  draft.verdict = "none";
}
