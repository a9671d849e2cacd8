import { type CallKeeping, ToolCalls } from "./calls/tool-calls.ts";
import type {
  Answer,
  ApprovedResult,
  CallDecision,
  CallOptions,
  CallResult,
  DeniedResult,
  PendingCall,
  PendingResult,
  ResumeOptions,
  RunTool,
} from "./calls/types.ts";
import type { EngineContext } from "./context.ts";
import { Engine } from "./engine.ts";
import type { ApprovalOptions } from "./options.ts";
import type { EngineParts } from "./parts.ts";
import type { ToolMap } from "./schema/validate.ts";
import type { CallEngine, UntypedEngine } from "./types.ts";

/** An engine that also leads whole tool calls. */
export class CallingEngine<T extends ToolMap> extends Engine<T> implements CallEngine<T> {
  private readonly calls: ToolCalls;

  constructor(core: EngineContext, parts: EngineParts, approvals: ApprovalOptions) {
    super(core, parts);
    this.calls = new ToolCalls(core, this.dispatch.bind(this), () => this.keeping, approvals);
  }

  /** An engine without files keeps nothing. */
  protected get keeping(): CallKeeping | undefined {
    return undefined;
  }

  get untyped(): UntypedEngine {
    return this;
  }

  decide(tool: string, args: unknown, options: CallOptions = {}): Promise<CallDecision> {
    return this.calls.decide(tool, args, options);
  }

  approve(
    tool: string,
    args: unknown,
    options: CallOptions = {},
  ): Promise<ApprovedResult | DeniedResult | PendingResult> {
    return this.calls.approve(tool, args, options);
  }

  call<R>(
    tool: string,
    args: unknown,
    run: RunTool<never, R>,
    options: CallOptions = {},
  ): Promise<CallResult<R>> {
    return this.calls.call(tool, args, run, options) as Promise<CallResult<R>>;
  }

  resume<R>(
    pending: PendingCall,
    answer: Answer,
    run: RunTool<never, R>,
    options: ResumeOptions = {},
  ): Promise<CallResult<R>> {
    return this.calls.resume(pending, answer, run, options) as Promise<CallResult<R>>;
  }
}
