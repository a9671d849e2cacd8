import type { ConfigNotice } from "../config/load.ts";
import { ALLOWED, type Judgement } from "../guard/judgement.ts";
import { isHarmlessIn } from "../guard/prefilter.ts";
import { clipText } from "../guard/reason.ts";
import { redactOpening } from "../guard/redact.ts";
import { errorText } from "../protocol/error-text.ts";
import type { Diagnostic, Effect, Hook, InputOf } from "../protocol/index.ts";
import type { System } from "../system/system.ts";
import { auditFile, isAudited, writeAudit } from "./audit.ts";
import { consumeGrants, judgeWithGrants, type RefusedCommand, rememberRefusal } from "./grants.ts";
import { type ConfiguredGuard, openGuard } from "./guard-context.ts";
import type { HookDefinition } from "./hook-program.ts";

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

  const judgement = await judgeCall(input, system, guard, attempt);
  if (isAudited(judgement, settings)) {
    const path = auditFile(settings, guard.stateHome, guard.home);
    attempt("the audit line was not written", () =>
      writeAudit(system, path, { input, judgement, settings, project: guard.project }),
    );
  }
  if (judgement.failure !== undefined) {
    diagnostics.push({ code: "guard-failure", severity: "error", detail: judgement.failure });
  }
  const { code } = judgement;
  if (code !== undefined && judgement.verdict !== "allow") {
    attempt("the code was not remembered", () =>
      rememberRefusal(system, guard.stateHome, refusalOf(input, judgement, code, guard)),
    );
  }
  return toEffect(judgement, diagnostics);
}

async function judgeCall(
  input: InputOf<"tool">,
  system: System,
  { context, stateHome }: ConfiguredGuard,
  attempt: Attempt,
): Promise<Judgement> {
  if (isHarmlessShell(input, context)) return ALLOWED;
  // The analysis is large, and most commands never come this far.
  const { judgeTool } = await import("../guard/index.ts");
  return judgeWithGrants(
    system,
    stateHome,
    grants => judgeTool(input, grants === undefined ? context : { ...context, grants }),
    used => attempt("the grant was not used", () => consumeGrants(system, stateHome, used)),
  );
}

function isHarmlessShell({ tool, facts }: InputOf<"tool">, context: ConfiguredGuard["context"]): boolean {
  if (tool.canonicalName !== "Bash" || facts.command === null || /^(powershell|pwsh)$/i.test(tool.name))
    return false;
  return isHarmlessIn(facts.command, context);
}

function refusalOf(
  { tool, facts }: InputOf<"tool">,
  judgement: Judgement,
  code: string,
  { context }: ConfiguredGuard,
): RefusedCommand {
  const shown = facts.command ?? `${tool.canonicalName} ${facts.paths.join(" ")}`;
  return {
    code,
    command: clipText(redactOpening(shown), 300),
    cwd: context.cwd,
    rules: judgement.findings.map(finding => finding.rule),
    refusedMs: context.nowMs ?? 0,
  };
}

/** Rule ids go into the records; the code is told where a host turns a question into a refusal. */
function toEffect(
  { verdict, reason, findings, code }: Judgement,
  diagnostics: readonly Diagnostic[],
): Effect | undefined {
  const told = diagnostics.length === 0 ? {} : { diagnostics };
  if (verdict === "allow" || reason === undefined) return diagnostics.length === 0 ? undefined : told;
  const rules = [...new Set(findings.map(finding => finding.rule))];
  const extras = { rules, ...(code === undefined ? {} : { allowOnce: code }) };
  return { decision: { kind: verdict, reason }, extras, ...told };
}

function toDiagnostic(notice: ConfigNotice): Diagnostic {
  return { code: `config-${notice.code}`, severity: "warning", detail: notice.message };
}
