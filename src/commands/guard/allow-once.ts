import { askLine } from "../../cli/ask.ts";
import { defineCommand } from "../../cli/command.ts";
import { CommandError, usageError } from "../../cli/errors.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { openForCommand } from "./judged.ts";

export const allowOnceCommand = defineCommand({
  name: "allow-once",
  summary: "permit one refused command, once, within fifteen minutes",
  details: "Works only for a person at a terminal of their own: an agent cannot permit its own command.",
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "CODE", summary: "the six characters that came with the refusal" }],
  examples: { "amplihack guard allow-once 7FDQJ7": "shows the command and asks for your yes" },
  async run({ options, positionals, system, terminal }) {
    const { isCode } = await import("../../guard/index.ts");
    const { findRefusal, grantOnce, whyNoHuman } = await import("../../hooks/grants.ts");
    const code = (positionals[0] ?? "").toUpperCase();
    if (!isCode(code))
      throw usageError(`'${positionals[0]}' is not a code: expected six letters and digits`, undefined, 4);
    const obstacle = whyNoHuman(system);
    if (obstacle !== undefined) throw new CommandError(obstacle, { kind: "not-a-person" });
    const { stateHome } = openForCommand(system, terminal, undefined);
    const refused = findRefusal(system, stateHome, code);
    if (refused === undefined) {
      throw new CommandError(`no refused command has the code ${code}`, {
        kind: "not-found",
        fix: "let the agent try again; the refusal shows the code",
      });
    }
    terminal.warn(
      `\n  ${refused.command}\n  in ${refused.cwd}\n  refused by ${refused.rules.join(", ")}\n\n`,
    );
    if (askLine(terminal, "Type yes to permit exactly this, once: ").trim().toLowerCase() !== "yes") {
      throw new CommandError("not permitted", { kind: "declined" });
    }
    const grant = grantOnce(system, stateHome, code);
    const expires = new Date(grant.expiresMs).toISOString();
    const text = `Permitted once, until ${expires}.\n`;
    terminal.printResult(options.format, { success: true, code, expires }, text);
    return 0;
  },
});
