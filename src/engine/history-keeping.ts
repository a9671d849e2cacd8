import { isHistoryOn, loadConfig } from "../config/index.ts";
import {
  ALLOWED,
  contextOf,
  type GuardContext,
  type GuardedCall,
  type GuardHook,
  isDenied,
  isEmptyFootprint,
  judgeTool,
  type KnownOfSession,
} from "../guard/index.ts";
import { type FileTexts, type History, openHistory, readFileTexts, type UndoPlan } from "../history/index.ts";
import {
  auditFile,
  type ConfiguredGuard,
  isAudited,
  type KeptCall,
  loadStockHistory,
  writeAudit,
} from "../hooks/index.ts";
import { defined, type Effect, errorText, type HookInput, type InputOf } from "../protocol/index.ts";
import { findHome, findProjectRoot, findStateHome, Problem } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import {
  type EngineHistory,
  type HistoryOptions,
  type SessionStep,
  toDiagnostic,
  type Undone,
  type UndoOptions,
} from "./history-types.ts";

const DEFAULT_AGENT = "engine";

/** What `history()` does, loaded with the guard and the store when it is first needed. */
export class HistoryKeeping {
  private readonly options: HistoryOptions;

  constructor(options: HistoryOptions) {
    this.options = options;
  }

  /** Opens the store as a person of this project sees it. */
  open(system: System, projectDir: string): EngineHistory {
    const { home, stateHome, project, config } = this.configure(system, projectDir);
    const opened = openHistory(system, { stateHome, project }, config.history);
    const readContent: History["readContent"] = (...given) => opened.readContent(...given);
    return {
      async list({ allProjects = false, ...query } = {}) {
        await opened.finishEnded();
        return opened.listChanges({ ...query, ...(allProjects ? {} : { project }) }).changes;
      },
      async show(id) {
        await opened.finishEnded();
        const change = opened.readChange(id);
        if (change === undefined) throw new Problem(opened.whyNoChange(id), { kind: "not-found" });
        const reader = { home, agentSettings: config.guard, text: system.text, readContent };
        const texts = new Map<string, FileTexts | string>();
        for (const file of change.files) {
          const found = await readFileTexts(file, change, reader);
          if (found !== undefined) texts.set(file.path, found);
        }
        return { change, texts };
      },
      async undo(what = { kind: "newest" }, given = {}) {
        const isSelection = typeof what === "object" && "kind" in what;
        const selection = isSelection ? what : ({ kind: "ids", ids: [what].flat() } as const);
        return carryOut(opened, await opened.planUndo(selection), given);
      },
      async redo(id, given = {}) {
        return carryOut(opened, await opened.planRedo(id), given);
      },
    };
  }

  /** The guard's answer to a call: what is kept can come back, and is not asked about. */
  async settle(
    guard: GuardHook,
    given: InputOf<"tool">,
    system: System,
    judged: GuardedCall,
  ): Promise<Effect> {
    const input = this.named(given);
    const { kept, problem } = await this.keep(input, system, judged);
    const judgement = kept?.settle(judged.judgement) ?? judged.judgement;
    kept?.conclude(judgement.verdict);
    const problems = [problem, this.audit(input, system, { ...judged, judgement })].filter(
      text => text !== undefined,
    );
    const effect = guard.answer(given, { ...judged, judgement });
    const message = judgement.verdict === "allow" ? kept?.message : undefined;
    return {
      ...effect,
      ...(message === undefined
        ? {}
        : {
            message: { text: message, level: "info" as const },
            extras: { ...effect.extras, kept: true },
          }),
      ...(problems.length === 0
        ? {}
        : { diagnostics: [...(effect.diagnostics ?? []), ...problems.map(toDiagnostic)] }),
    };
  }

  /** Keeps what a command may change, runs it, and writes down what it changed. */
  async around(
    input: InputOf<"tool">,
    system: System,
    work: () => Promise<number>,
  ): Promise<{ readonly code: number; readonly problem?: string }> {
    const named = this.named(input);
    const { problem } = await this.keep(named, system, this.judged(named, this.configure(system, input.cwd)));
    let code: number | undefined;
    let unwritten: string | undefined;
    try {
      code = await work();
    } finally {
      const event = code === 0 ? "PostToolUse" : "PostToolUseFailure";
      unwritten = await this.complete({ ...input, event }, system).catch(errorText);
    }
    return defined({ code, problem: problem ?? unwritten });
  }

