import { type ConfigNotice, isHistoryOn } from "../../config/index.ts";
import {
  ALLOWED,
  type Footprint,
  footprintOfHarmlessCall,
  type Grant,
  type GuardContext,
  isDenied,
  isEmptyFootprint,
  type Judgement,
  loadGuard,
  startsOwnFile,
  tellPerson,
} from "../../guard/index.ts";
import type { Answering } from "../../hosts/index.ts";
import {
  type Diagnostic,
  defined,
  type Effect,
  errorText,
  type Hook,
  type InputOf,
} from "../../protocol/index.ts";
import { findSessionId } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { redactOpening } from "../../text/index.ts";
import { inDirectory, type SessionFacts, type SessionWrites } from "../../workspace/index.ts";
import {
  type Answered,
  answerEffect,
  findAnswering,
  isAnswerable,
  rememberAnswerable,
} from "../program/answer.ts";
import { auditFile, isAudited, writeAudit } from "../program/audit.ts";
import {
  type Asker,
  askerForService,
  consumeGrants,
  judgeWithGrants,
  type RefusedCommand,
  ranFiles,
  rememberRefusal,
} from "../program/grants.ts";
import { asksTeam, type ConfiguredGuard, openGuard } from "../program/guard-context.ts";
import type { HookOptions } from "../program/hook-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { rememberHost } from "../program/process-tree.ts";
import { chooseSandboxMode, maySandbox, rewriteCall, takeHeldNotice } from "../program/sandboxed.ts";
import { noteQuestion, readSessionNotes } from "../program/session-facts.ts";
import type { KeptCall } from "./history.ts";

/** Judges every tool call before it runs. Silence means that the guard has nothing against it. */
export function preToolUse(options: HookOptions = {}): Hook<System> {
  const { afterAnswer = doNow } = options;
  return {
    id: "amplihack.pre-tool-use",
    event: "PreToolUse",
    isJudge: true,
    async run(input, system) {
      if (input.kind !== "tool") return undefined;
      const call = openCall(input, system);
      const answering = findAnswering(input, system, call.guard);
      const isSandboxing = maySandbox(input, system, call.guard);
      // What is answered for the person, or runs in the sandbox, has to be known, not merely harmless.
      const isPlain = answering === undefined && !isSandboxing;
      const judged = (isPlain ? await judgeHarmless(call) : undefined) ?? (await judgeFully(call));
      const kept = await keepBefore(call, judged);
      const settled = await askElsewhere(call, judged, settle(call, judged, kept), kept, options);
      const held = isSandboxing ? tellHeld(call, answering) : undefined;
      const budget = isDenied(settled) ? undefined : (held ?? (await checkBudget(call, judged)));
      const isFree = budget?.decision === undefined;
      const sandboxed = isSandboxing && isFree ? sandbox(call, answering, judged, settled, kept) : undefined;
      const { judgement = settled } = sandboxed ?? {};
      const answered =
        sandboxed?.answered ??
        (answering !== undefined && isFree ? answer(call, answering, judged, judgement, kept) : undefined);
      afterAnswer(outcome =>
        record(call, judged, judgement, outcome === "allow" || sandboxed ? answered : undefined),
      );
      if (sandboxed !== undefined) return { ...withDiagnostics(call), ...sandboxed.effect };
      return withBudget(toEffect(call, judgement, kept?.message, answered), budget);
    },
  };
}

export const definition: HookDefinition = { hook: preToolUse, isGuard: true };

/** Without a program around it, nothing comes after the answer, and nobody else has a say in it. */
function doNow(task: (outcome: undefined) => unknown): void {
  task(undefined);
}

