import { count } from "../text/index.ts";
import { describeEngine } from "./hook-engine.ts";
import type { InstalledHost, InstalledServer, InstallReport } from "./install-report.ts";
import type { UninstallReport } from "./uninstall.ts";

export type Paint = (style: "green" | "yellow" | "red" | "bold" | "dim", text: string) => string;

const MARKS = {
  registered: ["green", "✓"],
  unchanged: ["green", "✓"],
  skipped: ["yellow", "⚠"],
  failed: ["red", "✗"],
  removed: ["green", "✓"],
} as const;

export interface InstallView {
  /** what each host can and cannot do, too */
  readonly isVerbose: boolean;
  /** every change of a dry run as a diff */
  readonly isFull: boolean;
  readonly paint: Paint;
  /** shown as `~` */
  readonly home: string | undefined;
  /** what lies in it is named from there */
  readonly project: string;
}

/** More hosts than these are told on one line for each status. */
const MAX_HOST_LINES = 3;
const MAX_NAMED_FILES = 3;

/** What an installation did, for people: about ten lines, whatever the number of hosts. */
export function renderInstall(report: InstallReport, view: InstallView): string {
  const { paint } = view;
  const lines = report.dry_run
    ? [...renderCopy(report), ...previewLines(report.changes, view)]
    : [programLine(report, view)];
  const isShort = !view.isVerbose && report.hosts.filter(isWell).length > MAX_HOST_LINES;
  const single = isShort ? report.hosts.filter(host => !isWell(host)) : report.hosts;
  if (isShort) lines.push(...combinedLines(report.hosts.filter(isWell), report.dry_run, paint));
  for (const host of single) lines.push(...renderHost(host, report.dry_run, view));
  lines.push(...serverLines(report.mcp_servers, paint));
  for (const warning of report.warnings) lines.push(`${paint("yellow", "⚠")} ${warning}`);
  const shown = view.isFull ? lines : lines.map(line => shortenPaths(line, view));
  if (report.dry_run) return joined([...shown, ...endOfPreview("install", view)]);
  if (report.next_steps.length > 0)
    shown.push("", paint("bold", "Still to do:"), ...report.next_steps.map(step => `  ${step}`));
  return joined([...shown, "", ...closing(report)]);
}

function programLine(report: InstallReport, { isVerbose, paint }: InstallView): string {
  const engine = describeEngine({ ...report, kind: report.engine });
  return `${ok(paint)} hook program: ${report.binary} (${isVerbose ? engine : engine.split(", ", 1)[0]})`;
}

/** A dry run names the files; `--full` shows what would be in them. */
function previewLines(changes: InstallReport["changes"], { isFull }: Pick<InstallView, "isFull">): string[] {
  if (isFull) return renderChanges(changes);
  const paths = changes.map(({ path }) => path);
  const files = paths.length === 1 ? "1 file would change" : `${paths.length} files would change or be made`;
  return paths.length === 0 ? [] : [`${files}: ${firstPaths(paths)}`];
}

function firstPaths(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED_FILES);
  const more = paths.length > named.length ? [`and ${paths.length - named.length} more`] : [];
  return [...named, ...more].join(", ");
}

function endOfPreview(name: string, { isFull }: Pick<InstallView, "isFull">): readonly string[] {
  const full = isFull ? [] : [`Every change as a diff: amplihack ${name} --dry-run --full`];
  return ["", ...full, "Nothing was written."];
}

function isWell({ status, reason }: InstalledHost): boolean {
  return status !== "failed" && reason === undefined;
}

function combinedLines(hosts: readonly InstalledHost[], isDryRun: boolean, paint: Paint): readonly string[] {
  const byStatus = new Map<InstalledHost["status"], string[]>();
  for (const { host, status } of hosts) byStatus.set(status, [...(byStatus.get(status) ?? []), host]);
  return [...byStatus].map(([status, names]) => {
    const [style, mark] = MARKS[status];
    return `${paint(style, mark)} ${statusVerb(status, isDryRun)}: ${names.join(", ")}`;
  });
}

