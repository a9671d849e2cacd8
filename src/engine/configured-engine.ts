import { CallingEngine } from "./call-engine.ts";
import type { ConfiguredHandlers } from "./configured.ts";
import type { EngineContext } from "./context.ts";
import type { ApprovalOptions, HookSource, LoadReport } from "./options.ts";
import type { EngineParts } from "./parts.ts";
import type { ToolMap } from "./schema/infer.ts";
import type { HookEngine } from "./types.ts";

/** An engine with the handlers that sources configure. */
export class ConfiguredEngine<T extends ToolMap> extends CallingEngine<T> implements HookEngine<T> {
  private readonly configured: ConfiguredHandlers;

  constructor(
    core: EngineContext,
    parts: EngineParts,
    approvals: ApprovalOptions,
    configured: ConfiguredHandlers,
  ) {
    super(core, parts, approvals);
    this.configured = configured;
  }

  get report(): LoadReport {
    return this.configured.report;
  }

  reload(sources: readonly HookSource[]): LoadReport {
    this.configured.reload(sources);
    this.forgetPlans();
    return this.configured.report;
  }
}
