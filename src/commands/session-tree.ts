import {
  CommandError,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  option,
  usageError,
} from "../cli/index.ts";
import { loadSessionTree } from "../recipes/index.ts";
import type { System } from "../system/index.ts";

const BLOCKED_EXIT_CODE = 2;
const DEFAULT_DAYS = 7;
const SESSION = { name: "SESSION", summary: "id of a session: letters, digits, _ and -" } as const;

async function openTrees(system: System) {
  const { SessionTrees } = await loadSessionTree();
  return new SessionTrees(system);
}

const register = defineCommand({
  name: "register",
  summary: "count a session in the tree of AMPLIHACK_TREE_ID, or in a new tree",
  details: `
Prints TREE_ID=… DEPTH=… . Exit 1 where AMPLIHACK_MAX_SESSIONS (10) are active already or AMPLIHACK_SESSION_DEPTH is over
AMPLIHACK_MAX_DEPTH (6).`,
  positionals: [
    { ...SESSION, isOptional: true, mayBeEmpty: true },
    { name: "PARENT", summary: "the session that started it", isOptional: true, mayBeEmpty: true },
  ],
  options: { format: FORMAT_OPTION },
  forAgents: "passes",
  examples: {
    "amplihack session-tree register a1b2c3d4": "prints TREE_ID=5e6f7a8b DEPTH=0",
    "amplihack session-tree register --json": 'prints {"tree_id":"5e6f7a8b","depth":0}',
  },
  async run({ options, positionals, system, terminal }) {
    const [session = system.random.hex(8), parent] = positionals;
    const { tree, depth } = (await openTrees(system)).register(session, parent);
    const line = JSON.stringify({ tree_id: tree, depth });
    terminal.print(options.format === "json" ? `${line}\n` : `TREE_ID=${tree} DEPTH=${depth}\n`);
    return 0;
  },
});

const complete = defineCommand({
  name: "complete",
  summary: "mark a session of the tree as ended",
  positionals: [SESSION],
  options: {},
  forAgents: "passes",
  examples: { "AMPLIHACK_TREE_ID=5e6f7a8b amplihack session-tree complete a1b2c3d4": "frees its place" },
  async run({ positionals, system }) {
    (await openTrees(system)).complete(positionals[0] ?? "");
    return 0;
  },
});

const status = defineCommand({
  name: "status",
  summary: "print the sessions of a tree as JSON",
  positionals: [{ name: "TREE", summary: "id of a tree; AMPLIHACK_TREE_ID by default", isOptional: true }],
  options: {},
  forAgents: { use: "passes", looks: [] },
  examples: { "amplihack session-tree status 5e6f7a8b": "prints who is active and who has ended" },
  async run({ positionals, system, terminal }) {
    const trees = await openTrees(system);
    const tree = positionals[0] ?? trees.current;
    if (tree === undefined)
      throw new CommandError("no tree is named", {
        kind: "not-found",
        fix: "name one, or set AMPLIHACK_TREE_ID",
      });
    terminal.printJson(trees.status(tree));
    return 0;
  },
});

const check = defineCommand({
  name: "check",
  summary: "say whether this session may start another",
  details: "Prints ALLOWED, or BLOCKED: with a reason and exit 2.",
  options: {},
  forAgents: "passes",
  examples: { "amplihack session-tree check": "prints ALLOWED outside of any tree" },
  async run({ system, terminal }) {
    const why = (await openTrees(system)).whyBlocked();
    terminal.print(why === undefined ? "ALLOWED\n" : `BLOCKED:${why}\n`);
    return why === undefined ? 0 : BLOCKED_EXIT_CODE;
  },
});

const gc = defineCommand({
  name: "gc",
  summary: "remove trees in which nothing happened for days",
  options: {
    "older-than-days": option.number("DAYS", "how long; 7 by default"),
    "dry-run": option.boolean("only say what would be removed"),
  },
  forAgents: { use: "asks", passesWith: ["dry-run"] },
  examples: { "amplihack session-tree gc --older-than-days 7 --dry-run": "lists the old trees" },
  async run({ options, system, terminal }) {
    const days = options["older-than-days"] ?? DEFAULT_DAYS;
    if (days < 0) throw usageError("--older-than-days must not be negative");
    const trees = await openTrees(system);
    const old = trees.olderThan(days);
    const verb = options["dry-run"] ? "would remove" : "removed";
    for (const { path } of old) {
      if (!options["dry-run"]) system.files.remove(path);
      terminal.print(`${verb} ${path}\n`);
    }
    const bytes = old.reduce((sum, file) => sum + file.bytes, 0);
    terminal.print(
      `${verb} ${old.length} files, ${bytes} bytes, older than ${days} days, from ${trees.directory}\n`,
    );
    return 0;
  },
});

export const command = defineFamily({
  name: "session-tree",
  summary: "count the agent sessions that start each other, so that they end somewhere",
  subcommands: [register, complete, status, check, gc],
  examples: { "amplihack session-tree check": "says whether this session may start another" },
});
