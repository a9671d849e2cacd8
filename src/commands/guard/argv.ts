import { defineCommand, FORMAT_OPTION, usageError } from "../../cli/index.ts";
import { loadGuard } from "../../guard/index.ts";
import { CWD_OPTION, openForCommand, printJudgement, VERDICT_EXIT } from "./judged.ts";

export const argvCommand = defineCommand({
  name: "argv",
  summary: "judge a program with words that are already expanded; PATH shims use this",
  wordsBehind: "-- PROGRAM [ARGUMENT…]",
  options: { format: FORMAT_OPTION, cwd: CWD_OPTION },
  forAgents: "passes",
  examples: { "amplihack guard argv -- rm -rf /srv/data": "exit 0 allow, 3 ask, 2 deny" },
  async run({ options, rest, system, terminal }) {
    if (rest.length === 0)
      throw usageError("a program is needed after --", "amplihack guard argv -- rm -rf build", 4);
    const { judgeArgv } = await loadGuard();
    const judgement = judgeArgv(rest, openForCommand(system, terminal, options.cwd).context);
    printJudgement(judgement, terminal, options.format);
    return VERDICT_EXIT[judgement.verdict];
  },
});