function serverLines(servers: readonly InstalledServer[], paint: Paint): readonly string[] {
  return [...new Set(servers.map(({ status }) => status))].flatMap(status => {
    const [style, mark] = MARKS[status];
    const start = `${paint(style, mark)} MCP server ${status}:`;
    const those = servers.filter(server => server.status === status);
    if (status !== "failed") return [`${start} ${those.map(({ host }) => host).join(", ")}`];
    return those.map(({ host, reason = "" }) => `${start} ${host}: ${reason}`);
  });
}

function statusVerb(status: InstalledHost["status"], isDryRun: boolean): string {
  return isDryRun && status === "registered" ? "would be registered" : status;
}

function renderHost(host: InstalledHost, isDryRun: boolean, { isVerbose, paint }: InstallView): string[] {
  const [style, mark] = MARKS[host.status];
  const where = host.settings_path === null ? "" : ` in ${host.settings_path}`;
  const why = host.reason === undefined ? "" : `: ${host.reason}`;
  const place = host.status === "skipped" ? "" : where;
  const lines = [`${paint(style, mark)} ${host.host} ${statusVerb(host.status, isDryRun)}${place}${why}`];
  if (!isVerbose) return lines;
  if (host.backup_path !== null && host.status === "registered")
    lines.push(paint("dim", `    before: ${host.backup_path}`));
  const { can = [], cannot = [] } = host.protections ?? {};
  return [...lines, ...can.map(text => `    can ${text}`), ...cannot.map(text => `    cannot ${text}`)];
}

function shortenPaths(line: string, { home = "", project }: Pick<InstallView, "home" | "project">): string {
  const inProject = project === "/" || project === home ? line : line.split(`${project}/`).join("");
  return home === "" || home === "/" ? inProject : inProject.split(`${home}/`).join("~/");
}

function closing({ success, hosts, mcp_servers }: InstallReport): readonly string[] {
  if (!success) return ["Some hosts were not registered; see the reasons above."];
  if ([...hosts, ...mcp_servers].every(({ status }) => status === "unchanged" || status === "skipped"))
    return ["Nothing had to be changed."];
  return [
    "See it work in the real host, without a key or cost: amplihack doctor --live",
    "What each host can and cannot do: amplihack install --verbose",
    "To refuse a call whose hook cannot run: amplihack install --failure closed",
  ];
}

export function renderUninstall(report: UninstallReport, view: Omit<InstallView, "isVerbose">): string {
  const { paint } = view;
  if (!report.was_installed) return "Nothing to uninstall.\n";
  const lines = report.dry_run && view.isFull ? renderChanges(report.changes) : [];
  for (const { host, status, settings_path: path, reason } of report.hosts) {
    const [style, mark] = MARKS[status];
    const removed = report.dry_run ? "would be taken out of" : "taken out of";
    const verb = { removed, unchanged: "not in", failed: "still in" }[status];
    lines.push(`${paint(style, mark)} ${host} ${verb} ${path}${reason === undefined ? "" : `: ${reason}`}`);
  }
  if (report.dry_run && !view.isFull && report.removed.length > 0)
    lines.push(
      `${ok(paint)} ${count(report.removed.length, "path")} would be removed: ${firstPaths(report.removed)}`,
    );
  else
    for (const path of report.removed)
      lines.push(`${ok(paint)} ${report.dry_run ? "would remove" : "removed"} ${path}`);
  for (const path of report.kept) lines.push(`${paint("yellow", "⚠")} kept, because it was changed: ${path}`);
  for (const warning of report.warnings) lines.push(`${paint("yellow", "⚠")} ${warning}`);
  const shown = view.isFull ? lines : lines.map(line => shortenPaths(line, view));
  return joined(report.dry_run ? [...shown, ...endOfPreview("uninstall", view)] : shown);
}

function renderCopy({ package_copy: folder }: InstallReport): string[] {
  return folder === undefined ? [] : [`would copy this package to ${folder}`];
}

function renderChanges(changes: InstallReport["changes"]): string[] {
  return changes.map(({ path, diff }) => (diff === "" ? `would write ${path}` : diff.replace(/\n$/, "")));
}

function ok(paint: Paint): string {
  return paint("green", "✓");
}

function joined(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
