import {
  COMPLETED_NOW,
  type CommandInvocation,
  type CompletedNow,
  defineCommand,
  usageError,
} from "../cli/index.ts";
import type { Change } from "../history/index.ts";
import { loadListRecipes, loadRunRecords, loadRunRequest, loadSearchDirectories } from "../recipes/index.ts";
import { didYouMean } from "../text/index.ts";

const MAX_WORDS = 200;
/** A shell may expand what it is offered: nothing but plain words is. */
const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9._:@-]*$/;

/** Not in the list of commands: shells call it when a key is pressed, people do not. */
export const command = defineCommand({
  name: "complete",
  summary: "print the names that a shell offers at this moment (internal)",
  details: "One on a line. A name that a shell could take for more than a word is left out.",
  options: {},
  ignoresHome: true,
  positionals: [{ name: "KIND", summary: COMPLETED_NOW.join(", ") }],
  forAgents: "passes",
  examples: { "amplihack complete undoable": "prints the ids of the changes that amplihack undo takes" },
  async run(invocation) {
    const [wanted = ""] = invocation.positionals;
    const kind = COMPLETED_NOW.find(each => each === wanted);
    if (kind === undefined)
      throw usageError(
        `KIND must be one of ${COMPLETED_NOW.join(", ")}, not '${wanted}'${didYouMean(wanted, COMPLETED_NOW)}`,
        "amplihack complete --help",
      );
    const names = [...new Set(await listNames(kind, invocation))];
    const words = names.filter(name => PLAIN_WORD.test(name)).slice(0, MAX_WORDS);
    invocation.terminal.print(words.map(word => `${word}\n`).join(""));
    return 0;
  },
});

async function listNames(kind: CompletedNow, invocation: CommandInvocation): Promise<readonly string[]> {
  const { system } = invocation;
  switch (kind) {
    case "recipe": {
      const { listRecipes } = await loadListRecipes();
      const { searchHere } = await loadSearchDirectories();
      const search = searchHere(system, { workingDir: undefined, recipeDirs: [] });
      return (await listRecipes(system, search)).recipes.map(({ name }) => name);
    }
    case "run": {
      const { listRunIds } = await loadRunRecords();
      const { stateDirectory } = await loadRunRequest();
      const stateDir = stateDirectory(system);
      return stateDir === undefined ? [] : ["last", ...listRunIds(system, stateDir)];
    }
    case "session":
      return (await changesHere(invocation)).flatMap(({ session }) => session ?? []);
    case "change":
      return (await changesHere(invocation)).map(({ id }) => id);
    case "undoable":
    case "redoable":
      return (await changesHere(invocation))
        .filter(({ undoneBy }) => undoneBy === undefined)
        .filter(change => (change.kind === "undo") === (kind === "redoable"))
        .map(({ id }) => id);
  }
}

async function changesHere(invocation: CommandInvocation): Promise<readonly Change[]> {
  const { openForCommand } = await import("./history/open.ts");
  const { history, project } = openForCommand(invocation);
  return history.listChanges({ project, limit: MAX_WORDS }).changes;
}
