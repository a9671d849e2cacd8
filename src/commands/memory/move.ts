import { CommandError, defineCommand, option, ProgressLine, usageError } from "../../cli/index.ts";
import { copyMemories, type MovableStore, removeMoved, SqliteStore } from "../../memory/index.ts";
import { databasePath, openPlace, STORE_OPTIONS, type StorePlace, teamPlace } from "./store-access.ts";

const { backend: _, ...PLACES } = STORE_OPTIONS;

export const moveCommand = defineCommand({
  name: "move",
  summary: "copy all memories from the file to the team's database, or back",
  details: [
    "Ids, dates, pins and uses come along, and both are compared afterwards. When it was interrupted, do it again. Of two",
    "memories of one name the later change stays. Nothing is deleted without --delete-source, and then only what the",
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
