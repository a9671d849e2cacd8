import { defineCommand, FORMAT_OPTION, option, type Terminal } from "../cli/index.ts";
import { loadConfig } from "../config/index.ts";
import { hostTitle } from "../install/index.ts";
import { requireDirectories } from "../state/index.ts";
import { clipStart, escapeControls, shortCount } from "../text/index.ts";
import {
  groupUsage,
  PRICES_DATE,
  sumGroups,
  totalTokens,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageGrouping,
} from "../transcripts/index.ts";
import { loadRecordedUsage } from "../verify/index.ts";

const DEFAULT_SINCE = "30d";
const MAX_ROWS = 40;
const DEFAULT_COLUMNS = 80;
const MIN_KEY = 12;

export const command = defineCommand({
  name: "usage",
  summary: "tokens, cost and time of your agents, from the hosts' own records",
  group: "Look",
  details: `
Reads what Claude Code, Codex, Gemini CLI, Copilot CLI, OpenCode and Pi record of each session on this machine. Agents that
a session starts count with it, and an answer that a host writes several times counts once. Cost is the host's own figure
or the list price of ${PRICES_DATE}; a model without a price has no cost ("prices" in the configuration sets one). A pause
of more than half an hour is neither work nor waiting.`,
  options: {
    by: option.choice(USAGE_GROUPS, "one row for each", { initial: "day" }),
    since: option.string("TIME", `the period: 6h, 3d, 4w (${DEFAULT_SINCE} by default)`),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack usage": "the last 30 days, a row for each day",
    "amplihack usage --by model --since 7d": "what each model used in a week",
    "amplihack usage --by session --json": "every session, for programs",
  },
  async run({ options, system, terminal }) {
    const { readDuration } = await import("./history/amounts.ts");
    const { readRecordedUsage } = await loadRecordedUsage();
    const places = requireDirectories(system);
    const sinceMs = system.clock.nowMs() - readDuration("since", options.since ?? DEFAULT_SINCE);
    const { prices } = loadConfig(system, places).config;
    const usage = await readRecordedUsage(system, places.home, { prices, sinceMs });
    const groups = groupUsage(usage, options.by, sinceMs);
    const total = sumGroups(groups);
    for (const problem of usage.problems) terminal.warn(`Warning: not counted: ${problem}\n`);
    terminal.printResult(
      options.format,
      {
        by: options.by,
        since: new Date(sinceMs).toISOString(),
        prices: PRICES_DATE,
        groups: groups.map(toDocument),
        total: toDocument(total),
        unreadable: usage.unreadable,
        problems: usage.problems,
      },
      groups.length === 0
        ? `No agent recorded any use since ${new Date(sinceMs).toISOString().slice(0, 10)}.\n`
        : renderTable(groups, total, options.by, terminal),
    );
    return 0;
  },
});

function toDocument({
  key,
  answers,
  tokens,
  cost,
  unpriced,
  context,
  workingMs,
  waitingMs,
  lastMs,
}: UsageGroup) {
  return {
    key,
    answers,
    tokens: {
      input: tokens.input,
      output: tokens.output,
      cache_read: tokens.cacheRead,
      cache_write: tokens.cacheWrite,
      reasoning: tokens.reasoning,
      total: totalTokens(tokens),
    },
    cost_usd: unpriced > 0 && cost === 0 ? null : cost,
    tokens_without_price: unpriced,
    context_used: context ?? null,
    working_ms: workingMs ?? null,
    waiting_ms: waitingMs ?? null,
    last: lastMs === 0 ? null : new Date(lastMs).toISOString(),
  };
}

function renderTable(
  groups: readonly UsageGroup[],
  total: UsageGroup,
  by: UsageGrouping,
  terminal: Terminal,
): string {
  const shown = groups.slice(0, MAX_ROWS);
  const figures = [
    ["input", "cached", "output", "cost", "context", "worked", "waited"],
    ...shown.map(toFigures),
    // The fullest context of all is no sum.
    toFigures({ ...total, context: undefined }),
  ];
  const widths = figures[0]?.map((_, column) => Math.max(...figures.map(row => row[column]?.length ?? 0)));
  const right = figures.map(row =>
    row.map((cell, column) => `  ${cell.padStart(widths?.[column] ?? 0)}`).join(""),
  );
  const room = Math.max(MIN_KEY, (terminal.columns ?? DEFAULT_COLUMNS) - (right[0]?.length ?? 0));
  const names = [...shown, total].map(({ key }) => (by === "host" ? hostTitle(key) : escapeControls(key)));
  const keys = [by, ...names].map(key => clipStart(key, room));
  const left = Math.max(...keys.map(key => key.length));
  const lines = keys.map((key, index) => {
    const text = key.padEnd(left) + right[index];
    return index === 0 || index === keys.length - 1 ? terminal.paint("bold", text) : text;
  });
  const rest = groups.length - shown.length;
  return [
    ...lines,
    ...(rest > 0 ? [`${rest} more: --json`] : []),
    ...(total.unpriced > 0
      ? [
          terminal.paint(
            "dim",
            `* without ${shortCount(total.unpriced)} tokens of models that have no known price`,
          ),
        ]
      : []),
    "",
  ].join("\n");
}

function toFigures(group: UsageGroup): readonly string[] {
  const { tokens, cost, unpriced, context, workingMs, waitingMs } = group;
  return [
    shortCount(tokens.input + tokens.cacheWrite),
    shortCount(tokens.cacheRead),
    shortCount(tokens.output),
    unpriced > 0 && cost === 0 ? "?" : `${dollars(cost)}${unpriced > 0 ? "*" : ""}`,
    context === undefined ? "-" : `${Math.round(context * 100)} %`,
    time(workingMs),
    time(waitingMs),
  ];
}

function dollars(cost: number): string {
  return cost > 0 && cost < 0.01 ? "<$0.01" : `$${cost.toFixed(2)}`;
}

function time(ms: number | undefined): string {
  if (ms === undefined) return "-";
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
