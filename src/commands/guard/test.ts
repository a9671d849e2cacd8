import { defineCommand, FORMAT_OPTION } from "../../cli/command.ts";
import { CWD_OPTION, openForCommand, printJudgement, readCommand, VERDICT_EXIT } from "./judged.ts";

export const testCommand = defineCommand({
  name: "test",
  summary: "judge one command: exit 0 allow, 3 ask, 2 deny",
  options: {
    format: FORMAT_OPTION,
    json: { kind: "flag", summary: "the same as --format json" },
    cwd: CWD_OPTION,
  },
  positionals: [
    {
      name: "COMMAND",
      summary: "shell text, or - for standard input",
      isOptional: true,
      isVariadic: true,
      isCommandLine: true,
    },
  ],
  examples: [
    {
      command: "amplihack guard test 'git push --force origin main'",
      does: "prints the verdict, the rules and a safer way",
    },
    { command: "amplihack guard test --json - < deploy.sh", does: "judges a whole script" },
  ],
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const command = readCommand(invocation, "amplihack guard test 'rm -rf build'");
    const { judgeCommand } = await import("../../guard/index.ts");
    const judgement = judgeCommand(command, openForCommand(system, terminal, options.cwd).context);
    printJudgement(judgement, terminal, options.json || options.format === "json");
    return VERDICT_EXIT[judgement.verdict];
  },
});
