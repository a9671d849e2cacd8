import { defineCommand, option } from "../../cli/index.ts";
import {
  type AgentBranch,
  buildMemoryTree,
  CATEGORIES,
  rankByWords,
  toDocument,
} from "../../memory/index.ts";
import { escapeControls, escapeLines } from "../../text/index.ts";
import {
  AGENT_OPTION,
  findOne,
  renderLine,
  SESSION_OPTION,
  STORE_OPTIONS,
  withReader,
} from "./store-access.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "list memories, of all agents or of one",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack memory list": "lists everything",
    "amplihack memory list --agent builder": "lists everything of the agent builder",
  },
  async run(invocation) {
    const { agent, session, format } = invocation.options;
    const memories = await withReader(invocation, reader => reader.list({ agent, session }, "name"));
    const text = memories.map(renderLine).join("") || "Nothing is remembered.\n";
    invocation.terminal.printResult(format, memories.map(toDocument), text);
    return 0;
  },
});

export const getCommand = defineCommand({
  name: "get",
  summary: "print one memory",
  details:
    "Without --session, the one outside all sessions, or the only one. Exit code 1 when there is none, or several.",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  positionals: [{ name: "KEY", summary: "what it is called" }],
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: { "amplihack memory get style": "prints the text alone" },
  async run(invocation) {
    const { terminal } = invocation;
    const { format } = invocation.options;
    const memory = await findOne(invocation);
    // What is stored may come from anywhere, and a pipe ends on a screen too; --json gives it exactly.
    terminal.printResult(format, toDocument(memory), `${escapeLines(memory.value)}\n`);
    return 0;
  },
});

const SHOWN = 10;

export const searchCommand = defineCommand({
  name: "search",
  summary: "find memories by words",
  details:
    'Every word counts, rare ones more; ties go to the more recent or more used. Other forms, parts of names and one wrong letter are found; "words in quotation marks" must occur exactly.',
  options: {
    agent: AGENT_OPTION,
    session: SESSION_OPTION,
    limit: option.number("N", `how many at most (${SHOWN} by default)`, { minimum: 1 }),
    ...STORE_OPTIONS,
  },
  positionals: [{ name: "WORDS", summary: "what to look for", isVariadic: true }],
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: { "amplihack memory search database timeout": "shows the best matches of all agents" },
  async run(invocation) {
    const { options, positionals, rest, system, terminal } = invocation;
    const { agent, session } = options;
    const words = [...positionals, ...rest].join(" ");
    const limit = Math.floor(options.limit ?? SHOWN);
    const found = await withReader(
      invocation,
      reader => rankByWords(reader, words, { agent, session }, { limit, nowMs: system.clock.nowMs() }),
      message => terminal.warn(`${message}\n`),
    );
    const lines = found.map(({ memory, relevance }) => `${relevance.toFixed(2)}  ${renderLine(memory)}`);
    const documents = found.map(({ memory, relevance }) => ({
      ...toDocument(memory),
      relevance: Number(relevance.toFixed(4)),
    }));
    terminal.printResult(options.format, documents, lines.join("") || "Nothing was found.\n");
    return 0;
  },
});

const MAX_DEPTH = 3;

export const treeCommand = defineCommand({
  name: "tree",
  summary: "show what is remembered, by agent and session",
  options: {
    session: SESSION_OPTION,
    type: option.choice(CATEGORIES, "only memories about this"),
    depth: option.number("N", "1 agents, 2 sessions, 3 memories", { minimum: 1, maximum: MAX_DEPTH }),
    ...STORE_OPTIONS,
  },
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack memory tree": "shows agents, their sessions and their memories",
    "amplihack memory tree --type decision --depth 2": "counts decisions by session",
  },
  async run(invocation) {
    const { session, type: category, depth = MAX_DEPTH, format } = invocation.options;
    const memories = await withReader(invocation, reader => reader.list({ session, category }, "name"));
    const total = memories.length;
    const agents = buildMemoryTree(memories, depth);
    invocation.terminal.printResult(format, { total, agents }, renderTree(agents, total));
    return 0;
  },
});

function renderTree(agents: readonly AgentBranch[], total: number): string {
  if (total === 0) return "Nothing is remembered.\n";
  const lines = [total === 1 ? "1 memory" : `${total} memories`];
  branch(agents, "", lines, ({ agent, count, sessions = [] }, indent) => {
    lines.push(`${escapeControls(agent)} (${count})`);
    branch(sessions, indent, lines, ({ session, count: ofSession, memories = [] }, deeper) => {
      lines.push(`${session === null ? "no session" : escapeControls(session)} (${ofSession})`);
      branch(memories, deeper, lines, ({ key, category, type }) => {
        lines.push(`${escapeControls(key)} [${category}, ${type}]`);
      });
    });
  });
  return `${lines.join("\n")}\n`;
}

/** Draws the lines of a level; `add` pushes the text of one item, which gets its branch put in front. */
function branch<T>(
  items: readonly T[],
  indent: string,
  lines: string[],
  add: (item: T, indent: string) => void,
): void {
  for (const [index, item] of items.entries()) {
    const isLast = index === items.length - 1;
    const at = lines.length;
    add(item, indent + (isLast ? "    " : "│   "));
    lines[at] = `${indent}${isLast ? "└── " : "├── "}${lines[at]}`;
  }
}
