import { defineCommand } from "../../cli/command.ts";
import { FORMAT_OPTION, option } from "../../cli/option.ts";
import { readAudit } from "./audit-lines.ts";
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
  examples: {
    "amplihack guard log": "prints the last twenty decisions",
    "amplihack guard log --verdict deny --format json": "prints what was refused, for a script",
  },
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
