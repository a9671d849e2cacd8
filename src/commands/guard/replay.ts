import { defineCommand } from "../../cli/command.ts";
import { CommandError } from "../../cli/errors.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { readAudit } from "./audit-lines.ts";
import { openForCommand } from "./judged.ts";

export const replayCommand = defineCommand({
  name: "replay",
  summary: "judge the audit log again, to see what a changed configuration would do",
  details:
    "Secrets were taken out of the log when it was written; such words are judged as they stand there.",
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "AUDIT", summary: "an audit file; your own when left out", isOptional: true, completes: "file" },
  ],
  examples: { "amplihack guard replay": "lists the commands whose verdict would now differ" },
  async run({ options, positionals, system, terminal }) {
    const { auditFile } = await import("../../hooks/audit.ts");
    const { openGuard } = await import("../../hooks/guard-context.ts");
    const { judgeCommand } = await import("../../guard/index.ts");
    const { config, stateHome, home } = openForCommand(system, terminal, undefined);
    const path = positionals[0] ?? auditFile(config.guard, stateHome, home);
    if (positionals[0] !== undefined && system.files.follow(path) === undefined) {
      throw new CommandError(`there is no file ${path}`, { kind: "not-found" });
    }
    const { lines, broken } = readAudit(system, path);
    const guards = new Map<string, ReturnType<typeof openGuard>>();
    const judged = lines.flatMap(line => {
      if (line.command === undefined) return [];
      const cwd = line.cwd ?? "/";
      const guard = guards.get(cwd) ?? openGuard(system, cwd, () => {});
      guards.set(cwd, guard);
      const { verdict, findings } = judgeCommand(line.command, guard.context);
      const rules = [...new Set(findings.map(finding => finding.rule))];
      return [{ ts: line.ts, command: line.command, before: line.verdict, now: verdict, rules }];
    });
    const changed = judged.filter(line => line.before !== line.now);
    if (options.format === "json") {
      terminal.printJson({ judged: judged.length, changed, unreadable: broken });
      return 0;
    }
    for (const { ts, before, now, rules, command } of changed) {
      const told = command.replaceAll("\n", "⏎ ").slice(0, 100);
      terminal.print(`${ts.slice(0, 19)}  ${before} → ${now}  ${rules.join(",")}  ${told}\n`);
    }
    terminal.print(`${judged.length} judged, ${changed.length} changed\n`);
    if (broken > 0) terminal.warn(`Warning: ${broken} line(s) of ${path} cannot be read\n`);
    return 0;
  },
});
