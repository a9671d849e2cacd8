import { defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { loadAudit } from "../../hooks/index.ts";
import { readAuditLog, renderAuditLine } from "./audit-lines.ts";
import { openForCommand } from "./judged.ts";

const DEFAULT_LINES = 20;

export const logCommand = defineCommand({
  name: "log",
  summary: "show what the guard asked about and refused, newest last",
  options: {
    format: FORMAT_OPTION,
    lines: option.number("N", `how many (${DEFAULT_LINES} by default)`, { short: "n", minimum: 1 }),
    rule: option.string("RULE", "only where this rule spoke"),
    verdict: option.choice(["allow", "ask", "deny"], "only with this verdict"),
  },
  forAgents: "passes",
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
