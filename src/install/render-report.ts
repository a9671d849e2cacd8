import { describeEngine } from "./hook-engine.ts";
import type { InstalledHost, InstallReport } from "./install-report.ts";
import type { UninstallReport } from "./uninstall.ts";

export type Paint = (style: "green" | "yellow" | "red" | "bold" | "dim", text: string) => string;

const MARKS = {
  registered: ["green", "✓"],
  unchanged: ["green", "✓"],
  skipped: ["yellow", "⚠"],
  failed: ["red", "✗"],
  removed: ["green", "✓"],
} as const;

/** What an installation did, for people. */
export function renderInstall(
  report: InstallReport,
  { isVerbose, paint }: { readonly isVerbose: boolean; readonly paint: Paint },
): string {
  const lines = report.dry_run
    ? [...renderCopy(report), ...renderChanges(report.changes)]
    : [`${ok(paint)} hook program: ${report.binary} (${describeEngine({ ...report, kind: report.engine })})`];
  for (const host of report.hosts) lines.push(...renderHost(host, report.dry_run, isVerbose, paint));
  for (const { host, path, status, reason } of report.mcp_servers) {
    const [style, mark] = MARKS[status];
    const why = reason === undefined ? "" : `: ${reason}`;
    lines.push(`${paint(style, mark)} MCP server of ${host} ${status} in ${path}${why}`);
  }
  for (const warning of report.warnings) lines.push(`${paint("yellow", "⚠")} ${warning}`);
  if (report.dry_run) return joined([...lines, "", "Nothing was written."]);
  if (report.next_steps.length > 0) {
    lines.push("", paint("bold", "Still to do:"), ...report.next_steps.map(step => `  ${step}`));
  }
  lines.push("", ...closing(report));
  return joined(lines);
}

function renderHost(host: InstalledHost, isDryRun: boolean, isVerbose: boolean, paint: Paint): string[] {
  const [style, mark] = MARKS[host.status];
  const verb = isDryRun && host.status === "registered" ? "would be registered" : host.status;
  const where = host.settings_path === null ? "" : ` in ${host.settings_path}`;
  const why = host.reason === undefined ? "" : `: ${host.reason}`;
  const lines = [`${paint(style, mark)} ${host.host} ${verb}${host.status === "skipped" ? "" : where}${why}`];
  if (host.backup_path !== null && host.status === "registered")
    lines.push(paint("dim", `    before: ${host.backup_path}`));
  const isTold = host.status === "registered" || isVerbose;
  if (host.protections === undefined || !isTold) return lines;
  if (isVerbose) lines.push(...host.protections.can.map(text => `    can ${text}`));
  lines.push(
    ...host.protections.cannot.slice(0, isVerbose ? undefined : -1).map(text => `    cannot ${text}`),
  );
  return lines;
}

function closing({ success, hosts, mcp_servers }: InstallReport): readonly string[] {
  if (!success) return ["Some hosts were not registered; the reasons stand above."];
  if ([...hosts, ...mcp_servers].every(({ status }) => status === "unchanged" || status === "skipped"))
    return ["Nothing had to be changed."];
  return [
    "See it work in the real host, without a key and without cost: amplihack doctor --live",
    "Hooks that cannot run let things pass; to refuse instead: amplihack install --failure closed",
  ];
}

export function renderUninstall(report: UninstallReport, paint: Paint): string {
  if (!report.was_installed) return "Nothing to uninstall.\n";
  const lines = report.dry_run ? renderChanges(report.changes) : [];
  for (const { host, status, settings_path: path, reason } of report.hosts) {
    const [style, mark] = MARKS[status];
    const verb = { removed: "taken out of", unchanged: "not in", failed: "still in" }[status];
    lines.push(`${paint(style, mark)} ${host} ${verb} ${path}${reason === undefined ? "" : `: ${reason}`}`);
  }
  for (const path of report.removed) lines.push(`${ok(paint)} removed ${path}`);
  for (const path of report.kept) lines.push(`${paint("yellow", "⚠")} kept, because it was changed: ${path}`);
  for (const warning of report.warnings) lines.push(`${paint("yellow", "⚠")} ${warning}`);
  if (report.dry_run) lines.push("", "Nothing was written.");
  return joined(lines);
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
