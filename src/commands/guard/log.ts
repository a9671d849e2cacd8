import { defineCommand, FORMAT_OPTION } from "../../cli/command.ts";
import { readAudit } from "./audit-lines.ts";
import { openForCommand } from "./judged.ts";

const DEFAULT_LINES = 20;

export const logCommand = defineCommand({
  name: "log",
  summary: "show what the guard asked about and refused, newest last",
  options: {
    format: FORMAT_OPTION,
    lines: {
      kind: "number",
      short: "n",
      label: "N",
      summary: `how many (${DEFAULT_LINES} by default)`,
      minimum: 1,
    },
    rule: { kind: "string", label: "RULE", summary: "only where this rule spoke" },
    verdict: { kind: "choice", choices: ["allow", "ask", "deny"], summary: "only with this verdict" },
  },
  examples: [
    { command: "amplihack guard log", does: "prints the last twenty decisions" },
    {
      command: "amplihack guard log --verdict deny --format json",
      does: "prints what was refused, for a script",
    },
  ],
  async run({ options, system, terminal }) {
    const { auditFile } = await import("../../hooks/audit.ts");
    const { config, stateHome, home } = openForCommand(system, terminal, undefined);
    const path = auditFile(config.guard, stateHome, home);
    const { lines, broken } = readAudit(system, path);
    if (broken > 0) terminal.warn(`Warning: ${broken} line(s) of ${path} cannot be read\n`);
    const wanted = lines
      .filter(line => options.rule === undefined || line.rules.includes(options.rule))
      .filter(line => options.verdict === undefined || line.verdict === options.verdict)
      .slice(-(options.lines ?? DEFAULT_LINES));
    if (options.format === "json") {
      terminal.printJson(wanted.map(line => line.raw));
      return 0;
    }
    if (wanted.length === 0) terminal.note("Nothing was asked about or refused.\n");
    for (const { ts, verdict, host, rules, command } of wanted) {
      const told = (command ?? "a file").replaceAll("\n", "⏎ ").slice(0, 120);
      terminal.print(
        `${ts.slice(0, 19)}  ${verdict.padEnd(5)} ${host.padEnd(14)} ${rules.join(",").padEnd(18)} ${told}\n`,
      );
    }
    return 0;
  },
});
