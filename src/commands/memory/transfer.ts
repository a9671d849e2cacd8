import { CommandError, defineCommand, fileFix, option, ProgressLine, usageError } from "../../cli/index.ts";
import {
  copyMemories,
  MAX_TRANSFER_BYTES,
  type MovableStore,
  parseExport,
  removeMoved,
  renderExport,
  SqliteStore,
  WHAT_TO_IMPORT,
} from "../../memory/index.ts";
import { readExactText } from "../../state/index.ts";
import { type System, SystemError, writeAtomically } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import {
  AGENT_OPTION,
  checkArguments,
  databasePath,
  fileNamed,
  openPlace,
  STORE_OPTIONS,
  type StorePlace,
  teamPlace,
  withReader,
  withStore,
} from "./store-access.ts";

export const exportCommand = defineCommand({
  name: "export",
  summary: "write memories to a JSON file, of all agents or of one",
  details:
    "The file is readable by its owner alone. `amplihack memory import` gives back exactly what is in it.",
  options: {
    agent: AGENT_OPTION,
    output: option.string("FILE", "the file to write; - for standard output", {
      short: "o",
      isRequired: true,
    }),
    ...STORE_OPTIONS,
  },
  forAgents: { use: "asks", writes: ["output"] },
  examples: {
    "amplihack memory export -o memories.json": "writes all memories",
    "amplihack memory export --agent builder -o builder.json": "writes those of the agent builder",
    "amplihack memory export -o - | ssh db amplihack memory import -i -": "copies them to another machine",
  },
  async run(invocation) {
    const { system, terminal } = invocation;
    const { agent, output, format } = invocation.options;
    const file = output === "-" ? undefined : fileNamed(system, "--output", output);
    const memories = await withReader(invocation, reader => reader.list({ agent }, "name"));
    const text = renderExport(agent, memories, system.clock.nowMs());
    const bytes = system.text.encode(text);
    if (bytes.length > MAX_TRANSFER_BYTES) {
      throw new CommandError(`the export would be larger than ${MAX_TRANSFER_BYTES} bytes`, {
        kind: "too-large",
        fix: "copy the database file instead",
      });
    }
    if (file === undefined) {
      terminal.print(text);
      return 0;
    }
    writeAtomically(system, file, bytes);
    const count = memories.length;
    terminal.printResult(
      format,
      { agent: agent ?? null, file, count },
      `${escapeControls(`Exported ${count}${agent === undefined ? "" : ` of ${agent}`} to ${file}.`)}\n`,
    );
    return 0;
  },
});

export const importCommand = defineCommand({
  name: "import",
  summary: "take in memories that were exported",
  details:
    "All of them or none. With --merge, where two have the same session and key, the later change wins.",
  options: {
    agent: option.string("NAME", "the agent they will belong to (unchanged by default)"),
    input: option.string("FILE", "the file to read; - for standard input", { short: "i", isRequired: true }),
    merge: option.boolean("also when the agent has memories already"),
    ...STORE_OPTIONS,
  },
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: {
    "amplihack memory import -i memories.json": "takes in what was exported, for the same agents",
    "amplihack memory import --agent builder -i builder.json": "fills an empty agent",
    "amplihack memory import --agent builder -i more.json --merge": "adds to what is there",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { agent } = options;
    checkArguments(agent === undefined ? {} : { agent });
    const file = options.input === "-" ? "-" : fileNamed(system, "--input", options.input);
    const exported = parseExport(readSource(system, file), agent);
    if (agent !== undefined && exported.agent !== agent) {
      const owner = exported.agent === undefined ? "several agents" : escapeControls(exported.agent);
      terminal.note(`These were memories of ${owner}; they become those of ${escapeControls(agent)}.\n`);
    }
    const agents = new Set(exported.memories.map(memory => memory.agent));
    const counts = await withStore(invocation, store =>
      store.take([...agents], exported.memories, options.merge),
    );
    const { added, replaced, kept } = counts;
    terminal.printResult(
      options.format,
      { agent: agent ?? exported.agent ?? null, file, imported: added + replaced, ...counts },
      `Imported: ${added} new, ${replaced} replaced, ${kept} kept.\n`,
    );
    return 0;
  },
});

