import { type Action, type ConditionFacts, promptSubject } from "../handlers/index.ts";
import {
  defined,
  type EventDescriptor,
  type HookInput,
  type JsonObject,
  ownValue,
  stringAt,
} from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import { CallingEngine } from "./call-engine.ts";
import type { CallKeeping } from "./calls/tool-calls.ts";
import type { EngineContext, HandlerContext } from "./context.ts";
import { readSession } from "./dispatch.ts";
import type { EngineHistory } from "./history-types.ts";
import type { ApprovalOptions, HookSource, Listing, LoadReport } from "./options.ts";
import type { EngineParts, EventHandlers, HandlerDispatch, HandlerPlan } from "./parts.ts";
import { MatchIndex } from "./plan.ts";
import { type HandlerSelection, isStatic, select, selectFor } from "./run/select.ts";
import type { SandboxRun, SandboxRunOptions } from "./sandbox.ts";
import type { ToolMap } from "./schema/validate.ts";
import {
  type ConfiguredHandler,
  HookLoadError,
  type ListedHandler,
  type Loaded,
  type LoadOptions,
  loadCommandRules,
  loadSources,
} from "./source/load.ts";
import { toHookInput } from "./system-hooks.ts";
import { isTrusted } from "./trust.ts";
import type { HookEngine } from "./types.ts";

/** Under this name the history tells commands of `run`, as those of shell tools. */
const SHELL_TOOL = "Bash";

/** An engine with the handlers that sources configure. */
export class ConfiguredEngine<T extends ToolMap> extends CallingEngine<T> implements HookEngine<T> {
  private readonly configured: ConfiguredHandlers;
  private readonly system: System;

  constructor(
    core: EngineContext,
    parts: EngineParts,
    approvals: ApprovalOptions,
    configured: ConfiguredHandlers,
    system: System,
  ) {
    super(core, parts, approvals);
    this.configured = configured;
    this.system = system;
  }

  get history(): EngineHistory {
    const part = this.historyPart;
    if (part === undefined)
      throw new TypeError("this engine keeps no history; attach one first: engine.use(history({ … }))");
    return part.open(this.system, this.core.projectDir);
  }

  async run(command: string, options: SandboxRunOptions = {}): Promise<SandboxRun> {
    const part = this.sandboxPart;
    if (part === undefined)
      throw new TypeError("this engine has no sandbox; attach one first: engine.use(sandbox({ … }))");
    const { cwd = this.core.projectDir, session } = options;
    const input = this.readInput({
      ...defined({ session_id: session }),
      cwd,
      tool_name: SHELL_TOOL,
      tool_use_id: crypto.randomUUID(),
      tool_input: { command },
    });
    const keeping = input?.kind === "tool" ? this.historyPart?.aroundCommand(input, this.system) : undefined;
    return part.run(this.system, this.core.projectDir, command, options, keeping);
  }

  /** A call as hooks see it before it runs. */
  private readInput(payload: JsonObject): HookInput | undefined {
    const event = this.core.events.describeEvent("PreToolUse");
    const names = this.core.namesOf(event, stringAt(payload, "tool_name") ?? "");
    const checked = toHookInput(event, payload, names, this.core.projectDir);
    return checked.ok ? checked.input : undefined;
  }

