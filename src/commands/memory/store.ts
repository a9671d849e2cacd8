import { defineCommand } from "../../cli/command.ts";
import { CommandError } from "../../cli/errors.ts";
import { CATEGORIES, VALUE_TYPES, type ValueType } from "../../memory/memory.ts";
import { toDocument } from "../../memory/memory-document.ts";
import { handScope } from "../../memory/memory-place.ts";
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
    session: { kind: "string", label: "ID", summary: "the session it belongs to" },
    type: { kind: "choice", summary: "how to read the value", choices: VALUE_TYPES, initial: "text" },
    category: { kind: "choice", summary: "what it is about", choices: CATEGORIES, initial: "context" },
    ...STORE_OPTIONS,
  },
  positionals: [
    { name: "KEY", summary: "what it is called" },
    { name: "VALUE", summary: "what is to be remembered" },
  ],
  examples: [
    {
      command: "amplihack memory store --agent builder style 'Tests before code'",
      does: "remembers a text for the agent builder",
    },
    {
      command: `amplihack memory store --agent builder ports '{"web": 8080}' --type json`,
      does: "remembers a JSON value",
    },
  ],
  async run(invocation) {
    const { options, positionals, system, terminal } = invocation;
    const [key = "", value = ""] = positionals;
    const draft = {
      project: handScope(system),
      agent: options.agent,
      session: options.session ?? "",
      key,
      value,
      type: options.type,
      category: options.category,
    };
    checkArguments(draft);
    await checkValue(value, options.type);
    return withStore(invocation, async store => {
      const { memory, isNew } = await store.put(draft);
      if (options.format === "json")
        terminal.printJson({ stored: true, is_new: isNew, ...toDocument(memory) });
      else terminal.print(`${isNew ? "Stored" : "Replaced"} ${escapeControls(key)}.\n`);
      return 0;
    });
  },
});

/** A value that is not what it claims to be would break its readers. */
async function checkValue(value: string, type: ValueType): Promise<void> {
  const refuse = (): never => {
    throw new CommandError(`the value is not valid ${type.toUpperCase()}`, {
      kind: "invalid",
      fix: "correct it, or store it with --type text",
    });
  };
  if (type === "json") {
    try {
      JSON.parse(value);
    } catch {
      refuse();
    }
  }
  if (type === "yaml") {
    const { parseAllDocuments } = await import("yaml");
    const documents = parseAllDocuments(value);
    if ("length" in documents && [...documents].some(document => document.errors.length > 0)) refuse();
  }
}
