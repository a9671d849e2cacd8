import stringWidth from "string-width";
import type { Terminal } from "../../cli/index.ts";
import { formatAge, shownPlace } from "../../history/index.ts";
import { hostTitle } from "../../install/index.ts";
import { cutToWidth } from "../../recipes/index.ts";
import { count, escapeHidden } from "../../text/index.ts";
import { type Figure, type Period, type PlaceFigures, type Summary, thingsToLookAt } from "./summary.ts";

/** A summary for programs. */
export function reportDocument(summary: Summary, period: Period): object {
  const { figures, before, bars, sessions, files, rules, projects, hosts } = summary;
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    start: time(period.startMs),
    end: time(period.endMs),
    ...figures,
    sessions,
    files,
    before: { start: time(period.beforeMs), end: time(period.beforeEndMs), ...before },
    bars: bars.map((bar, index) => ({ start: time(period.edges[index] ?? 0), ...bar })),
    rules,
    projects,
    hosts,
    look_at: thingsToLookAt(summary),
  };
}

interface ReportView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly columns: number | undefined;
  readonly home: string;
  readonly nowMs: number;
}

const DEFAULT_COLUMNS = 80;
const MAX_COLUMNS = 100;
const SHOWN = 4;
const MARGIN = "  ";
const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ROWS: readonly (readonly [Figure, string])[] = [
  ["calls", "tool calls"],
  ["refused", "refused"],
  ["asked", "asked first"],
  ["answered", "for you"],
  ["kept", "changes kept"],
  ["undone", "undone by you"],
  ["held", "stops held"],
  ["failures", "hooks failed"],
];
/** These are told only where there are any. */
const RARE: readonly Figure[] = ["answered", "held", "failures"];

export function renderSummary(summary: Summary, period: Period, view: ReportView): string {
  const { terminal } = view;
  const width = Math.min(view.columns ?? DEFAULT_COLUMNS, MAX_COLUMNS);
  const heading = (text: string): string => terminal.paint("bold", text);
  const { sessions, projects, hosts, files, rules } = summary;
  const looked = thingsToLookAt(summary);
  const sections: (readonly string[])[] = [
    [heading(period.title)],
    [
      `${MARGIN}${count(sessions, "session")} in ${count(projects.length, "project")}, ${count(files, "file")} changed`,
    ],
    figureTable(summary, period, terminal),
  ];
  if (rules.length > 0)
    sections.push([
      heading("Rules that applied"),
      ...table(
        rules
          .slice(0, SHOWN)
          .map(({ rule, title, refused, asked }) => [
            escapeHidden(rule),
            stoppedWords(refused, asked),
            escapeHidden(title),
          ]),
        width,
      ),
      ...more(rules.length, terminal),
    ]);
  if (projects.length > 0)
    sections.push([
      heading("Projects"),
      ...table(
        places(projects, name => shownPlace(name, view.home) || "(unknown)"),
        width,
      ),
      ...more(projects.length, terminal),
    ]);
  if (hosts.length > 0)
    sections.push([
      heading("Hosts"),
      ...table(places(hosts, hostTitle), width),
      ...more(hosts.length, terminal),
    ]);
  if (looked.length > 0)
    sections.push([
      heading("Look at"),
      ...looked.flatMap(({ what, command }, index) => [
        cutToWidth(`${MARGIN}${index + 1}. ${what}`, width + 1),
        `${MARGIN}   ${terminal.paint("cyan", command)}`,
      ]),
    ]);
  return `${sections.map(lines => lines.join("\n")).join("\n\n")}\n`;
}

function figureTable(
  { figures, before, bars }: Summary,
  period: Period,
  terminal: ReportView["terminal"],
): readonly string[] {
  const columns = [Math.max(7, period.name.length), Math.max(9, period.before.length)] as const;
  const label = Math.max(...ROWS.map(([, text]) => text.length));
  const shown = ROWS.filter(([figure]) => !RARE.includes(figure) || figures[figure] + before[figure] > 0);
  const head = `${MARGIN}${" ".repeat(label)}  ${period.name.padStart(columns[0])}  ${period.before.padStart(columns[1])}  ${period.bars}`;
  return [
    terminal.paint("dim", head),
    ...shown.map(([figure, text]) => {
      const number = String(figures[figure]).padStart(columns[0]);
      const isBad = (figure === "refused" || figure === "failures") && figures[figure] > 0;
      const bar = renderBars(bars.map(each => each[figure]));
      return [
        MARGIN + text.padEnd(label),
        isBad ? terminal.paint("red", number) : number,
        terminal.paint("dim", String(before[figure]).padStart(columns[1])),
        terminal.paint("cyan", bar),
      ].join("  ");
    }),
  ];
}

/** A bar chart of block characters, one for each number, scaled to the highest; a dot stands for zero. */
export function renderBars(numbers: readonly number[]): string {
  const highest = Math.max(...numbers);
  return numbers
    .map(number => (number === 0 ? "·" : BLOCKS[Math.ceil((number / highest) * BLOCKS.length) - 1]))
    .join("");
}

function stoppedWords(refused: number, asked: number): string {
  const words = [...(refused > 0 ? [`${refused} refused`] : []), ...(asked > 0 ? [`${asked} asked`] : [])];
  return words.join(", ");
}

function places(
  list: readonly PlaceFigures[],
  title: (name: string) => string,
): readonly (readonly string[])[] {
  return list
    .slice(0, SHOWN)
    .map(({ name, calls, refused, asked }) => [
      title(name),
      count(calls, "call"),
      stoppedWords(refused, asked),
    ]);
}

/** Rows with aligned columns; the last is cut where the line ends. */
function table(rows: readonly (readonly string[])[], width: number): readonly string[] {
  const widest = (column: number): number => Math.max(...rows.map(row => stringWidth(row[column] ?? "")));
  const first = Math.min(widest(0), Math.floor(width / 2));
  const second = widest(1);
  return rows.map(([name = "", figure = "", text = ""]) => {
    const shown = cutToWidth(name, first + 1);
    const padding = " ".repeat(first - stringWidth(shown));
    return cutToWidth(
      `${MARGIN}${shown}${padding}  ${figure.padStart(second)}  ${text}`.trimEnd(),
      width + 1,
    );
  });
}

function more(total: number, terminal: ReportView["terminal"]): readonly string[] {
  return total > SHOWN ? [terminal.paint("dim", `${MARGIN}… and ${total - SHOWN} more`)] : [];
}

/** Nothing happened: what to do, by what is known. */
export function renderEmpty(summary: Summary, period: Period, { nowMs }: ReportView): string {
  const { lastMs } = summary;
  const nothing = `${period.title}: nothing was recorded.\n`;
  if (lastMs !== undefined)
    return `${nothing}The last call of a hook was ${formatAge(nowMs, lastMs)}. A longer time: amplihack report --since 30d\n`;
  return `${nothing}No agent has called a hook lately. Check that they fire: amplihack doctor\n`;
}