/** One call on its way through the stages. */
interface GuardedCall {
  readonly input: InputOf<"tool">;
  readonly system: System;
  readonly guard: ConfiguredGuard;
  readonly context: GuardContext;
  /** what did not work; it changes no verdict */
  readonly problems: Diagnostic[];
  /** what was found in texts of the session and what it brings here, for its notes */
  readonly noted: Pick<SessionFacts, "judged" | "fetched" | "packed">;
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
  const judged: string[] = [];
  const fetched: string[] = [];
  const packed: string[] = [];
  const facts = readSessionNotes(system, guard.stateHome, findSessionId(system, input.sessionId));
  return {
    input,
    system,
    guard,
    context: inDirectory(
      {
        ...guard.context,
        facts,
        onJudged: entry => void judged.push(entry),
        onFetched: entry => void fetched.push(entry),
        onPacked: entry => void packed.push(entry),
        asksElsewhere: asksTeam(guard.config),
      },
      input.facts.directory,
    ),
    noted: { judged, fetched, packed },
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
  const footprint = footprintOfHarmlessCall(call.input, call.context);
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
  // What is judged anew need not be finished.
  const isLate = () => isWanted || given.isLate?.() === true;
  const judgement = judgeTool(input, { ...given, written, isLate });
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
    {
      ...toAsker(call),
      ...askerForService(guard.config, () => ({
        command: shownCommand(judged.described()),
        cwd: guard.context.cwd,
      })),
    },
  );
  call.attempt("the verdict was not noted in the history", () => kept?.conclude(judgement.verdict));
  const notes = kept?.notes ?? [];
  return notes.length === 0 ? judgement : { ...judgement, notes: [...judgement.notes, ...notes] };
}

/** Where a session has nobody, the team's server asks somebody. Without a yes the question stays a refusal. */
async function askElsewhere(
  call: GuardedCall,
  judged: Judged,
  judgement: Judgement,
  kept: KeptCall | undefined,
  options: HookOptions,
): Promise<Judgement> {
  const { input, system, guard } = call;
  const { code, digest, verdict } = judgement;
  if (verdict === "allow" || code === undefined || isDenied(judgement) || !asksTeam(guard.config))
    return judgement;
  const { askTeam } = await import("../program/ask-team.ts");
  const shown = {
    command: shownCommand(judged.described()),
    cwd: guard.context.cwd,
    project: guard.project,
    found: tellPerson(judgement.findings),
  };
  const reply = await askTeam(input, system, options, judgement, shown, guard.config.team.waitMs);
  if (typeof reply === "string") call.tell("the team was not asked", reply);
  if (typeof reply === "string" || reply.answer === "waiting") return judgement;
  const note = `${reply.by} answered ${reply.answer} on the team's server`;
  if (reply.answer === "no") {
    const reason = `${judgement.reason} ${reply.by} of your team said no: do not try it again.`;
    return { ...judgement, reason, notes: [...judgement.notes, note] };
  }
  const grant = { code, digest, usesLeft: 1, expiresMs: Number.MAX_SAFE_INTEGER };
  const anew = judged.judgeAnew([grant]);
  const granted = kept?.settle(anew) ?? anew;
  call.attempt("the verdict was not noted in the history", () => kept?.conclude(granted.verdict));
  return { ...granted, notes: [...granted.notes, note] };
}

/** The answer in the person's place. A host that hears it only when it asks gets it then. */
function answer(
  call: GuardedCall,
  { event }: Answering,
  { footprint }: Judged,
  judgement: Judgement,
  kept: KeptCall | undefined,
): Answered | undefined {
  if (!isAnswerable(judgement, !isEmptyFootprint(footprint), kept)) return undefined;
  if (event === "PreToolUse") return "understood";
  const { input, system, guard } = call;
  call.attempt("the call cannot be answered", () => rememberAnswerable(input, system, guard.stateHome));
  return undefined;
}

interface Sandboxed {
  readonly effect: Effect;
  readonly answered: Answered | undefined;
  /** of a call that is tried, which was not asked about */
  readonly judgement: Judgement;
}

