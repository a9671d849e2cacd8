import { defineCommand } from "../../cli/command.ts";
import { CommandError } from "../../cli/errors.ts";
import { option } from "../../cli/option.ts";
import { CATEGORIES, VALUE_TYPES, type ValueType } from "../../memory/memory.ts";
import { toDocument } from "../../memory/memory-document.ts";
import { manualScope } from "../../memory/memory-place.ts";
import { escapeControls } from "../../state/index.ts";
import { AGENT_OPTION, checkArguments, STORE_OPTIONS, withStore } from "./store-access.ts";

export const storeCommand = defineCommand({
  name: "store",
  summary: "remember something",
  details: [
    "A memory of the same agent, session and key is replaced. It counts for every project, or for the one that",
    "AMPLIHACK_PROJECT_ID names. A value that begins with a dash goes behind --.",
  ].join("\n"),
  options: {
    agent: AGENT_OPTION,
    session: option.string("SESSION", "the session it belongs to"),
    type: option.choice(VALUE_TYPES, "how to read the value", { initial: "text" }),
    category: option.choice(CATEGORIES, "what it is about", { initial: "context" }),
    ...STORE_OPTIONS,
  },
  positionals: [
    { name: "KEY", summary: "what it is called" },
    { name: "VALUE", summary: "what is to be remembered" },
  ],
  examples: {
    "amplihack memory store --agent builder style 'Tests before code'":
      "remembers a text for the agent builder",
    [`amplihack memory store --agent builder ports '{"web": 8080}' --type json`]: "remembers a JSON value",
  },
  async run(invocation) {
    const { options, positionals, system, terminal } = invocation;
    const { agent, session = "", type, category } = options;
    const [key = "", value = ""] = positionals;
    const draft = { project: manualScope(system), agent, session, key, value, type, category };
    checkArguments(draft);
    await checkValue(value, type);
    const { memory, isNew } = await withStore(invocation, store => store.put(draft));
    const text = `${isNew ? "Stored" : "Replaced"} ${escapeControls(key)}.\n`;
    terminal.printResult(options.format, { stored: true, is_new: isNew, ...toDocument(memory) }, text);
    return 0;
  },
});

/** A value that is not what it claims to be would break its readers. */
async function checkValue(value: string, type: ValueType): Promise<void> {
  try {
    if (type === "json") JSON.parse(value);
    if (type !== "yaml") return;
    const { parseAllDocuments } = await import("yaml");
    const [error] = [...parseAllDocuments(value)].flatMap(document => document.errors);
    if (error !== undefined) throw error;
  } catch {
    throw new CommandError(`the value is not valid ${type.toUpperCase()}`, {
      kind: "invalid",
      fix: "correct it, or store it with --type text",
    });
  }
}
