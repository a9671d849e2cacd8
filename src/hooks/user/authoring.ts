/** What a hook file imports as `amplihack/hooks`: small, portable, and nothing of the stock hooks. */
export type {
  CommandEffectFact,
  CommandFacts,
  ExecOptions,
  ExecResult,
  GivenCall,
  HookFiles,
  HookStore,
  StartedProgram,
} from "./call.ts";
export {
  allow,
  ask,
  context,
  defineHook,
  deny,
  type EffectKind,
  type HookAnswer,
  type HookCall,
  type HookSettings,
  type HookSpec,
  halt,
  message,
  type Rewrite,
  replaceOutput,
  rewrite,
  type Said,
  type ToolEvent,
  type UserHook,
} from "./define.ts";
export type { McpTool, ToolInputs, ToolName, ToolSelector } from "./tools.ts";
