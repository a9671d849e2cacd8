import { CommandError, defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { type GuardSettings, LEVELS } from "../../config/index.ts";
import { loadGuard } from "../../guard/index.ts";
import { loadAudit, loadGuardContext } from "../../hooks/index.ts";
import { JSON_DEPTH_LIMIT, type JsonObject, parseJsonObject, stringAt } from "../../protocol/index.ts";
import { readText } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { type AuditLine, oneLine, readAuditLog, renderAuditLine } from "./audit-lines.ts";
import { openForCommand } from "./judged.ts";

const DEFAULT_LINES = 20;
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

export const logCommand = defineCommand({
  name: "log",
  summary: "show what the guard asked about and refused, newest last",
  options: {
    format: FORMAT_OPTION,
    lines: option.number("N", `how many (${DEFAULT_LINES} by default)`, { short: "n", minimum: 1 }),
    rule: option.string("RULE", "only decisions of this rule"),
    verdict: option.choice(["allow", "ask", "deny"], "only with this verdict"),
  },
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack guard log": "prints the last twenty decisions",
    "amplihack guard log --verdict deny --format json": "prints what was refused, for a script",
  },
  async run({ options, system, terminal }) {
    const { auditFile } = await loadAudit();
    const { config, stateHome, home } = openForCommand(system, terminal, undefined);
    const path = auditFile(config.guard, stateHome, home);
    const { lines } = readAuditLog(system, terminal, path);
    const wanted = lines
      .filter(line => options.rule === undefined || line.rules.includes(options.rule))
      .filter(line => options.verdict === undefined || line.verdict === options.verdict)
      .slice(-(options.lines ?? DEFAULT_LINES));
    const text = wanted.map(line => renderAuditLine(line, terminal));
    if (wanted.length === 0 && options.format === "text")
      terminal.note("Nothing was asked about or refused.\n");
    terminal.printResult(
      options.format,
      wanted.map(line => line.raw),
      text.join(""),
    );
    return 0;
  },
});

export const replayCommand = defineCommand({
  name: "replay",
  summary: "judge the audit log again, to see what a changed configuration would do",
  details: `
Each command is judged twice, in your files as they are now: by the configuration of then, and by the one of now.
Secrets were taken out of the log when it was written; such words are judged as the log shows them.`,
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "AUDIT", summary: "an audit file; your own when left out", isOptional: true, completes: "file" },
  ],
  forAgents: "passes",
  examples: { "amplihack guard replay": "lists the commands whose verdict would now differ" },
  async run({ options, positionals, system, terminal }) {
    const { auditFile, settingsFile } = await loadAudit();
    const { openGuard } = await loadGuardContext();
    const { judgeCommand } = await loadGuard();
    const { config, stateHome, home } = openForCommand(system, terminal, undefined);
    const path = positionals[0] ?? auditFile(config.guard, stateHome, home);
    if (positionals[0] !== undefined && system.files.follow(path) === undefined) {
      throw new CommandError(`there is no file ${path}`, { kind: "not-found" });
    }
    const { lines: logged, broken } = readAuditLog(system, terminal, path);
    const guards = new Map<string, ReturnType<typeof openGuard>>();
    const readSettings = openSettings(system, digest => settingsFile(path, digest));
    const judged = logged.flatMap(line => {
      if (line.command === undefined) return [];
      const cwd = line.cwd ?? "/";
      const guard = guards.get(cwd) ?? openGuard(system, cwd, () => {});
      guards.set(cwd, guard);
      const settings = guard.config.guard;
      const { verdict, findings } = judgeCommand(line.command, guard.context);
      const rules = [...new Set(findings.map(finding => finding.rule))];
      // Whether a session was unattended is no setting, so today's value is used for both.
      const then = { ...readSettings(line, settings), unattended: settings.unattended };
      const isSame = JSON.stringify(then) === JSON.stringify(settings);
      const before = isSame
        ? verdict
        : judgeCommand(line.command, { ...guard.context, settings: then }).verdict;
      return [{ ts: line.ts, command: line.command, before, now: verdict, rules }];
    });
    const changed = judged.filter(line => line.before !== line.now);
    const lines = changed.map(
      ({ ts, before, now, rules, command }) =>
        `${ts.slice(0, 19)}  ${before} → ${now}  ${rules.join(",")}  ${oneLine(command, 100)}\n`,
    );
    const text = `${lines.join("")}${judged.length} judged, ${changed.length} changed\n`;
    terminal.printResult(options.format, { judged: judged.length, changed, unreadable: broken }, text);
    return 0;
  },
});

/** The settings that a line was judged by; of a line that names none, today's at its level. */
function openSettings(
  system: System,
  fileOf: (digest: string) => string,
): (line: AuditLine, now: GuardSettings) => GuardSettings {
  const known = new Map<string, JsonObject | undefined>();
  return ({ raw }, now) => {
    const digest = stringAt(raw, "settings") ?? "";
    if (!known.has(digest)) {
      const text = /^[0-9a-f]+$/.test(digest)
        ? readText(system, fileOf(digest), MAX_SETTINGS_BYTES)
        : undefined;
      known.set(digest, text === undefined ? undefined : parseJsonObject(text, JSON_DEPTH_LIMIT));
    }
    const kept = known.get(digest);
    const level = LEVELS.find(one => one === stringAt(raw, "level")) ?? now.level;
    return kept === undefined ? { ...now, level } : { ...now, ...kept };
  };
}
