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
} from "./call-types.ts";
export {
  defineHook,
  type HookAnswer,
  type HookCall,
  type HookSettings,
  type HookSpec,
  type ToolEvent,
  type UserHook,
} from "./define.ts";
export {
  allow,
  ask,
  context,
  deny,
  type EffectKind,
  halt,
  message,
  type Rewrite,
  replaceOutput,
  rewrite,
  type Said,
} from "./effects.ts";
export type { McpTool, ToolInputs, ToolName, ToolSelector } from "./tools.ts";
