import type { Style, Terminal } from "../../cli/index.ts";
import { ageOf, shownPlace } from "../../history/index.ts";
import { cutToWidth } from "../../recipes/index.ts";
import { count, escapeHidden, redactOpening } from "../../text/index.ts";
import type {
  GuardSummary,
  OwnHooksSummary,
  PastSession,
  PastVerdict,
  StoppedCall,
} from "../../verify/index.ts";

/** What was read, for the first line. */
export interface ReplaySource {
  readonly files: number;
  readonly lines: number;
  /** the user's own sessions that were read, newest first; undefined where files were named */
  readonly sessions?: readonly PastSession[] | undefined;
  /** how many sessions there are in all */
  readonly found: number;
}

export interface SummaryView {
  readonly terminal: Terminal;
  readonly nowMs: number;
  readonly home: string;
}

const DEFAULT_COLUMNS = 80;
const MAX_LISTED = 8;
const INDENT = "      ";
const GROUPS: readonly {
  verdict: PastVerdict;
  title: string;
  style: Style;
  member: "denied" | "asked" | "kept";
}[] = [
  { verdict: "deny", title: "Refused", style: "red", member: "denied" },
  { verdict: "ask", title: "You would have been asked", style: "yellow", member: "asked" },
  { verdict: "keep", title: "Kept first, so that undo brings it back", style: "green", member: "kept" },
];

/** What the guard would have done, worst first, no line wider than the terminal. */
export function renderGuard(summary: GuardSummary, source: ReplaySource, view: SummaryView): string {
  const { terminal } = view;
  const figures = `${summary.allowed} allowed, ${summary.kept} kept, ${summary.asked} asked, ${summary.denied} denied`;
  const lines = [
    "",
    terminal.paint("bold", "What the guard would have done"),
    ...(source.sessions === undefined
      ? [
          `  ${count(summary.judged, "tool call")} in ${count(source.files, "file")}, ${count(source.lines, "line")}:`,
        ]
      : sessionLines(source.sessions, source.found, summary, view)),
    `  ${figures}`,
    ...GROUPS.flatMap(group => groupLines(group, summary, view)),
    ...ruleLines(summary, terminal),
    ...closingLines(summary, source, terminal),
  ];
  return `${lines.join("\n")}\n`;
}

function sessionLines(
  sessions: readonly PastSession[],
  found: number,
  { judged }: GuardSummary,
  { nowMs }: SummaryView,
): readonly string[] {
  const byHost = new Map<string, number>();
  for (const { title } of sessions) byHost.set(title, (byHost.get(title) ?? 0) + 1);
  const hosts = [...byHost].map(([title, number]) => `${title} ${number}`).join(", ");
  const which = sessions.length < found ? `newest ${sessions.length} of ${found}` : String(sessions.length);
  const since = ageOf(nowMs, sessions.at(-1)?.modifiedMs ?? nowMs);
  return [
    `  ${count(judged, "tool call")} in your ${which} ${found === 1 ? "session" : "sessions"}, the oldest ${since}`,
    `  ${hosts}`,
  ];
}

function groupLines(
  { verdict, title, style, member }: (typeof GROUPS)[number],
  summary: GuardSummary,
  view: SummaryView,
): readonly string[] {
  const calls = summary.stopped.filter(one => one.verdict === verdict);
  if (calls.length === 0) return [];
  const listed = calls.slice(0, MAX_LISTED);
  const rest = summary[member] - listed.reduce((sum, one) => sum + one.count, 0);
  return [
    "",
    `${view.terminal.paint(style, title)} (${summary[member]})`,
    ...listed.flatMap(one => callLines(one, view)),
    ...(rest > 0 ? [`  and ${rest} more; all of them: --format json`] : []),
  ];
}

/** The command with its directory, and below it what it would have lost. */
function callLines(
  { command, count: times, cwd, lost }: StoppedCall,
  { terminal, home }: SummaryView,
): readonly string[] {
  const width = terminal.columns ?? DEFAULT_COLUMNS;
  const safe = (text: string) => escapeHidden(redactOpening(text).replace(/\s+/g, " "));
  const where = cwd === undefined ? "" : `  in ${shownPlace(cwd, home)}`;
  const end = `${times === 1 ? "" : ` ×${times}`}${where.length > width / 2 ? "" : where}`;
  // Paths below the directory and the home are as long as they have to be.
  const short = safe(lost)
    .split(cwd === undefined ? " " : `${cwd}/`)
    .join(cwd === undefined ? " " : "")
    .split(home)
    .join("~");
  return [
    `  ${cutToWidth(safe(command), width - 2 - end.length)}${terminal.paint("dim", end)}`,
    ...wrapped(short, width - INDENT.length).map(line => terminal.paint("dim", `${INDENT}${line}`)),
  ];
}

/** On at most two lines. */
function wrapped(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  const at = Math.max(text.lastIndexOf(" ", width), 1);
  return [text.slice(0, at), cutToWidth(text.slice(at).trimStart(), width)];
}

function ruleLines({ byRule }: GuardSummary, terminal: Terminal): readonly string[] {
  if (byRule.size === 0) return [];
  const rules = [...byRule].sort(([, one], [, other]) => other - one);
  const lines = rules.map(([rule, number]) => `  ${String(number).padStart(5)}  ${rule}`);
  return ["", terminal.paint("bold", "By rule (amplihack guard why RULE explains one)"), ...lines];
}

function closingLines(
  { judged, judgingMs }: GuardSummary,
  { sessions, found }: ReplaySource,
  terminal: Terminal,
): readonly string[] {
  const time = judged === 0 ? "" : ` ${(judgingMs / judged).toFixed(2)} ms a call.`;
  const rest = sessions !== undefined && sessions.length < found ? [`Older ones, too: --last ${found}`] : [];
  return [
    "",
    ...[
      "Judged by your files as they are now: what is gone by now counts as no loss.",
      `Nothing was run.${time}`,
      ...rest,
    ].map(line => terminal.paint("dim", line)),
  ];
}

export function renderOwn(own: OwnHooksSummary, terminal: Terminal): string {
  if (own.size === 0) return "";
  const lines = [...own].map(
    ([hook, words]) => `  ${hook}: ${[...words].map(([word, number]) => `${number} ${word}`).join(", ")}\n`,
  );
  return `\n${terminal.paint("bold", "What your own hooks would have said")}\n${lines.join("")}`;
}
