import { type ConfigNotice, isHistoryOn } from "../../config/index.ts";
import {
  ALLOWED,
  type Footprint,
  footprintOfHarmless,
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
import { inDirectory } from "../../workspace/index.ts";
import { auditFile, isAudited, writeAudit } from "../program/audit.ts";
import { consumeGrants, judgeWithGrants, type RefusedCommand, rememberRefusal } from "../program/grants.ts";
import { type ConfiguredGuard, openGuard } from "../program/guard-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { rememberHost } from "../program/process-tree.ts";
import type { KeptCall } from "./history.ts";

/** Judges every tool call before it runs. Silence means that the guard has nothing against it. */
export function preToolUse(): Hook<System> {
  return {
    id: "amplihack.pre-tool-use",
    event: "PreToolUse",
    isJudge: true,
    async run(input, system) {
      return input.kind === "tool" ? judge(input, system) : undefined;
    },
  };
}

export const definition: HookDefinition = { hook: preToolUse, isGuard: true };

/** State that cannot be kept is told and changes no verdict. */
type Attempt = <T>(what: string, action: () => T) => T | undefined;

async function judge(input: InputOf<"tool">, system: System): Promise<Effect | undefined> {
  const diagnostics: Diagnostic[] = [];
  const tell = (what: string, error: unknown) => {
    const reason = errorText(error);
    diagnostics.push({ code: "guard-state", severity: "warning", detail: `${what}: ${reason}` });
  };
  const attempt: Attempt = (what, action) => {
    try {
      return action();
    } catch (error) {
      tell(what, error);
      return undefined;
    }
  };
  const guard = openGuard(system, input.cwd, error => tell("no allow-once code can be offered", error));
  diagnostics.push(...guard.notices.map(toDiagnostic));
  const settings = guard.config.guard;

  const { judgement, kept, call } = await judgeCall(input, system, guard, attempt, tell);
  if (isAudited(judgement, settings)) {
    const path = auditFile(settings, guard.stateHome, guard.home);
    attempt("the audit line was not written", () =>
      writeAudit(system, path, { input: call, judgement, settings, project: guard.project }),
    );
  }
  if (judgement.failure !== undefined) {
    diagnostics.push({ code: "guard-failure", severity: "error", detail: judgement.failure });
  }
  const { code } = judgement;
  if (code !== undefined && judgement.verdict !== "allow") {
    attempt("the code was not remembered", () =>
      rememberRefusal(system, guard.stateHome, refusalOf(call, judgement, code, guard)),
    );
    attempt("the host was not remembered", () => rememberHost(system, guard.stateHome));
  }
  return toEffect(judgement, diagnostics, kept?.message);
}

interface JudgedCall {
  readonly judgement: Judgement;
  readonly kept?: KeptCall | undefined;
  /** with what it is about, for people */
  readonly call: InputOf<"tool">;
}

async function judgeCall(
  input: InputOf<"tool">,
  system: System,
  guard: ConfiguredGuard,
  attempt: Attempt,
  tell: (what: string, error: unknown) => void,
): Promise<JudgedCall> {
  const { stateHome } = guard;
  const given = inDirectory(guard.context, input.facts.directory);
  const keep = (judgement: Judgement, footprint: Footprint) =>
    keepBefore(input, system, guard, judgement, footprint, tell);
  const plain = harmlessShell(input, given);
  if (plain !== undefined && !(await startsOwn(plain, input, system, guard, attempt)))
    return { judgement: ALLOWED, kept: await keep(ALLOWED, plain), call: input };
  // The analysis is large, and most commands never come this far.
  const { factsOfCall, judgeTool } = await loadGuard();
  const { judged, context } = await judgeWithWrites(input, system, guard, given, attempt);
  const isGuarding = guard.config.parts.includes("guard");
  const first = isGuarding ? judged : { ...ALLOWED, footprint: judged.footprint };
  const kept = isDenied(first) ? undefined : await keep(first, first.footprint());
  const settle = (judgement: Judgement) => (isGuarding ? kept?.settle(judgement) : undefined) ?? judgement;
  const judgement = judgeWithGrants(
    system,
    stateHome,
    grants => settle(grants === undefined ? first : judgeTool(input, { ...context, grants })),
    used => attempt("the grant was not used", () => consumeGrants(system, stateHome, used)),
  );
  const notes = kept?.notes ?? [];
  const call = { ...input, facts: factsOfCall(input.tool.canonicalName, input.tool.input, input.facts) };
  return { judgement: notes.length === 0 ? judgement : withNotes(judgement, notes), kept, call };
}

/** A build or a test that runs what the session wrote is none of the plainly harmless ones. */
async function startsOwn(
  plain: Footprint,
  input: InputOf<"tool">,
  system: System,
  guard: ConfiguredGuard,
  attempt: Attempt,
): Promise<boolean> {
  if (isEmptyFootprint(plain) || !isHistoryOn(guard.config)) return false;
  const { readWrites } = await import("./history.ts");
  return startsOwnFile(attempt(NOT_KNOWN, () => readWrites(input, system, guard)));
}

const NOT_KNOWN = "what the session wrote is not known";

/** What the session wrote is read only for a call that it matters to: the call is judged anew then. */
async function judgeWithWrites(
  input: InputOf<"tool">,
  system: System,
  guard: ConfiguredGuard,
  given: GuardContext,
  attempt: Attempt,
): Promise<{ readonly judged: Judgement; readonly context: GuardContext }> {
  const { judgeTool } = await loadGuard();
  if (!isHistoryOn(guard.config)) return { judged: judgeTool(input, given), context: given };
  let isWanted = false;
  const written = (): undefined => {
    isWanted = true;
    return undefined;
  };
  const judged = judgeTool(input, { ...given, written });
  if (!isWanted) return { judged, context: given };
  const { readWrites } = await import("./history.ts");
  const found = attempt(NOT_KNOWN, () => readWrites(input, system, guard));
  const context = { ...given, written: () => found };
  return { judged: judgeTool(input, context), context };
}

function withNotes(judgement: Judgement, notes: readonly string[]): Judgement {
  return { ...judgement, notes: [...judgement.notes, ...notes] };
}

/** Nothing of the history is loaded for a call that changes nothing. Its failure leaves the findings as they are. */
async function keepBefore(
  input: InputOf<"tool">,
  system: System,
  guard: ConfiguredGuard,
  judgement: Judgement,
  footprint: Footprint,
  tell: (what: string, error: unknown) => void,
): Promise<KeptCall | undefined> {
  if (isEmptyFootprint(footprint)) return undefined;
  try {
    if (!isHistoryOn(guard.config) && judgement.findings.length === 0) return undefined;
    const { keepCall } = await import("./history.ts");
    const kept = await keepCall(input, system, guard, judgement, footprint);
    if (kept.problem !== undefined) tell("the history is not complete", kept.problem);
    return kept;
  } catch (error) {
    tell("the history kept nothing of this call", error);
    return undefined;
  }
}

function harmlessShell(
  { tool, facts }: InputOf<"tool">,
  context: ConfiguredGuard["context"],
): Footprint | undefined {
  if (tool.canonicalName !== "Bash" || facts.command === null || /^(powershell|pwsh)$/i.test(tool.name))
    return undefined;
  return footprintOfHarmless(facts.command, context);
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
    refusedMs: context.nowMs ?? 0,
  };
}

/** Rule ids go into the records; the code is told where a host turns a question into a refusal. */
function toEffect(
  { verdict, reason, texts, findings, code }: Judgement,
  diagnostics: readonly Diagnostic[],
  kept: string | undefined,
): Effect | undefined {
  const told = diagnostics.length === 0 ? {} : { diagnostics };
  if (verdict === "allow" || reason === undefined) {
    const message = kept === undefined ? {} : { message: { text: kept, level: "info" as const } };
    return diagnostics.length === 0 && kept === undefined ? undefined : { ...message, ...told };
  }
  const rules = [...new Set(findings.map(finding => finding.rule))];
  const extras = { rules, ...(code === undefined ? {} : { allowOnce: code }) };
  const decision = { kind: verdict, reason, ...(texts === undefined ? {} : { texts }) };
  return { decision, extras, ...told };
}

function toDiagnostic(notice: ConfigNotice): Diagnostic {
  return { code: `config-${notice.code}`, severity: "warning", detail: notice.message };
}