/** Sends the call to the sandbox, where that bounds what is not known of it. */
function sandbox(
  call: GuardedCall,
  answering: Answering | undefined,
  { footprint }: Judged,
  judgement: Judgement,
  kept: KeptCall | undefined,
): Sandboxed | undefined {
  const { input, system, guard } = call;
  const changes = !isEmptyFootprint(footprint);
  if (isAnswerable(judgement, changes, kept)) return undefined;
  const isKept = !changes || kept?.isWhole === true;
  const mode = chooseSandboxMode(system, input, guard, { judgement, footprint, isKept });
  if (mode === undefined) return undefined;
  const rules = [...new Set(judgement.all.map(({ rule }) => rule))];
  const rewritten = call.attempt("the call was not sent to the sandbox", () =>
    rewriteCall(input, system, guard, mode, rules),
  );
  if (rewritten === undefined) return undefined;
  // What a try changes is kept when it is applied.
  if (mode === "try") call.attempt("the history has an empty change", () => kept?.conclude("deny"));
  const judgedAs =
    mode === "run" ? judgement : { ...judgement.settle([]), notes: [`tried: ${rules.join(", ")}`] };
  const changed = { input: rewritten.input };
  if (answering?.event === "PreToolUse")
    return { effect: { ...answerEffect("sandbox"), ...changed }, answered: "sandbox", judgement: judgedAs };
  if (answering !== undefined) {
    const asked = { ...input, facts: { ...input.facts, command: rewritten.command } };
    call.attempt("the call cannot be answered", () =>
      rememberAnswerable(asked, system, guard.stateHome, "sandbox"),
    );
  }
  return { effect: changed, answered: undefined, judgement: judgedAs };
}

/** Changes that are held since the last call: the person is asked once, where the host can ask. */
function tellHeld(call: GuardedCall, answering: Answering | undefined): Effect | undefined {
  const { input, system, guard } = call;
  const held = call.attempt("held changes were not told", () =>
    takeHeldNotice(system, guard.stateHome, findSessionId(system, input.sessionId)),
  );
  if (held === undefined) return undefined;
  const canAsk = answering?.event === "PreToolUse" && guard.config.guard.unattended !== "deny";
  if (!canAsk) return { message: { text: held, level: "warn" } };
  return { decision: { kind: "ask", reason: held }, extras: { rules: ["sandbox.held"] } };
}

/** A grant is bound to the session and the host that it was asked in. */
function toAsker({ input, system }: GuardedCall): Asker {
  return defined({ session: findSessionId(system, input.sessionId), host: input.host });
}

/** After the answer: the audit line, and what a person has to see before they permit the call. */
function record(
  call: GuardedCall,
  judged: Judged,
  judgement: Judgement,
  answered: Answered | undefined,
): readonly Diagnostic[] {
  const { system, guard, problems } = call;
  const known = problems.length;
  const { code, verdict } = judgement;
  call.attempt("the question was not noted", () =>
    noteQuestion(
      system,
      guard.stateHome,
      call.input,
      // What was tried was not asked about.
      answered === "sandbox" ? judgement : judged.judgement,
      call.noted,
    ),
  );
  const settings = guard.config.guard;
  if (answered !== undefined || isAudited(judgement, settings)) {
    const path = auditFile(settings, guard.stateHome, guard.home);
    const run = { input: judged.described(), judgement, settings, project: guard.project, answered };
    call.attempt("the audit line was not written", () => writeAudit(system, path, run));
  }
  if (code !== undefined && verdict !== "allow") {
    const refusal = { ...toRefusedCommand(judged.described(), judgement, code, guard), ...toAsker(call) };
    call.attempt("the code was not remembered", () => rememberRefusal(system, guard.stateHome, refusal));
    call.attempt("the host was not remembered", () => rememberHost(system, guard.stateHome));
  }
  return problems.slice(known);
}

/** What a person is shown of it. */
function shownCommand({ tool, facts }: Pick<InputOf<"tool">, "tool" | "facts">): string {
  return redactOpening(facts.command ?? `${tool.canonicalName} ${JSON.stringify(tool.input)}`);
}

