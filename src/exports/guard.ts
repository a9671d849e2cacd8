/** `amplihack/guard`: judges commands and tool calls without files of ours. */
export {
  contextOf,
  DEFAULT_GUARD_SETTINGS,
  type Explained,
  type Finding,
  type Footprint,
  findRule,
  findUnkept,
  type Grant,
  type GuardContext,
  type GuardOptions,
  guard,
  isCode,
  type JudgedTool,
  type Judgement,
  judgeArgv,
  judgeCommand,
  judgeTool,
  PACKS,
  RULE_IDS,
  type Rule,
  type RuleId,
  type Verdict,
} from "../guard/index.ts";
export { factsOfCall } from "../hosts/index.ts";
export { redact } from "../text/index.ts";
