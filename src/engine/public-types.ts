/** What every engine exports beside the protocol, whatever it runs on. */

export type {
  Answer,
  ApprovedResult,
  CallDecision,
  CallGap,
  CallOptions,
  CallResult,
  DeniedResult,
  DoneResult,
  FailedResult,
  PendingCall,
  PendingResult,
  ResumeOptions,
  RunScope,
  RunTool,
} from "./calls/types.ts";
export { type EngineEventName, type EventPayload, MODEL_EVENTS } from "./events.ts";
export type { MaybePromise } from "./options.ts";
export type {
  AnySchema,
  ArgsOf,
  DeepReadonly,
  Guard,
  Infer,
  ResultOf,
  StandardLike,
  ToolMap,
  ToolName,
  ToolSpec,
  TypeBoxKind,
  TypeBoxLike,
} from "./schema/validate.ts";
export type {
  After,
  AnyDoneCall,
  Before,
  CallEngine,
  CallOf,
  DispatchEngine,
  DoneCall,
  HookScope,
  RegisterOptions,
  Settled,
  ToolCall,
  UntypedEngine,
  UseOptions,
} from "./types.ts";