function toRefusedCommand(
  { tool, facts }: InputOf<"tool">,
  judgement: Judgement,
  code: string,
  { context }: ConfiguredGuard,
): RefusedCommand {
  return {
    code,
    digest: judgement.digest,
    command: shownCommand({ tool, facts }),
    cwd: context.cwd,
    rules: judgement.findings.map(finding => finding.rule),
    found: tellPerson(judgement.findings),
    ...ranFiles(context.system, judgement),
    refusedMs: context.nowMs ?? 0,
  };
}

/** Of a budget: from here on the person is warned, once. */
const WARN_SHARE = 0.8;
/** Tools that only look; what a shell only looks at has no footprint. */
const READERS: readonly string[] = ["Read", "Glob", "Grep", "LS", "NotebookRead", "TodoWrite"];

/** Asks, or refuses where nobody answers, when a budget is used up and the call is more than a look; warns before that. */
async function checkBudget(call: GuardedCall, { footprint }: Judged): Promise<Effect | undefined> {
  const { input, system, guard } = call;
  if (Object.keys(guard.config.budget).length === 0) return undefined;
  const name = input.tool.canonicalName;
  if (READERS.includes(name) || (name === "Bash" && isEmptyFootprint(footprint))) return undefined;
  const { describeUse, meterCall } = await import("../program/budget.ts");
  const { uses, isNew } = call.attempt("the budget is not known", () => meterCall(system, input, guard)) ?? {
    uses: [],
    isNew: () => false,
  };
  const over = uses.find(({ share }) => share >= 1);
  if (over !== undefined) {
    const isRefused = guard.config.guard.unattended === "deny";
    const raise = `amplihack config set budget.${over.name} …`;
    return {
      decision: {
        kind: isRefused ? "deny" : "ask",
        reason: `${describeUse(over)}. ${isRefused ? "Stop here and tell the user; they can raise it" : "To raise it"}: ${raise}`,
      },
      extras: { rules: [`budget.${over.name}`] },
    };
  }
  const close = uses.find(use => use.share >= WARN_SHARE && isNew(use.name));
  return close && { message: { text: `${describeUse(close)}.`, level: "warn" } };
}

/** The guard's own question comes first: the person is asked in any case. */
function withBudget(effect: Effect | undefined, budget: Effect | undefined): Effect | undefined {
  const isAsked = budget?.decision !== undefined && effect?.decision !== undefined;
  return budget === undefined || isAsked ? effect : { ...effect, ...budget };
}

/** Rule ids go into the records; the code is told where a host turns a question into a refusal. */
function toEffect(
  { problems }: GuardedCall,
  { verdict, reason, texts, findings, code, failure }: Judgement,
  kept: string | undefined,
  answered: Answered | undefined,
): Effect | undefined {
  if (failure !== undefined) problems.push({ code: "guard-failure", severity: "error", detail: failure });
  const told = withDiagnostics({ problems });
  if (verdict === "allow" || reason === undefined) {
    const message = kept === undefined ? {} : { message: { text: kept, level: "info" as const } };
    if (answered !== undefined) return { ...answerEffect(answered), ...message, ...told };
    return problems.length === 0 && kept === undefined ? undefined : { ...message, ...told };
  }
  const rules = [...new Set(findings.map(finding => finding.rule))];
  const extras = { rules, ...(code === undefined ? {} : { allowOnce: code }) };
  const decision = { kind: verdict, reason, ...(texts === undefined ? {} : { texts }) };
  return { decision, extras, ...told };
}

function withDiagnostics({ problems }: Pick<GuardedCall, "problems">): Pick<Effect, "diagnostics"> {
  return problems.length === 0 ? {} : { diagnostics: [...problems] };
}

function toDiagnostic(notice: ConfigNotice): Diagnostic {
  return { code: `config-${notice.code}`, severity: "warning", detail: notice.message };
}