  /** Questions and refusals stand in the log of `amplihack guard log`, as the hook program's do; tells what went wrong. */
  audit(
    given: InputOf<"tool">,
    system: System,
    { judgement, context }: Pick<GuardedCall, "judgement" | "context">,
  ): string | undefined {
    const input = this.named(given);
    try {
      const { config, stateHome, home, project } = this.configure(system, input.cwd, context);
      const settings = config.guard;
      if (isAudited(judgement, settings))
        writeAudit(system, auditFile(settings, stateHome, home), { input, judgement, settings, project });
      return undefined;
    } catch (error) {
      return `the audit line was not written: ${errorText(error)}`;
    }
  }

  /** A person said yes, perhaps long after the call was judged: what stands there now is kept. */
  async keepAgain(given: HookInput, system: System): Promise<void> {
    if (given.kind !== "tool") return;
    const input = this.named(given);
    const { forgetCall } = await loadStockHistory();
    const guard = this.configure(system, input.cwd);
    forgetCall(input, system, guard, "again");
    await this.keep(input, system, this.judged(input, guard));
  }

  /** A refused call leaves no change. */
  async forget(given: HookInput, system: System): Promise<void> {
    if (given.kind !== "tool") return;
    const input = this.named(given);
    const { forgetCall } = await loadStockHistory();
    forgetCall(input, system, this.configure(system, input.cwd), "refused");
  }

  async before(given: InputOf<"tool">, system: System): Promise<Effect | undefined> {
    const input = this.named(given);
    const judged = this.judged(input, this.configure(system, input.cwd));
    const { problem } = await this.keep(input, system, judged);
    return problem === undefined ? undefined : { diagnostics: [toDiagnostic(problem)] };
  }

  /** Without a guard nothing is asked about: only what the call may change is looked for. */
  private judged(input: InputOf<"tool">, { context }: ConfiguredGuard): GuardedCall {
    const { footprint } = judgeTool(input, context);
    return { judgement: { ...ALLOWED, footprint }, context, notices: [] };
  }

  private async keep(
    input: InputOf<"tool">,
    system: System,
    { judgement, context }: GuardedCall,
  ): Promise<{ readonly kept?: KeptCall; readonly problem?: string }> {
    const guard = this.configure(system, input.cwd, context);
    const footprint = judgement.footprint();
    if (isDenied(judgement) || isEmptyFootprint(footprint) || !isHistoryOn(guard.config)) return {};
    try {
      const { keepCall } = await loadStockHistory();
      const kept = await keepCall(input, system, guard, judgement, footprint);
      return defined({ kept, problem: kept.problem });
    } catch (error) {
      return { problem: `nothing of this call was kept: ${errorText(error)}` };
    }
  }

  async known(given: InputOf<"tool">, system: System): Promise<KnownOfSession> {
    const input = this.named(given);
    const { readWrites } = await loadStockHistory();
    const guard = this.configure(system, input.cwd);
    return { stateHome: guard.stateHome, written: () => readWrites(input, system, guard) };
  }

  async complete(given: InputOf<"tool">, system: System): Promise<undefined> {
    const input = this.named(given);
    const { completeCall } = await loadStockHistory();
    const duration = input.raw["duration_ms"];
    const durationMs = typeof duration === "number" ? duration : undefined;
    await completeCall(input, system, this.configure(system, input.cwd), durationMs);
  }

  async inSession(given: HookInput, system: System, step: SessionStep): Promise<undefined> {
    const stock = await loadStockHistory();
    await stock[step](this.named(given), system, this.configure(system, given.cwd));
  }

  private named<I extends HookInput>(input: I): I {
    return { ...input, host: this.options.agent ?? DEFAULT_AGENT };
  }

  /** Read at each call, as the hook program does. */
  private configure(system: System, cwd: string | undefined, given?: GuardContext): ConfiguredGuard {
    const { home: givenHome, project: givenProject, agent, ...settings } = this.options;
    const home = givenHome ?? findHome(system);
    if (home === undefined) throw new Problem("history: there is no home directory", { kind: "failed" });
    const stateHome =
      (givenHome === undefined ? findStateHome(system) : undefined) ?? join(home, ".amplihack");
    const project = givenProject ?? findProjectRoot(system, cwd);
    const { config, notices } = loadConfig(system, { home, stateHome, projectRoot: project });
    const context = given ?? contextOf({ cwd }, system, { home, stateHome, settings: config.guard });
    return {
      config: {
        ...config,
        parts: [...config.parts, "history"],
        history: { ...config.history, ...defined(settings) },
        guard: context.settings ?? config.guard,
      },
      notices,
      context,
      home,
      stateHome,
      project,
      agentProcess: system.processes.self,
    };
  }
}

async function carryOut(opened: History, plan: UndoPlan, { force, dryRun }: UndoOptions): Promise<Undone> {
  return dryRun === true ? { plan } : { plan, ...(await opened.applyUndo(plan, defined({ force }))) };
}
