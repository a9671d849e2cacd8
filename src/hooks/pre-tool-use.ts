import { type ConfigNotice, loadConfig } from "../config/load.ts";
import type { Config } from "../config/settings.ts";
import { type GuardContext, survey } from "../guard/context.ts";
import { ALLOWED, type Judgement } from "../guard/judgement.ts";
import { isPlainlyHarmless } from "../guard/prefilter.ts";
import { clipText } from "../guard/reason.ts";
import { redact } from "../guard/redact.ts";
import type { Diagnostic, Effect, Hook, InputOf } from "../protocol/index.ts";
import { findHome, findStateHome } from "../state/homes.ts";
import { findProjectRoot, findSessionDirectory } from "../state/project-root.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { auditFile, isAudited, writeAudit } from "./audit.ts";
import { consumeGrants, readGrants, readMachineKey, rememberRefusal } from "./grants.ts";

/** Judges every tool call before it runs. Silence means that the guard has nothing against it. */
export const preToolUse: Hook<System> = {
  id: "pre-tool-use",
  event: "PreToolUse",
  async run(input, system) {
    if (input.kind !== "tool") return undefined;
    return judge(input, system);
  },
};

async function judge(input: InputOf<"tool">, system: System): Promise<Effect | undefined> {
  const diagnostics: Diagnostic[] = [];
  const attempt = <T>(what: string, action: () => T): T | undefined => {
    try {
      return action();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      diagnostics.push({ code: "guard-state", severity: "warning", detail: `${what}: ${reason}` });
      return undefined;
    }
  };
  const project = findProjectRoot(system, input.cwd);
  const home = findHome(system) ?? "/root";
  const stateHome = findStateHome(system, project) ?? join(home, ".amplihack");
  const { config, notices } = loadConfig(system, { home, stateHome, projectRoot: project });
  diagnostics.push(...notices.map(toDiagnostic));

  const context = contextOf(input, system, config, home, stateHome, () =>
    attempt("no allow-once code can be offered", () => readMachineKey(system, stateHome)),
  );
  const judgement = await judgeWithGrants(input, system, context, stateHome, attempt);
  if (isAudited(judgement, config.guard)) {
    const path = auditFile(config.guard, stateHome, home);
    attempt("the audit line was not written", () =>
      writeAudit(system, path, { input, judgement, settings: config.guard, project }),
    );
  }
  if (judgement.failure !== undefined) {
    diagnostics.push({ code: "guard-failure", severity: "error", detail: judgement.failure });
  }
  if (judgement.code !== undefined && judgement.verdict !== "allow") {
    attempt("the code was not remembered", () =>
      rememberRefusal(system, stateHome, refusalOf(input, system, judgement, context)),
    );
  }
  return toEffect(judgement, diagnostics);
}

function contextOf(
  input: InputOf<"tool">,
  system: System,
  config: Config,
  home: string,
  stateHome: string,
  machineKey: () => string | undefined,
): GuardContext {
  return {
    cwd: findSessionDirectory(system, input.cwd) ?? "/",
    home,
    system,
    settings: config.guard,
    processDirectory: system.files.workingDirectory(),
    previousCwd: system.env.get("OLDPWD"),
    tmpdir: system.env.get("TMPDIR"),
    user: system.env.get("USER"),
    stateHome,
    machineKey,
    nowMs: system.clock.nowMs(),
  };
}

/** A grant is used up under a lock; when another process was faster, it never existed. */
async function judgeWithGrants(
  input: InputOf<"tool">,
  system: System,
  context: GuardContext,
  stateHome: string,
  attempt: <T>(what: string, action: () => T) => T | undefined,
): Promise<Judgement> {
  const { command } = input.facts;
  const isShell = input.tool.canonicalName === "Bash";
  if (isShell && command !== null && !isPowerShell(input) && isPlainlyHarmless(command, survey(context)))
    return ALLOWED;
  // The analysis is loaded only here: most commands never come this far.
  const { judgeTool } = await import("../guard/index.ts");
  const first = judgeTool(input, context);
  if (first.verdict === "allow" || first.code === undefined) return first;
  const grants = readGrants(system, stateHome);
  if (!grants.some(grant => grant.code === first.code)) return first;
  const granted = judgeTool(input, { ...context, grants });
  if (granted.usedGrants.length === 0) return first;
  return attempt("the grant was not used", () => consumeGrants(system, stateHome, granted.usedGrants)) ===
    true
    ? granted
    : first;
}

function isPowerShell(input: InputOf<"tool">): boolean {
  return /^(powershell|pwsh)$/i.test(input.tool.name);
}

function refusalOf(input: InputOf<"tool">, system: System, judgement: Judgement, context: GuardContext) {
  const { command, paths } = input.facts;
  const shown = command ?? `${input.tool.canonicalName} ${paths.join(" ")}`;
  return {
    code: judgement.code ?? "",
    command: clipText(redact(shown), 300),
    cwd: context.cwd,
    rules: judgement.findings.map(finding => finding.rule),
    refusedMs: system.clock.nowMs(),
  };
}

function toEffect(judgement: Judgement, diagnostics: readonly Diagnostic[]): Effect | undefined {
  const { verdict, reason } = judgement;
  const told = diagnostics.length === 0 ? {} : { diagnostics };
  if (verdict === "allow" || reason === undefined) return diagnostics.length === 0 ? undefined : told;
  return { decision: { kind: verdict, reason }, ...told };
}

function toDiagnostic(notice: ConfigNotice): Diagnostic {
  return { code: `config-${notice.code}`, severity: "warning", detail: notice.message };
}
