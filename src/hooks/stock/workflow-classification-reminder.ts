import { type Effect, type InputOf, type Json, ownValue, StrictMembers } from "../../protocol/index.ts";
import { AtomicJsonFile } from "../../state/index.ts";
import { firstCharacters, oneLine, wordPattern } from "../../text/index.ts";
import { attempt, defineHook, type HookContext } from "../program/hook-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { developmentGuide } from "./intent-routing.ts";
import { isDevCommand, isNested, isWorkflowActive } from "./workflow-tracking.ts";

/** Which turn a session is in, and at which its topic was last classified. */
interface Classification {
  readonly session_id: string;
  readonly turn_count: number;
  readonly last_classified_turn: number | null;
}

const QUIET_TURNS = 3;
const QUOTE_LENGTH = 100;
const LOCK_TIMEOUT_MS = 1_000;

const NEW_TOPIC = wordPattern(`
  now let['’]?s | next i want | switching to | different question | different topic | new task
  moving on to
`);
const SAME_TOPIC = wordPattern(`
  also | what about | and | additionally | furthermore | i meant | to clarify | how['’]s it going
  what['’]s the (?:status|progress)
`);

/** Asks the model to classify a new topic before it starts to work. Never blocks. */
export const workflowClassificationReminder = defineHook(
  "workflow-classification-reminder",
  "prompt",
  remind,
);

export const definition: HookDefinition = { hook: workflowClassificationReminder };

function remind(input: InputOf<"prompt">, context: HookContext): Effect | undefined {
  const prompt = input.prompt?.trim() ?? "";
  if (prompt === "" || isNested(context) || isWorkflowActive(context, input.cwd)) return undefined;
  if (!context.hasPart("workflow")) return undefined;
  const isNew = countTurn(context, ownValue(input.raw, "turnCount"), prompt);
  context.log("INFO", isNew ? "new topic" : "same topic");
  return isNew ? { context: renderReminder(prompt, developmentGuide(context)) } : undefined;
}

/** Counts this turn and tells whether it opens a topic. Without its memory the hook takes every turn for the first. */
function countTurn(context: HookContext, hostTurn: Json | undefined, prompt: string): boolean {
  const sessionId = context.sessionId ?? "current";
  context.prepare();
  const file = new AtomicJsonFile<Classification>(
    context.path("logs", "classification_state", `${sessionId}.json`),
    {
      system: context.system,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
      parse: value => parseClassification(value, sessionId),
    },
  );
  let isNew = false;
  const count = (state: Classification): Classification => {
    const turn = typeof hostTurn === "number" ? hostTurn : state.turn_count + 1;
    isNew = isNewTopic(prompt, turn, state.last_classified_turn);
    return { ...state, turn_count: turn, last_classified_turn: isNew ? turn : state.last_classified_turn };
  };
  const start: Classification = { session_id: sessionId, turn_count: 0, last_classified_turn: null };
  const onSetAside = () =>
    context.report("the turns of this session were malformed; they are counted from zero");
  const isCounted = attempt(context, "the turn was not counted", () =>
    file.update(count, start, { onMalformed: "set-aside", onSetAside }),
  );
  if (!isCounted) count(start);
  return isNew;
}

export function isNewTopic(prompt: string, turn: number, lastClassified: number | null): boolean {
  if (isDevCommand(prompt)) return false;
  if (turn <= 1) return true;
  if (NEW_TOPIC.test(prompt)) return true;
  const opening = prompt.trim().split(/\s+/).slice(0, 3).join(" ");
  if (SAME_TOPIC.test(opening)) return false;
  return lastClassified === null || turn - lastClassified > QUIET_TURNS;
}

function renderReminder(prompt: string, guide: string): string {
  const quote = firstCharacters(oneLine(prompt), QUOTE_LENGTH).replaceAll("<", "‹").replaceAll(">", "›");
  return [
    '<system-reminder source="hooks-workflow-classification">',
    `A new topic was detected: "${quote}"`,
    "Classify it before you act:",
    "- question: answer it directly",
    "- operation: carry out the command directly",
    `- investigation or development: ${guide}`,
    "</system-reminder>",
  ].join("\n");
}

function parseClassification(value: Json, sessionId: string): Classification {
  const state = new StrictMembers(value);
  return {
    session_id: sessionId,
    turn_count: state.optional("turn_count", state.number) ?? 0,
    last_classified_turn: state.optional("last_classified_turn", state.number) ?? null,
  };
}
