import { defineCommand, FORMAT_OPTION, option, type Terminal } from "../cli/index.ts";
import { loadConfig } from "../config/index.ts";
import { hostTitle } from "../install/index.ts";
import { requireDirectories } from "../state/index.ts";
import { escapeControls, shortCount } from "../text/index.ts";
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
const MAX_KEY = 30;

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
  const rows = [
    [by, "input", "cached", "output", "cost", "context", "worked", "waited"],
    ...[...shown, total].map(group => toCells(group, by)),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row, index) => {
    const text = row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
    return index === 0 || index === rows.length - 1 ? terminal.paint("bold", text) : text;
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

function toCells(group: UsageGroup, by: UsageGrouping): readonly string[] {
  const { key, tokens, cost, unpriced, context, workingMs, waitingMs } = group;
  return [
    clipKey(by === "host" ? hostTitle(key) : escapeControls(key)),
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

/** The end of a path tells more than its start. */
function clipKey(key: string): string {
  return key.length <= MAX_KEY ? key : `…${key.slice(1 - MAX_KEY)}`;
}

function time(ms: number | undefined): string {
  if (ms === undefined) return "-";
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
