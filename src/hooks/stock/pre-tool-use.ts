import { type ConfigNotice, isHistoryOn } from "../../config/index.ts";
import {
  ALLOWED,
  type Footprint,
  footprintOfHarmless,
  type Grant,
  type GuardContext,
  isDenied,
  isEmptyFootprint,
  type Judgement,
  loadGuard,
  startsOwnFile,
  tellPerson,
} from "../../guard/index.ts";
import { type Diagnostic, type Effect, errorText, type Hook, type InputOf } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { redactOpening } from "../../text/index.ts";
import { inDirectory, type SessionWrites } from "../../workspace/index.ts";
import { auditFile, isAudited, writeAudit } from "../program/audit.ts";
import type { HookOptions } from "../program/context.ts";
import {
  consumeGrants,
  judgeWithGrants,
  type RefusedCommand,
  ranFiles,
  rememberRefusal,
} from "../program/grants.ts";
import { type ConfiguredGuard, openGuard } from "../program/guard-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { rememberHost } from "../program/process-tree.ts";
import type { KeptCall } from "./history.ts";

/** Judges every tool call before it runs. Silence means that the guard has nothing against it. */
export function preToolUse({ afterAnswer = doNow }: HookOptions = {}): Hook<System> {
  return {
    id: "amplihack.pre-tool-use",
    event: "PreToolUse",
    isJudge: true,
    async run(input, system) {
      if (input.kind !== "tool") return undefined;
      const call = openCall(input, system);
      const judged = (await judgeHarmless(call)) ?? (await judgeFully(call));
      const kept = await keepBefore(call, judged);
      const judgement = settle(call, judged, kept);
      afterAnswer(() => record(call, judged, judgement));
      return toEffect(call, judgement, kept?.message);
    },
  };
}

export const definition: HookDefinition = { hook: preToolUse, isGuard: true };

/** Without a program around it, nothing comes after the answer. */
function doNow(task: () => unknown): void {
  task();
}

/** One call on its way through the stages. */
interface GuardedCall {
  readonly input: InputOf<"tool">;
  readonly system: System;
  readonly guard: ConfiguredGuard;
  readonly context: GuardContext;
  /** what did not work; it changes no verdict */
  readonly problems: Diagnostic[];
  /** Runs a step whose failure is told and changes no verdict. */
  attempt<T>(what: string, step: () => T): T | undefined;
  tell(what: string, error: unknown): void;
}

/** What the rules say of a call, before anything was kept. */
interface Judged {
  readonly judgement: Judgement;
  readonly footprint: Footprint;
  /** Judges with the grants that a person gave. */
  readonly judgeAnew: (grants: readonly Grant[]) => Judgement;
  /** the input with what it is about, for people */
  readonly described: () => InputOf<"tool">;
}

function openCall(input: InputOf<"tool">, system: System): GuardedCall {
  const problems: Diagnostic[] = [];
  const tell = (what: string, error: unknown) => {
    problems.push({ code: "guard-state", severity: "warning", detail: `${what}: ${errorText(error)}` });
  };
  const guard = openGuard(system, input.cwd, error => tell("no allow-once code can be offered", error));
  problems.push(...guard.notices.map(toDiagnostic));
  return {
    input,
    system,
    guard,
    context: inDirectory(guard.context, input.facts.directory),
    problems,
    tell,
    attempt(what, step) {
      try {
        return step();
      } catch (error) {
        tell(what, error);
        return undefined;
      }
    },
  };
}

/** Most commands are plainly harmless, and spared the analysis, which is large. */
async function judgeHarmless(call: GuardedCall): Promise<Judged | undefined> {
  const { tool, facts } = call.input;
  const isShell = tool.canonicalName === "Bash" && !/^(powershell|pwsh)$/i.test(tool.name);
  if (!isShell || facts.command === null) return undefined;
  const footprint = footprintOfHarmless(facts.command, call.context);
  if (footprint === undefined || (await startsOwn(call, footprint))) return undefined;
  return { judgement: ALLOWED, footprint, judgeAnew: () => ALLOWED, described: () => call.input };
}

/** A build or a test that runs what the session wrote is none of the plainly harmless ones. */
async function startsOwn(call: GuardedCall, footprint: Footprint): Promise<boolean> {
  if (isEmptyFootprint(footprint) || !isHistoryOn(call.guard.config)) return false;
  return startsOwnFile(await readSessionWrites(call));
}

async function readSessionWrites(call: GuardedCall): Promise<SessionWrites | undefined> {
  const { readWrites } = await import("./history.ts");
  return call.attempt("what the session wrote is not known", () =>
    readWrites(call.input, call.system, call.guard),
  );
}

async function judgeFully(call: GuardedCall): Promise<Judged> {
  const { input } = call;
  const { factsOfCall, judgeTool } = await loadGuard();
  const { judgement, context } = await judgeWithWrites(call);
  const isGuarding = call.guard.config.parts.includes("guard");
  return {
    judgement: isGuarding ? judgement : { ...ALLOWED, footprint: judgement.footprint },
    footprint: judgement.footprint(),
    judgeAnew: grants => judgeTool(input, { ...context, grants }),
    described: () => ({
      ...input,
      facts: factsOfCall(input.tool.canonicalName, input.tool.input, input.facts),
    }),
  };
}

