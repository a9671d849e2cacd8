import { CommandError, defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { loadGuard } from "../../guard/index.ts";
import { loadAudit, loadGuardContext } from "../../hooks/index.ts";
import { oneLine, readAuditLog } from "./audit-lines.ts";
import { openForCommand } from "./judged.ts";

export const replayCommand = defineCommand({
  name: "replay",
  summary: "judge the audit log again, to see what a changed configuration would do",
  details:
    "Secrets were taken out of the log when it was written; such words are judged as the log shows them.",
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "AUDIT", summary: "an audit file; your own when left out", isOptional: true, completes: "file" },
  ],
  forAgents: "passes",
  examples: { "amplihack guard replay": "lists the commands whose verdict would now differ" },
  async run({ options, positionals, system, terminal }) {
    const { auditFile } = await loadAudit();
    const { openGuard } = await loadGuardContext();
    const { judgeCommand } = await loadGuard();
    const { config, stateHome, home } = openForCommand(system, terminal, undefined);
    const path = positionals[0] ?? auditFile(config.guard, stateHome, home);
    if (positionals[0] !== undefined && system.files.follow(path) === undefined) {
      throw new CommandError(`there is no file ${path}`, { kind: "not-found" });
    }
    const { lines: logged, broken } = readAuditLog(system, terminal, path);
    const guards = new Map<string, ReturnType<typeof openGuard>>();
    const judged = logged.flatMap(line => {
      if (line.command === undefined) return [];
      const cwd = line.cwd ?? "/";
      const guard = guards.get(cwd) ?? openGuard(system, cwd, () => {});
      guards.set(cwd, guard);
      const { verdict, findings } = judgeCommand(line.command, guard.context);
      const rules = [...new Set(findings.map(finding => finding.rule))];
      return [{ ts: line.ts, command: line.command, before: line.verdict, now: verdict, rules }];
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