function readSource(system: System, file: string): string {
  const source = file === "-" ? "standard input" : file;
  const fail = (why: string, fix = WHAT_TO_IMPORT): CommandError =>
    new CommandError(`${source} cannot be imported: ${why}`, { kind: "unreadable", fix });
  try {
    const read = file === "-" ? readInput(system, fail) : readExactText(system, file, MAX_TRANSFER_BYTES);
    if (read === undefined) throw fail("there is no such file");
    if (read.replaced) throw fail("it is not UTF-8");
    return read.text;
  } catch (error) {
    throw error instanceof SystemError ? fail(error.code, fileFix(error.code)) : error;
  }
}

function readInput({ stdio, text }: System, fail: (why: string) => CommandError) {
  const input = stdio.readInput(MAX_TRANSFER_BYTES);
  if (input.kind === "bytes") return text.decode(input.bytes);
  if (input.kind === "closed") throw fail("it is closed");
  throw fail(input.kind === "failed" ? input.code : `it is longer than ${MAX_TRANSFER_BYTES} bytes`);
}

const { backend: _, ...PLACES } = STORE_OPTIONS;

export const moveCommand = defineCommand({
  name: "move",
  summary: "copy all memories from the file to the team's database, or back",
  details: [
    "Ids, dates, pins and uses come along, and both are compared afterwards. When it was interrupted, do it again. Where both",
    "have a memory of one name, the later change wins. Nothing is deleted without --delete-source, and then only what the",
    "target has exactly. Exit code 1 when the target has something else for a memory.",
  ].join("\n"),
  options: {
    to: option.choice(["postgres", "sqlite"], "where to"),
    "delete-source": option.boolean("delete at the source what is at the target"),
    ...PLACES,
  },
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: {
    "amplihack memory move --to postgres": "copies your memories to the team of memory.url",
    "amplihack memory move --to sqlite --url postgres://ann@db.example/agents --db-path team.db":
      "copies those of a team to a file",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    if (options.to === undefined) throw usageError("say where to with --to postgres or --to sqlite");
    const shared = { ...invocation, options: { ...options, backend: undefined } };
    const file: StorePlace = { path: databasePath(shared) };
    const team: StorePlace = teamPlace(shared);
    const [from, to] = options.to === "postgres" ? [file, team] : [team, file];
    const { counts, deleted } = await new ProgressLine(system, terminal).during(
      "moving memories …",
      async () => {
        const source = await openPlace(system, from);
        const target = await openPlace(system, to);
        try {
          if (options["delete-source"]) await checkNoCopy([source, target]);
          const copied = await copyMemories(source, target);
          const removed = options["delete-source"] ? await removeMoved(source, copied.equal) : 0;
          return { counts: copied, deleted: removed };
        } finally {
          source.close();
          target.close();
        }
      },
    );
    const [equal, superseded, different] = [counts.equal, counts.superseded, counts.different].map(
      ({ length }) => length,
    );
    const left = `${superseded} with a later change there, ${different} with something else there`;
    terminal.printResult(
      options.format,
      { to: options.to, memories: counts.memories, equal, superseded, different, deleted },
      `Moved ${equal} of ${counts.memories}; ${left}. Deleted ${deleted} at the source.\n`,
    );
    return different === 0 ? 0 : 1;
  },
});

/** In a copy of a team's memories, and under it, everything that is deleted is deleted for all. */
async function checkNoCopy(stores: readonly MovableStore[]): Promise<void> {
  for (const store of stores)
    if (store instanceof SqliteStore && (await store.hasShared()))
      throw new CommandError(
        "the file is a copy of a team's memories: what is deleted on one side is deleted on the other",
        { kind: "occupied", fix: "leave out --delete-source; amplihack memory sync keeps both equal" },
      );
}
