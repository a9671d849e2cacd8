import { type GuardHook, isEmptyFootprint, type KnownOfSession } from "../guard/index.ts";
import { type Effect, errorText, type Hook, type HookInput, type InputOf } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import type { HistoryKeeping } from "./history-keeping.ts";
import { type EngineHistory, type HistoryOptions, type SessionStep, toDiagnostic } from "./history-types.ts";
import type { CommandKeeping } from "./sandbox.ts";
import { BoundedMap } from "./session-state.ts";

/** Keeps what calls may change, so that it can be undone: `engine.use(history({ … }))`. */
export function history(options: HistoryOptions = {}): HistoryPart {
  return new HistoryPart(options);
}

const MAX_JUDGED = 512;

function callKey({ sessionId = "", tool }: InputOf<"tool">): string {
  return JSON.stringify([sessionId, tool.useId ?? "", tool.name, tool.input]);
}

type Answer = ReturnType<Hook<System>["run"]>;
type Step = (keeping: HistoryKeeping, input: HookInput, system: System) => Answer;

/** What an engine attaches: the hooks that keep and complete, and what the guard settles its findings with. */
export class HistoryPart {
  readonly id = "history";
  readonly hooks: readonly Hook<System>[];
  private readonly options: HistoryOptions;
  private loaded: Promise<HistoryKeeping> | undefined;
  /** calls that the guard has judged, so that they are not looked at a second time */
  private readonly judged = new BoundedMap<true>(MAX_JUDGED);

  constructor(options: HistoryOptions) {
    this.options = options;
    this.hooks = [
      this.onTool("PreToolUse", (keeping, input, system) => keeping.before(input, system)),
      this.onTool("PostToolUse", (keeping, input, system) => keeping.complete(input, system)),
      this.onTool("PostToolUseFailure", (keeping, input, system) => keeping.complete(input, system)),
      this.onSession("SessionStart", "openSession"),
      this.onSession("UserPromptSubmit", "beginPrompt"),
      this.onSession("Stop", "closeSession"),
      this.onSession("SessionEnd", "leaveSession"),
    ];
  }

  /** The store as a person of this project sees it. */
  open(system: System, projectDir: string): EngineHistory {
    const opened = async () => (await this.load()).open(system, projectDir);
    return {
      list: async query => (await opened()).list(query),
      show: async id => (await opened()).show(id),
      undo: async (what, options) => (await opened()).undo(what, options),
      redo: async (id, options) => (await opened()).redo(id, options),
    };
  }

  /** The guard's answer to a call: what is kept can come back, and is not asked about. */
  async judge(
    guard: GuardHook,
    input: InputOf<"tool">,
    system: System,
    session: KnownOfSession,
  ): Promise<Effect> {
    const judged = await guard.judge(input, system, session, async () =>
      (await this.load()).known(input, system),
    );
    this.judged.set(callKey(input), true);
    const { judgement, context, examined } = judged;
    const isAudited = context.settings?.audit.allowed === true;
    const isHarmless = examined === undefined && !isAudited && isEmptyFootprint(judgement.footprint());
    return isHarmless
      ? guard.answer(input, judged)
      : (await this.load()).settle(guard, input, system, judged);
  }

  /** A person said yes, perhaps long after the call was judged: what stands there now is kept. */
  async keepAgain(input: HookInput, system: System): Promise<void> {
    await (await this.load()).keepAgain(input, system);
  }

  /** A refused call leaves no change. */
  async forget(input: HookInput, system: System): Promise<void> {
    await (await this.load()).forget(input, system);
  }

  /** For a command that runs without a call around it. */
  aroundCommand(input: InputOf<"tool">, system: System): CommandKeeping {
    return {
      around: async work => (await this.load()).around(input, system, work),
      refused: async (judgement, context) => (await this.load()).audit(input, system, { judgement, context }),
    };
  }

  private load(): Promise<HistoryKeeping> {
    this.loaded ??= import("./history-keeping.ts").then(
      ({ HistoryKeeping }) => new HistoryKeeping(this.options),
    );
    return this.loaded;
  }

  private onTool(
    event: string,
    step: (keeping: HistoryKeeping, input: InputOf<"tool">, system: System) => Answer,
  ): Hook<System> {
    return this.on(event, (keeping, input, system) =>
      input.kind === "tool" ? step(keeping, input, system) : undefined,
    );
  }

  private onSession(event: string, step: SessionStep): Hook<System> {
    return this.on(event, (keeping, input, system) => keeping.inSession(input, system, step));
  }

  /** What fails is told and changes no verdict: the guard asks about what is not kept. */
  private on(event: string, step: Step): Hook<System> {
    const run = async (input: HookInput, system: System): Promise<Effect | undefined> => {
      if (event === "PreToolUse" && input.kind === "tool" && this.judged.delete(callKey(input)))
        return undefined;
      try {
        return await step(await this.load(), input, system);
      } catch (error) {
        return { diagnostics: [toDiagnostic(errorText(error))] };
      }
    };
    return { id: this.id, event, isJudge: event === "PreToolUse", run };
  }
}
