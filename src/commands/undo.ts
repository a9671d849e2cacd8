import { type CommandInvocation, defineCommand, option, usageError } from "../cli/index.ts";
import type { UndoSelection } from "../history/index.ts";
import { isInside } from "../system/index.ts";
import { readDuration } from "./history/amounts.ts";
import type { OpenedHistory } from "./history/open.ts";
import { CARRY_OUT_OPTIONS } from "./undo/carry-out.ts";

export const command = defineCommand({
  name: "undo",
  summary: "take back what an agent did to your files",
  group: "Protect",
  details: `
Alone at a terminal it lists what agents changed in this project, to choose
from: typing a part of a file's name or of the command finds it. Without a
terminal, with --yes and where there is only one, it takes the last change. It
shows what would come back and what would be removed, asks, and does nothing
before you say yes. Files that were changed since are never overwritten: they
are named, and nothing is done unless you add --force. amplihack redo reverses
an undo.

Exit codes: 0 done, 1 nothing to undo or not done, 2 usage, 3 files were changed since.`,
  options: {
    turn: option.number("N", "all that came of the last prompt, or the last N", {
      minimum: 1,
      bare: 1,
    }),
    session: option.string("SESSION", "all of a session; of the last one without an id", { bare: "" }),
    since: option.string("TIME", "all that is newer: 10m, 2h, 1d"),
    ...CARRY_OUT_OPTIONS,
  },
  positionals: [
    {
      name: "ID|PATH",
      summary: "a change, as amplihack history prints it, or a file: its newest change; several as one",
      isOptional: true,
      isVariadic: true,
      completes: "undoable",
    },
  ],
  wordsBehind: "[-- PATH…]",
  forAgents: { use: "history", passesWith: ["dry-run"], looks: [] },
  examples: {
    "amplihack undo": "lets you choose what an agent did here, shows it, asks, and takes it back",
    "amplihack undo --dry-run": "only shows it",
    "amplihack undo --turn": "everything that came of your last prompt",
    "amplihack undo --since 10m -- src": "what happened to src in the last ten minutes",
    "amplihack undo 1i8x4q": "one change by its id",
    "amplihack undo notes.txt": "the newest change of a file, also one that is gone, by its name",
  },
  async run(invocation) {
    const { options, rest, system, terminal } = invocation;
    const { openForCommand } = await import("./history/open.ts");
    const { carryOut, planWith } = await import("./undo/carry-out.ts");
    const opened = openForCommand(invocation);
    const named = invocation.positionals.map(word => ({ word, path: findPath(opened, word) }));
    const positionals = named.flatMap(({ word, path }) => (path === undefined ? word : []));
    const files = named.flatMap(({ path }) => path ?? []);
    const chosen = [
      ...(positionals.length > 0 ? ["ID"] : []),
      ...(files.length > 0 ? ["PATH"] : []),
      ...(["turn", "session", "since"] as const)
        .filter(name => options[name] !== undefined)
        .map(name => `--${name}`),
    ];
    if (chosen.length > 1)
      throw usageError(`${chosen.join(" and ")} exclude each other`, "amplihack undo --help");
    const picked = chosen.length + rest.length === 0 ? await pick(invocation, opened) : [];
    if (picked === undefined) {
      terminal.warn("Nothing was changed.\n");
      return 1;
    }
    const ids = [...positionals, ...picked];
    const selection = toSelection(ids, options, system.clock.nowMs());
    const paths = [...files, ...rest.map(opened.resolvePath)];
    const plan = await planWith(invocation, () =>
      opened.history.planUndo({ ...selection, ...(paths.length > 0 ? { paths } : {}) }),
    );
    const words = selectionWords(ids, options);
    const chosenWords = words.length > 0 ? words : plan.changes.map(({ id }) => id);
    return carryOut(invocation, opened, plan, { words: ["amplihack", "undo", ...chosenWords], paths: rest });
  },
});

/** The changes a person picks from the list: empty without a list or a terminal, undefined when they cancel. */
async function pick(
  invocation: Pick<CommandInvocation, "system" | "terminal"> & { readonly options: Answered },
  opened: OpenedHistory,
): Promise<readonly string[] | undefined> {
  const { options, terminal } = invocation;
  if (!terminal.isInteractive || options.yes || options["dry-run"] || options.format === "json") return [];
  const { changesToPick, pickChanges } = await import("./undo/picker.ts");
  const changes = changesToPick(opened);
  return changes === undefined ? [] : pickChanges(invocation, opened, changes);
}

interface Answered {
  readonly yes: boolean;
  readonly "dry-run": boolean;
  readonly format: string;
}

/** The path that a word means which is no id: as typed, or that of a changed file with this name. */
function findPath({ history, project, resolvePath }: OpenedHistory, word: string): string | undefined {
  if (history.readChange(word) !== undefined) return undefined;
  const typed = resolvePath(word);
  const files = history.listChanges({ project }).changes.flatMap(change => change.files);
  if (files.some(({ path }) => isInside(typed, path))) return typed;
  const found = files.find(({ path }) => path.endsWith(`/${word}`))?.path;
  return found ?? (/[/.]/.test(word) ? typed : undefined);
}

interface Choice {
  readonly turn: number | undefined;
  readonly session: string | undefined;
  readonly since: string | undefined;
}

/** What was chosen, as it would be typed again. */
function selectionWords(ids: readonly string[], { turn, session, since }: Choice): readonly string[] {
  if (turn !== undefined) return ["--turn", String(turn)];
  if (session !== undefined) return ["--session", ...(session === "" ? [] : [session])];
  return since === undefined ? ids : ["--since", since];
}

function toSelection(ids: readonly string[], { turn, session, since }: Choice, nowMs: number): UndoSelection {
  if (ids.length > 0) return { kind: "ids", ids };
  if (turn !== undefined) return { kind: "turns", count: turn };
  if (session !== undefined) return { kind: "session", ...(session === "" ? {} : { session }) };
  if (since !== undefined) return { kind: "since", sinceMs: nowMs - readDuration("since", since) };
  return { kind: "newest" };
}
