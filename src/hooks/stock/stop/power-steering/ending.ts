import { wordPattern } from "../../../../text/index.ts";
import { quoteAt, type SessionFacts } from "./facts.ts";

/** How a session ended, as far as it decides whose turn it is. */
const STOP_REQUEST =
  /\b(?:stopp?|pause|halt|cancel|abort|hold on|arrête|basta)(?=\s*(?:$|[.,!;]|(?:here|now|for now|it|that|this|working|there|please)\b))|\b(?:enough for (?:today|now)|leave it|never ?mind|that(?:['’]s| is) (?:all|enough)|genug)\b/i;
/** A long message that has such a word in it is about something else. */
const MAX_STOP_REQUEST = 120;

const ANSWER_REQUEST = wordPattern(`
  plan | plans | outline | propose | proposal | suggest | approach | estimate | tell me | show me | list | explain
  describe | summari[sz]e | report | review | compare | analy[sz]e | investigate | find out | figure out | research | explore
  understand | look (?:at|through|into) | what | why | how | which | where | who | when | is there | are there | read-only
  (?:do not|don['’]t|without) (?:chang|edit|implement|touch|modify)\\w*
`);
const WORK_REQUEST = wordPattern(`
  implement | add | fix | repair | build | write | create | refactor | convert | migrate | move | rename | remove | delete
  update | upgrade | change | make | switch | deploy | publish | install | replace
`);
const NO_TESTS = wordPattern(`
  no tests?(?: needed| required)? | without (?:any )?tests? | skip (?:the )?tests? | (?:do not|don['’]t) (?:run|write|add|need) (?:any |the )?tests?
  (?:do not|don['’]t|without) fix\\w* | failing tests? for
`);

/** A question whether to do what was asked for anyway is none that the user has to decide. */
const LEAVE_TO_GO_ON =
  /\b(?:(?:shall|should|can|may) i|(?:do you want|would you like) me to|want me to)\s+(?:now\s+)?(?:continue|proceed|go on|go ahead|start|begin|finish|keep going|run the tests|do (?:that|this|it|the rest))\b/i;
const NEEDS_USER =
  /\b(?:please (?:confirm|provide|send|tell|choose|decide|add|paste|share|approve|let me know|check|grant|log in|sign in)|let me know (?:which|how|what|whether|when|if you (?:want|prefer))|tell me (?:how|which|what|whether|when)|waiting for (?:your|you)|i need (?:your|you to|the|an?)\b[^.!?\n]{0,80}\b(?:before|from you|to go on|to continue)|your (?:decision|approval|confirmation) is needed)\b/i;

const PROMISE =
  /^(?:[-*]\s+)?(?:(?:ok(?:ay)?|great|good|now|next|then|first|so|als nächstes|ensuite|ahora)[,:]?\s+)*(?:i['’]ll|i will|i am going to|i['’]m going to|let me|let['’]s|now i|moving on to|continuing with|turning to|starting (?:on|with)|schreibe ich|werde ich|je vais|voy a)\b/i;
const NO_PROMISE =
  /^(?:\W|\w+[,:]?\s+){0,3}?(?:let me know|i(?:['’]ll| will) (?:wait|stop|leave|be here|pause|not|keep|remember|do that when|report back))\b/i;
const MAX_CLOSING = 4_000;

/** The closing remark as sentences, without code. */
function closingSentences({ closing }: SessionFacts): readonly string[] {
  return closing
    .slice(-MAX_CLOSING)
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .split(/(?<=[.!?:…])\s+|\n/)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== "");
}

/** The last sentence, when it says what the agent is about to do. */
export function promisedSteps(facts: SessionFacts): readonly string[] {
  const last = closingSentences(facts).at(-1);
  if (last === undefined || last.endsWith("?") || !PROMISE.test(last) || NO_PROMISE.test(last)) return [];
  return [quoteAt(last, 0)];
}

/** It is the user's turn: they said stop, or the agent needs something that only they can give. */
export function isUsersTurn(facts: SessionFacts): boolean {
  const { lastRequest } = facts;
  if (
    lastRequest.length <= MAX_STOP_REQUEST &&
    STOP_REQUEST.test(lastRequest) &&
    !WORK_REQUEST.test(lastRequest)
  )
    return true;
  const closing = closingSentences(facts).slice(-3);
  if (closing.some(sentence => LEAVE_TO_GO_ON.test(sentence))) return false;
  return /[?？]["”')*_]*$/.test(closing.at(-1) ?? "") || closing.some(sentence => NEEDS_USER.test(sentence));
}

/** An answer to these names steps that nobody has taken yet. */
const STEPS_WANTED = wordPattern(`
  plans? | outline | propos(?:e|als?) | suggest(?:ions?)? | recommend(?:ations?)? | estimate | approach | review | list | tell me
`);

/**
 * The user wanted to know something and got an answer; nothing was to be changed, and nothing was. An answer that leaves
 * steps open is none yet, unless steps or a plain answer were asked for.
 */
export function isAnswered(facts: SessionFacts, failedIds: readonly string[]): boolean {
  const { lastRequest, writesSinceRequest, closing } = facts;
  const mayNameSteps = lastRequest.includes("?") || STEPS_WANTED.test(lastRequest);
  if (failedIds.includes("next_steps") && !mayNameSteps) return false;
  if (writesSinceRequest > 0 || closing.trim() === "" || promisedSteps(facts).length > 0) return false;
  const wantsAnswer = ANSWER_REQUEST.test(lastRequest) || lastRequest.includes("?");
  if (!wantsAnswer || /\b(?:i|we) still (?:need|have) to\b/i.test(closing)) return false;
  return !startsWithWork(lastRequest) || /\b(?:plan|outline|proposal)\b/i.test(lastRequest);
}

/** "Add a list of users" wants work although it has a word of questions. */
function startsWithWork(request: string): boolean {
  const [work] = WORK_REQUEST.positions(request);
  const [answer] = ANSWER_REQUEST.positions(request);
  return work !== undefined && (answer === undefined || work < answer);
}

/**
 * True for a failed check that means nothing at this ending: the user did not want what it asks for, or nothing else is
 * missing and the agent tells of what it did without any of the usual words.
 */
export function isExcused(id: string, facts: SessionFacts, failedIds: readonly string[]): boolean {
  if (NO_TESTS.test(facts.lastRequest)) {
    if (["local_testing", "dev_workflow_complete", "ci_status"].includes(id)) return true;
  }
  if (id !== "objective_completion" || !isReport(facts)) return false;
  return failedIds.every(other => other === id || isExcused(other, facts, []));
}

const MIN_REPORT_WORDS = 5;
/** Whoever says this is in the middle of something. */
const AT_WORK = wordPattern(`
  (?:i['’]m|i am|we['’]re|we are) (?:still |now |currently |just )*\\w+ing | still (?:\\w+ing|in progress|at it) | in progress | under way
  (?:now|currently) \\w+ing | (?:working|looking|thinking) (?:on|at|into|about|through) | halfway | part of the way | not (?:yet )?(?:sure|finished)
`);

/** Something was done, and the closing remark tells of it, in words of its own. */
function isReport(facts: SessionFacts): boolean {
  const { closing } = facts;
  if (promisedSteps(facts).length > 0 || closing.trim().split(/\s+/).length < MIN_REPORT_WORDS) return false;
  if (AT_WORK.test(closing)) return false;
  const { toolUses, reads } = facts.counts;
  return toolUses > reads;
}
