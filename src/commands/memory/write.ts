import { CommandError, defineCommand, loadEditor, option } from "../../cli/index.ts";
import { loadProcessTree } from "../../hooks/index.ts";
import {
  ANY_AGENT,
  CATEGORIES,
  type Memory,
  type MemoryReader,
  manualScope,
  readQuery,
  sharedScope,
  TEXT_LIMITS,
  toDocument,
  VALUE_TYPES,
  type ValueType,
} from "../../memory/index.ts";
import { readExactText } from "../../state/index.ts";
import { compileGlob, dirname, join, matchesGlob, type System } from "../../system/index.ts";
import { escapeControls, redact } from "../../text/index.ts";
import {
  AGENT_OPTION,
  checkArguments,
  confirmDeletion,
  findOne,
  memoryPlace,
  renderLine,
  SESSION_OPTION,
  SHARED_STORE,
  STORE_OPTIONS,
  storePlace,
  withoutValue,
  withReader,
  withStore,
} from "./store-access.ts";

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

export const storeCommand = defineCommand({
  name: "store",
  summary: "remember something",
  details: [
    "A memory of the same agent, session and key is replaced. It counts for every project, or for the one that",
    "AMPLIHACK_PROJECT_ID names; with --share for this one, and for everybody in the team who works on it.",
    "Put a value that begins with a dash after --.",
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
    { name: "VALUE", summary: "what is to be remembered", mayBeEmpty: true },
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
    const { agentAbove } = await loadProcessTree();
    // What an agent notes is read by other agents, as with the tool `memory_store`; a person knows what they write.
    const noted = (text: string) => (agentAbove(system) === undefined ? text : redact(text));
    const [key = "", value = ""] = positionals.map(noted);
    const project = share ? sharedScope(system, memoryPlace(invocation)) : manualScope(system);
    const draft = { project, agent: noted(agent), session: noted(session), key, value, type, category };
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

const MAX_BYTES = TEXT_LIMITS.value * 4;

export const editCommand = defineCommand({
  name: "edit",
  summary: "change the text of a memory in $VISUAL or $EDITOR",
  details: "Key, category and pin stay. What is saved takes the place of the text that was there.",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  positionals: [{ name: "KEY", summary: "what it is called" }],
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: { "amplihack memory edit style": "opens the text, and stores what was saved" },
  async run(invocation) {
    const { positionals, system, terminal } = invocation;
    const { format } = invocation.options;
    const [key = ""] = positionals;
    const memory = await findOne(invocation);
    const { editFile } = await loadEditor();
    const place = storePlace(invocation);
    const file = "path" in place ? place.path : memoryPlace(invocation).databasePath;
    const value = editText(system, dirname(file), memory, path => editFile(system, terminal, path));
    const isChanged = value !== memory.value;
    checkArguments({ value });
    await checkValue(value, memory.type);
    const { id: _, createdMs: __, updatedMs: ___, ...draft } = memory;
    const stored = isChanged
      ? (await withStore(invocation, store => store.put({ ...draft, value }))).memory
      : memory;
    const text = isChanged ? `Replaced ${escapeControls(key)}.\n` : "Nothing was changed.\n";
    terminal.printResult(format, { changed: isChanged, ...toDocument(stored) }, text);
    return 0;
  },
});

/** Through a private file beside the database, which is gone afterwards: memories do not belong in shared folders. */
function editText(system: System, folder: string, { value }: Memory, edit: (path: string) => void): string {
  const { files, random, text } = system;
  const path = join(folder, `memory-edit-${random.hex(16)}.txt`);
  files.makeDirectory(folder, 0o700);
  files.createExclusive(path, text.encode(value), 0o600);
  try {
    edit(path);
    const read = readExactText(system, path, MAX_BYTES);
    if (read === undefined || read.replaced)
      throw new CommandError("what the editor saved is not a text in UTF-8; the memory stays as it was", {
        kind: "invalid",
      });
    // Editors end a file with a newline; the memory may not have had one.
    return read.text.endsWith("\n") && !value.endsWith("\n") ? read.text.slice(0, -1) : read.text;
  } finally {
    if (files.inspect(path) !== undefined) files.remove(path);
  }
}

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "forget one memory",
  details:
    "Without --session, the one outside all sessions, or the only one. Exit code 1 when there is none, or several.",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  positionals: [{ name: "KEY", summary: "what it is called" }],
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: { "amplihack memory delete style": "forgets it for good" },
  async run(invocation) {
    const { positionals, terminal } = invocation;
    const { format } = invocation.options;
    const [key = ""] = positionals;
    const memory = await findOne(invocation);
    const deleted = (await withStore(invocation, store => store.remove([memory]))) > 0;
    const document = {
      deleted,
      agent: memory.agent,
      session: memory.session === "" ? null : memory.session,
      key,
    };
    const text = deleted ? `Deleted ${escapeControls(key)}.\n` : "It was deleted meanwhile.\n";
    terminal.printResult(format, document, text);
    return 0;
  },
});

/** `forget` with a few words offers at most this many memories. */
const MAX_FORGOTTEN = 50;

export const forgetCommand = defineCommand({
  name: "forget",
  summary: "delete memories by key, by id or by words, after a question",
  details: [
    "A key or an id means the memories of exactly that name, of all agents and sessions. Anything else means those that",
    "have all of the words. What matches is shown first; nothing is deleted unless you confirm, or add --yes.",
  ].join("\n"),
  options: { agent: AGENT_OPTION, yes: option.boolean("do not ask", { short: "y" }), ...STORE_OPTIONS },
  positionals: [{ name: "WORDS", summary: "a key, an id, or words", isVariadic: true }],
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: {
    "amplihack memory forget payment sandbox": "shows memories with both words, and asks",
    "amplihack memory forget learned/3f2a90bb12cd34ef --yes": "deletes the one of that key",
  },
  async run(invocation) {
    const { options, positionals, rest, terminal } = invocation;
    const words = [...positionals, ...rest].join(" ");
    const found = await withReader(invocation, reader => findFitting(reader, words, options.agent));
    const matched = found.length;
    if (options.format === "text") terminal.print(found.map(renderLine).join(""));
    const isAgreed = matched > 0 && (options.yes || confirmDeletion(invocation, matched, "--yes"));
    const deleted = isAgreed ? await withStore(invocation, store => store.remove(found)) : 0;
    const text =
      matched === 0
        ? "No memory matches.\n"
        : deleted === 0
          ? "Nothing was deleted.\n"
          : `Deleted ${deleted}.\n`;
    terminal.printResult(options.format, { matched, deleted, memories: found.map(withoutValue) }, text);
    return matched === 0 ? 1 : 0;
  },
});

async function findFitting(
  reader: MemoryReader,
  words: string,
  agent: string | undefined,
): Promise<readonly Memory[]> {
  for (const name of [{ key: words }, { id: words }]) {
    const found = await reader.list({ agent, ...name }, "name");
    if (found.length > 0) return found;
  }
  const { any, all } = readQuery(words);
  const found = await reader.search({ any, all: [...all, ...any] }, { agent }, MAX_FORGOTTEN);
  return found.map(({ memory }) => memory);
}

/** The commands that pin a memory and that take the pin away. */
function definePinning(name: string, isPinned: boolean, summary: string) {
  return defineCommand({
    name,
    summary,
    details:
      "A pinned memory counts where it counted before: in its project, or in every project. It is never dropped unasked.",
    options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
    positionals: [{ name: "KEY", summary: "what it is called" }],
    forAgents: { use: "passes", asksWith: SHARED_STORE, isGivenTexts: true, writes: ["db-path"] },
    examples: { [`amplihack memory ${name} style`]: summary },
    async run(invocation) {
      const { positionals, terminal } = invocation;
      const { format } = invocation.options;
      const [key = ""] = positionals;
      const memory = await findOne(invocation);
      await withStore(invocation, store => store.pin([memory], isPinned));
      const text = `${isPinned ? "Pinned" : "Unpinned"} ${escapeControls(key)}.\n`;
      terminal.printResult(format, { ...toDocument(memory), pinned: isPinned }, text);
      return 0;
    },
  });
}

export const pinCommand = definePinning("pin", true, "give a memory to every session at its start");

export const unpinCommand = definePinning("unpin", false, "unpin a memory");

const PATTERN = "test_*";

export const cleanCommand = defineCommand({
  name: "clean",
  summary: "forget memories whose session or key matches a pattern",
  details: "Only shows what it would delete unless --no-dry-run is given; then it asks, or needs --confirm.",
  options: {
    pattern: option.string("GLOB", `* is anything, ? one character ('${PATTERN}' by default)`),
    "no-dry-run": option.boolean("really delete"),
    confirm: option.boolean("do not ask"),
    ...STORE_OPTIONS,
  },
  forAgents: { use: "passes", asksWith: ["no-dry-run"], writes: ["db-path"] },
  examples: {
    "amplihack memory clean": `shows what matches '${PATTERN}'`,
    "amplihack memory clean --pattern 'learned/*' --no-dry-run":
      "forgets what sessions left behind, after a question",
  },
  async run(invocation) {
    const { options, terminal } = invocation;
    const pattern = options.pattern ?? PATTERN;
    const isDryRun = !options["no-dry-run"];
    const found = await withReader(invocation, async reader =>
      (await reader.list({}, "name")).filter(memory => fits(memory, pattern)),
    );
    const matched = found.length;
    const isDeleting =
      !isDryRun && matched > 0 && (options.confirm || confirmDeletion(invocation, matched, "--confirm"));
    const deleted = isDeleting ? await withStore(invocation, store => store.remove(found)) : 0;
    const memories = found.map(withoutValue);
    const listed = isDryRun ? found.map(renderLine).join("") : "";
    terminal.printResult(
      options.format,
      { pattern, dry_run: isDryRun, matched, deleted, memories },
      listed + summarise(matched, deleted, isDryRun),
    );
    return 0;
  },
});

function fits({ session, key }: Memory, pattern: string): boolean {
  const glob = compileGlob(pattern, "text");
  return matchesGlob(glob, key) || (session !== "" && matchesGlob(glob, session));
}

function summarise(matched: number, deleted: number, isDryRun: boolean): string {
  if (matched === 0) return "No memory matches.\n";
  if (isDryRun) return `${matched} would be deleted; add --no-dry-run to do it.\n`;
  return deleted === 0 ? "Nothing was deleted.\n" : `Deleted ${deleted}.\n`;
}