/** What the session wrote is read only for a call that it matters to: the call is judged anew then. */
async function judgeWithWrites(
  call: GuardedCall,
): Promise<{ readonly judgement: Judgement; readonly context: GuardContext }> {
  const { input, context: given } = call;
  const { judgeTool } = await loadGuard();
  if (!isHistoryOn(call.guard.config)) return { judgement: judgeTool(input, given), context: given };
  let isWanted = false;
  const written = (): undefined => {
    isWanted = true;
    return undefined;
  };
  const judgement = judgeTool(input, { ...given, written });
  if (!isWanted) return { judgement, context: given };
  const found = await readSessionWrites(call);
  const context = { ...given, written: () => found };
  return { judgement: judgeTool(input, context), context };
}

/** Nothing of the history is loaded for a call that changes nothing. Its failure leaves the findings as they are. */
async function keepBefore(
  call: GuardedCall,
  { judgement, footprint }: Judged,
): Promise<KeptCall | undefined> {
  const { input, system, guard } = call;
  if (isDenied(judgement) || isEmptyFootprint(footprint)) return undefined;
  if (!isHistoryOn(guard.config) && judgement.findings.length === 0) return undefined;
  try {
    const { keepCall } = await import("./history.ts");
    const kept = await keepCall(input, system, guard, judgement, footprint);
    if (kept.problem !== undefined) call.tell("the history is not complete", kept.problem);
    return kept;
  } catch (error) {
    call.tell("the history kept nothing of this call", error);
    return undefined;
  }
}

/** What was kept answers some findings, a person's grant others. */
function settle(call: GuardedCall, judged: Judged, kept: KeptCall | undefined): Judgement {
  const { system, guard } = call;
  const isGuarding = guard.config.parts.includes("guard");
  const withKept = (judgement: Judgement) => (isGuarding ? kept?.settle(judgement) : undefined) ?? judgement;
  const judgement = judgeWithGrants(
    system,
    guard.stateHome,
    grants => withKept(grants === undefined ? judged.judgement : judged.judgeAnew(grants)),
    used => call.attempt("the grant was not used", () => consumeGrants(system, guard.stateHome, used)),
  );
  call.attempt("the verdict was not noted in the history", () => kept?.conclude(judgement.verdict));
  const notes = kept?.notes ?? [];
  return notes.length === 0 ? judgement : { ...judgement, notes: [...judgement.notes, ...notes] };
}

/** After the answer: the audit line, and what a person has to see before they permit the call. */
function record(call: GuardedCall, judged: Judged, judgement: Judgement): readonly Diagnostic[] {
  const { system, guard, problems } = call;
  const known = problems.length;
  const { code, verdict } = judgement;
  const settings = guard.config.guard;
  if (isAudited(judgement, settings)) {
    const path = auditFile(settings, guard.stateHome, guard.home);
    const run = { input: judged.described(), judgement, settings, project: guard.project };
    call.attempt("the audit line was not written", () => writeAudit(system, path, run));
  }
  if (code !== undefined && verdict !== "allow") {
    const refusal = refusalOf(judged.described(), judgement, code, guard);
    call.attempt("the code was not remembered", () => rememberRefusal(system, guard.stateHome, refusal));
    call.attempt("the host was not remembered", () => rememberHost(system, guard.stateHome));
  }
  return problems.slice(known);
}

function refusalOf(
  { tool, facts }: InputOf<"tool">,
  judgement: Judgement,
  code: string,
  { context }: ConfiguredGuard,
): RefusedCommand {
  const shown = facts.command ?? `${tool.canonicalName} ${JSON.stringify(tool.input)}`;
  return {
    code,
    digest: judgement.digest,
    command: redactOpening(shown),
    cwd: context.cwd,
    rules: judgement.findings.map(finding => finding.rule),
    found: tellPerson(judgement.findings),
    ...ranFiles(context.system, judgement),
    refusedMs: context.nowMs ?? 0,
  };
}

/** Rule ids go into the records; the code is told where a host turns a question into a refusal. */
function toEffect(
  { problems }: GuardedCall,
  { verdict, reason, texts, findings, code, failure }: Judgement,
  kept: string | undefined,
): Effect | undefined {
  if (failure !== undefined) problems.push({ code: "guard-failure", severity: "error", detail: failure });
  const told = problems.length === 0 ? {} : { diagnostics: [...problems] };
  if (verdict === "allow" || reason === undefined) {
    const message = kept === undefined ? {} : { message: { text: kept, level: "info" as const } };
    return problems.length === 0 && kept === undefined ? undefined : { ...message, ...told };
  }
  const rules = [...new Set(findings.map(finding => finding.rule))];
  const extras = { rules, ...(code === undefined ? {} : { allowOnce: code }) };
  const decision = { kind: verdict, reason, ...(texts === undefined ? {} : { texts }) };
  return { decision, extras, ...told };
}

function toDiagnostic(notice: ConfigNotice): Diagnostic {
  return { code: `config-${notice.code}`, severity: "warning", detail: notice.message };
}
