import type { GuardSettings } from "../../config/index.ts";
import { isUnderstood, type Judgement } from "../../guard/index.ts";
import type { InputOf, ToolUse } from "../../protocol/index.ts";
import { appendChainedLine, RECORD_LOCK_TIMEOUT_MS, sanitiseSessionId } from "../../state/index.ts";
import { dirname, join, type System, sha256Hex, writeAtomically } from "../../system/index.ts";
import { clipWithin, redactOpening } from "../../text/index.ts";
import { configuredAuditLog } from "../../workspace/index.ts";

export const KEPT_FILES = 5;
const MEBIBYTE = 1024 * 1024;
const COMMAND_LIMIT = 2_000;
const PATH_LIMIT = 1_000;
const NAME_LIMIT = 200;
const MAX_GAPS = 10;
const DIGEST_LENGTH = 16;

export function auditFile(settings: GuardSettings, stateHome: string, home: string): string {
  return configuredAuditLog(settings, home) ?? join(stateHome, "logs", "audit.jsonl");
}

export interface AuditedRun {
  readonly input: Pick<InputOf<"tool">, "host" | "sessionId" | "cwd"> & {
    readonly tool: Pick<ToolUse, "name" | "useId">;
    readonly facts: Pick<InputOf<"tool">["facts"], "command" | "paths">;
  };
  readonly judgement: Judgement;
  readonly settings: GuardSettings;
  readonly project: string;
  /** in the person's place, and by what */
  readonly answered?: "understood" | "sandbox" | undefined;
}

/** One line about a judgement: rules and targets, the command without its secrets, never any output. */
export function writeAudit(
  system: System,
  path: string,
  { input, judgement, settings, project, answered }: AuditedRun,
): void {
  const { verdict, findings, texts, notes, code, usedGrants, failure } = judgement;
  const { command, paths } = input.facts;
  appendChainedLine(
    system,
    path,
    {
      ts: new Date(system.clock.nowMs()).toISOString(),
      host: input.host,
      session: input.sessionId === undefined ? null : sanitiseSessionId(input.sessionId),
      project,
      cwd: input.cwd === undefined ? null : clipWithin(input.cwd, PATH_LIMIT),
      tool: clipWithin(input.tool.name, NAME_LIMIT),
      ...(input.tool.useId === undefined ? {} : { call: clipWithin(input.tool.useId, NAME_LIMIT) }),
      verdict,
      ...(answered === undefined ? {} : { answered }),
      rules: [...new Set(findings.map(finding => finding.rule))],
      targets: findings.map(finding => clipWithin(redactOpening(finding.target), 200)),
      ...(command === null
        ? { paths: paths.slice(0, 20).map(path => clipWithin(path, PATH_LIMIT)) }
        : { command: clipWithin(redactOpening(command), COMMAND_LIMIT) }),
      level: settings.level,
      settings: keepSettings(system, path, settings),
      understood: isUnderstood(judgement),
      ...auditedGaps(judgement),
      ...(texts === undefined ? {} : { person: texts.person }),
      ...(code === undefined ? {} : { code }),
      ...(usedGrants.length === 0 ? {} : { granted: usedGrants.map(grant => grant.code) }),
      ...(notes.length === 0 ? {} : { notes: notes.map(note => clipWithin(redactOpening(note), 300)) }),
      ...(failure === undefined ? {} : { failure: clipWithin(redactOpening(failure), 2_000) }),
    },
    {
      rotation: { limitBytes: settings.audit.maxMb * MEBIBYTE, keep: KEPT_FILES },
      lockTimeoutMs: RECORD_LOCK_TIMEOUT_MS,
    },
  );
}

/** Where the settings lie that lines of a log were judged by. */
export function settingsFile(path: string, digest: string): string {
  return join(dirname(path), "audit-settings", `${digest}.json`);
}

/** Written once for each state of the configuration, so that `guard replay` can compare it with a later one. */
function keepSettings(system: System, path: string, settings: GuardSettings): string {
  const bytes = system.text.encode(JSON.stringify(settings));
  const digest = sha256Hex(bytes).slice(0, DIGEST_LENGTH);
  const file = settingsFile(path, digest);
  if (system.files.inspect(file) === undefined) {
    system.files.makeDirectory(dirname(file), 0o700);
    writeAtomically(system, file, bytes);
  }
  return digest;
}

/** Of a refused call what was found says more. */
function auditedGaps(judgement: Judgement) {
  const gaps = judgement.verdict === "allow" ? judgement.gaps() : [];
  if (gaps.length === 0) return {};
  return {
    gaps: gaps.slice(0, MAX_GAPS).map(({ kind, what, why }) => ({
      kind,
      what: clipWithin(redactOpening(what), NAME_LIMIT),
      why: clipWithin(redactOpening(why), NAME_LIMIT),
    })),
  };
}

/** Allowed commands are written only when asked for, or when something about them is worth knowing. */
export function isAudited(judgement: Judgement, settings: GuardSettings): boolean {
  if (judgement.verdict !== "allow" || settings.audit.allowed) return true;
  return judgement.usedGrants.length > 0 || judgement.notes.length > 0 || judgement.failure !== undefined;
}
