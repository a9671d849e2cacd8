import { defineCommand, option } from "../../cli/index.ts";
import {
  ANY_AGENT,
  CATEGORIES,
  manualScope,
  sharedScope,
  toDocument,
  VALUE_TYPES,
} from "../../memory/index.ts";
import { escapeControls } from "../../text/index.ts";
import { checkValue } from "./check-value.ts";
import { checkArguments, memoryPlace, SHARED_STORE, STORE_OPTIONS, withStore } from "./store-access.ts";

export const storeCommand = defineCommand({
  name: "store",
  summary: "remember something",
  details: [
    "A memory of the same agent, session and key is replaced. It counts for every project, or for the one that",
    "AMPLIHACK_PROJECT_ID names; with --share for this one, and for everybody in the team who works on it.",
    "A value that begins with a dash goes behind --.",
  ].join("\n"),
  options: {
    agent: option.string("NAME", `whose memory (${ANY_AGENT} by default)`),
    session: option.string("SESSION", "the session it belongs to"),
    type: option.choice(VALUE_TYPES, "how to read the value", { initial: "text" }),
    category: option.choice(CATEGORIES, "what it is about", { initial: "context" }),
    pin: option.boolean("give it to every session at its start"),
    share: option.boolean("for this project, and for the team"),
    ...STORE_OPTIONS,
  },
  positionals: [
    { name: "KEY", summary: "what it is called" },
    { name: "VALUE", summary: "what is to be remembered" },
  ],
  forAgents: { use: "passes", asksWith: [...SHARED_STORE, "share"], isGivenTexts: true, writes: ["db-path"] },
  examples: {
    "amplihack memory store tests 'The payment tests need PAYMENT_SANDBOX=1.'": "remembers a text",
    "amplihack memory store --agent builder style 'Tests before code'":
      "remembers a text for the agent builder",
    [`amplihack memory store --agent builder ports '{"web": 8080}' --type json`]: "remembers a JSON value",
  },
  async run(invocation) {
    const { options, positionals, system, terminal } = invocation;
    const { agent = ANY_AGENT, session = "", type, category, pin, share } = options;
    const [key = "", value = ""] = positionals;
    const project = share ? sharedScope(system, memoryPlace(invocation)) : manualScope(system);
    const draft = { project, agent, session, key, value, type, category };
    checkArguments(draft);
    await checkValue(value, type);
    const { memory, isNew } = await withStore(invocation, store =>
      store.put({ ...draft, ...(pin ? { isPinned: true } : {}) }),
    );
    const text = `${isNew ? "Stored" : "Replaced"} ${escapeControls(key)}.\n`;
    terminal.printResult(options.format, { stored: true, is_new: isNew, ...toDocument(memory) }, text);
    return 0;
  },
});
