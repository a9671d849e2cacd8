import { defineCommand } from "../../cli/index.ts";
import { loadGuard } from "../../guard/index.ts";
import {
  COMMAND_POSITIONAL,
  JUDGING_OPTIONS,
  openForCommand,
  printJudgement,
  readCommand,
  VERDICT_EXIT,
} from "./judged.ts";

export const testCommand = defineCommand({
  name: "test",
  summary: "judge one command: exit 0 allow, 3 ask, 2 deny",
  options: JUDGING_OPTIONS,
  positionals: [COMMAND_POSITIONAL],
  forAgents: "passes",
  examples: {
    "amplihack guard test 'git push --force origin main'": "prints the verdict, the rules and a safer way",
    "amplihack guard test --json - < deploy.sh": "judges a whole script",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const command = readCommand(invocation, "amplihack guard test 'rm -rf build'");
    const { judgeCommand } = await loadGuard();
    const judgement = judgeCommand(command, openForCommand(system, terminal, options.cwd).context);
    printJudgement(judgement, terminal, options.format);
    return VERDICT_EXIT[judgement.verdict];
  },
});
