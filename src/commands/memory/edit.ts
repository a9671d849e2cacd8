import { CommandError, defineCommand, loadEditor } from "../../cli/index.ts";
import { type Memory, TEXT_LIMITS, toDocument } from "../../memory/index.ts";
import { readExactText } from "../../state/index.ts";
import { dirname, join, type System } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { checkValue } from "./check-value.ts";
import {
  AGENT_OPTION,
  checkArguments,
  findOne,
  memoryPlace,
  SESSION_OPTION,
  STORE_OPTIONS,
  storePlace,
  withStore,
} from "./store-access.ts";

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