  protected override get keeping(): CallKeeping | undefined {
    const part = this.historyPart;
    if (part === undefined) return undefined;
    const about = async (payload: JsonObject, step: (input: HookInput) => Promise<void>) => {
      const input = this.readInput(payload);
      // A person has decided; what cannot be kept now is told by the hook after the call.
      if (input !== undefined) await step(input).catch(() => this.core.recorder?.failure("hook-threw"));
    };
    return {
      again: payload => about(payload, input => part.keepAgain(input, this.system)),
      refused: payload => about(payload, input => part.forget(input, this.system)),
    };
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

/** The handlers that sources configure, as they are loaded now. */
export class ConfiguredHandlers {
  private readonly context: HandlerContext;
  private readonly options: LoadOptions;
  private loaded: Loaded;

  /** Throws `HookLoadError` when the sources must not be used. */
  constructor(context: HandlerContext, options: LoadOptions, sources: readonly HookSource[]) {
    this.context = context;
    this.options = options;
    this.loaded = this.load(sources);
  }

  get report(): LoadReport {
    return this.loaded.report;
  }

  reload(sources: readonly HookSource[]): void {
    this.loaded = this.load(sources, this.loaded.understood);
  }

  private load(sources: readonly HookSource[], before?: Loaded["understood"]): Loaded {
    const loaded = loadSources(sources, this.options, before);
    if (loaded.refusals.length > 0) throw new HookLoadError(loaded.refusals, loaded.report);
    return loaded;
  }

  list(): readonly Listing[] {
    return this.loaded.listed.map(item => listHandler(item, item.isEnabled));
  }

  forEvent(event: EventDescriptor): EventHandlers {
    const { context, loaded } = this;
    const handlers = loaded.handlers.filter(({ spec }) => spec.event === event.name);
    const index = new MatchIndex(handlers);
    // Where the event itself has no subject, handlers may still look at the prompt.
    const readsPrompt = handlers.some(
      ({ spec, matcher }) => spec.dialect === "batuta" && matcher.kind === "test",
    );
    return {
      isEmpty: handlers.length === 0,
      refused: loaded.listed.filter(({ spec, trust }) => spec.event === event.name && !isTrusted(trust))
        .length,
      subjectOf: readsPrompt ? payload => promptSubject(event, payload) : undefined,
      find(names) {
        const found = index.find(names);
        return found.length === 0 ? undefined : new ConfiguredPlan(context, event, found);
      },
    };
  }
}

class ConfiguredPlan implements HandlerPlan {
  private readonly context: HandlerContext;
  private readonly event: EventDescriptor;
  private readonly handlers: readonly ConfiguredHandler[];
  /** what runs, when that does not depend on the payload */
  private readonly selection: HandlerSelection | undefined;

  constructor(context: HandlerContext, event: EventDescriptor, handlers: readonly ConfiguredHandler[]) {
    this.context = context;
    this.event = event;
    this.handlers = handlers;
    this.selection = isStatic(handlers) ? select(handlers, event) : undefined;
  }

  get ids(): readonly string[] {
    return this.handlers.map(({ spec }) => spec.id);
  }

  async run({ event, power, payload, names, cancel, onRun }: HandlerDispatch) {
    const { once, tools } = this.context;
    if (this.handlers.some(({ condition }) => condition !== undefined)) await loadCommandRules();
    const { HandlerLanes } = await import("./run/handlers.ts");
    const session = readSession(payload);
    const selection = this.select(payload, names, handler => once.claim(session, handler.identity()));
    let text: string | undefined;
    const payloadText = (): string => {
      text ??= JSON.stringify(payload);
      return text;
    };
    const dispatch = { core: this.context, event, power, payload, payloadText, tool: tools.find(names) };
    return new HandlerLanes(dispatch, cancel, onRun).run(selection);
  }

  preview(payload: JsonObject, names: readonly string[]): readonly Listing[] {
    const session = readSession(payload);
    const { once } = this.context;
    const { steps } = this.select(payload, names, handler => !once.isUsed(session, handler.identity()));
    return steps.map(({ handler, timeoutMs, onFailure }) => ({
      ...listHandler(handler, true),
      timeoutMs,
      onFailure,
    }));
  }

  private select(
    payload: JsonObject,
    names: readonly string[],
    claim: (handler: ConfiguredHandler) => boolean,
  ): HandlerSelection {
    if (this.selection !== undefined) return this.selection;
    return selectFor(this.handlers, this.event, () => conditionFacts(this.context, payload, names), claim);
  }
}

/** The facts an `if` rule is tried on. */
function conditionFacts(
  { projectDir, home }: HandlerContext,
  payload: JsonObject,
  toolNames: readonly string[],
): ConditionFacts {
  const cwd = stringAt(payload, "cwd") ?? projectDir;
  return { toolNames, input: ownValue(payload, "tool_input"), cwd, projectDir, home };
}

const SUMMARY_CHARS = 200;

function listHandler(candidate: ListedHandler, isEnabled: boolean): Listing {
  const { spec, onFailure, trust } = candidate;
  return {
    id: spec.id,
    event: spec.event,
    kind: spec.action.kind,
    source: spec.source.kind,
    dialect: spec.dialect,
    ...defined({ matcher: spec.matcher }),
    summary: clip(escapeControls(summarise(spec.action)), SUMMARY_CHARS),
    timeoutMs: spec.timeoutMs,
    onFailure,
    identity: candidate.identity(),
    trust,
    enabled: isEnabled,
  };
}

function summarise(action: Action): string {
  switch (action.kind) {
    case "command":
      return [action.command, ...(action.args ?? [])].join(" ");
    case "http":
      return `POST ${action.url}`;
    case "mcp_tool":
      return `${action.server}: ${action.tool}`;
    case "prompt":
    case "agent":
      return action.prompt;
  }
}
