import { defineCommand } from "../../cli/command.ts";
import { CommandError, usageError } from "../../cli/errors.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { confirmByPhrase, requirePerson } from "./consent.ts";
import { openForCommand } from "./judged.ts";

export const allowOnceCommand = defineCommand({
  name: "allow-once",
  summary: "permit one refused command, once, within fifteen minutes",
  details: `
Works only for a person at a terminal of their own, which no agent runs. The command is shown as it was sent, and a
phrase is asked for that is new each time.`,
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "CODE", summary: "the six characters that came with the refusal" }],
  examples: { "amplihack guard allow-once 7FDQJ7": "shows the command and asks for your consent" },
  async run({ options, positionals, system, terminal }) {
    const { isCode } = await import("../../guard/index.ts");
    const { findRefusal, grantOnce } = await import("../../hooks/grants.ts");
    const code = (positionals[0] ?? "").toUpperCase();
    if (!isCode(code))
      throw usageError(`'${positionals[0]}' is not a code: expected six letters and digits`, undefined, 4);
    const { stateHome } = openForCommand(system, terminal, undefined);
    requirePerson(system, stateHome);
    const refused = findRefusal(system, stateHome, code);
    if (refused === undefined) {
      throw new CommandError(`no refused command has the code ${code}`, {
        kind: "not-found",
        fix: "let the agent try again; the refusal shows the code",
      });
    }
    confirmByPhrase(system, terminal, stateHome, {
      shown: [refused.command, "", `in ${refused.cwd}`, `refused by ${refused.rules.join(", ")}`],
      question: "to permit exactly this, once",
    });
    const grant = grantOnce(system, stateHome, code, refused.digest);
    const expires = new Date(grant.expiresMs).toISOString();
    const text = `Permitted once, until ${expires}.\n`;
    terminal.printResult(options.format, { success: true, code, expires }, text);
    return 0;
  },
});
