import { defineCommand, option } from "../../cli/index.ts";
import { type AgentBranch, buildMemoryTree, CATEGORIES } from "../../memory/index.ts";
import { escapeControls } from "../../text/index.ts";
import { SESSION_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

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
