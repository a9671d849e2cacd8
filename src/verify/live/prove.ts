import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HostId } from "../../hosts/index.ts";
import type { DoctorCheck, Package } from "../../install/index.ts";
import { isJsonObject, type JsonObject, readJson } from "../../protocol/index.ts";
import { readText } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import type { HostDriver } from "./driver.ts";
import type { TemporaryUser } from "./temporary-user.ts";
import { registerHooks, type Trial, type TrialRequest, withTrial } from "./trial.ts";

/** What the real host did with our hooks. */
export interface Proof {
  readonly host: HostId;
  readonly version: string | null;
  /**
   * `proved`: all four hold, and nothing is wrong in the user's own settings; `failed`: one of these does not;
   * `not-driven`: the host could not be tried
   */
  readonly status: "proved" | "failed" | "not-driven";
  /** a hook was started before a command */
  readonly fired: boolean;
  /** the command that the guard refuses did not run */
  readonly deny_honoured: boolean;
  /** the command that the guard lets pass did run */
  readonly allow_honoured: boolean;
  /** the reason of the refusal was in the next request to the model */
  readonly reason_reached_model: boolean;
  /** hooks that ran, in order */
  readonly hooks: readonly string[];
  readonly duration_ms: number;
  readonly detail: string | null;
  /** why the host would not run the hooks with the user's own settings; `proved` with warnings, never with a failure */
  readonly own_settings: readonly DoctorCheck[];
}

const REFUSED = "amplihack-canary-refused";
const ALLOWED = "amplihack-canary-allowed";
const CONFIG = ".amplihack/config.jsonc";
const RUNS = ".amplihack/logs/runs.jsonl";
const LOG_BYTES = 16 * 1024 * 1024;

export interface ProveOptions {
  readonly program: string;
  readonly version: string | undefined;
  readonly timeoutMs: number;
  /** what stands behind the hook program; as an installation chooses when absent */
  readonly engine?: "node" | "native";
}

/**
 * Registers our hooks for a temporary user as the installer does, starts the real host, and lets the model ask for a
 * harmless command that a rule of this user refuses and for one that nothing refuses.
 */
export async function prove(
  system: System,
  source: Package,
  driver: HostDriver,
  { program, version, timeoutMs, engine }: ProveOptions,
): Promise<Proof> {
  const reason = `the canary of amplihack doctor is not to be touched (${system.random.hex(12)})`;
  const request = {
    driver,
    program,
    timeoutMs,
    env: engine === undefined ? {} : { AMPLIHACK_HOOK_ENGINE: engine },
    steps: [
      { kind: "command", command: `touch ${REFUSED}` },
      { kind: "command", command: `touch ${ALLOWED}` },
      { kind: "text", text: "done" },
    ],
    prepare(user) {
      user.write(CONFIG, { guard: { custom: [canaryRule(reason)] } });
      return registerHooks(user, source, driver.host);
    },
  } satisfies TrialRequest;
  return withTrial(system, request, trial => {
    const seen = observe(trial, reason);
    const isProved = seen.fired && seen.deny_honoured && seen.allow_honoured && seen.reason_reached_model;
    const isDriven = trial.model.requests.length > 0;
    return {
      host: driver.host,
      version: version ?? null,
      status: isProved ? "proved" : isDriven ? "failed" : "not-driven",
      ...seen,
      duration_ms: Math.round(trial.durationMs),
      detail: isProved ? null : explain(trial),
      own_settings: [],
    };
  });
}

function canaryRule(reason: string) {
  return { id: "amplihack.canary", when: { command: "touch", operand: REFUSED }, verdict: "deny", reason };
}

function observe({ user, model }: Trial, reason: string) {
  const runs = readRuns(user);
  const before = runs.filter(run => run["hook"] === "pre_tool_use");
  const isRefused =
    !existsSync(join(user.project, REFUSED)) && before.some(run => run["decision"] === "deny");
  return {
    fired: before.length > 0,
    deny_honoured: isRefused,
    allow_honoured: existsSync(join(user.project, ALLOWED)),
    reason_reached_model: model.requests.some(request =>
      request.results.some(result => result.includes(reason)),
    ),
    hooks: runs.map(run => String(run["hook"])),
  };
}

function readRuns(user: TemporaryUser): readonly JsonObject[] {
  const text = readText(user.system, join(user.home, RUNS), LOG_BYTES) ?? "";
  return text.split("\n").flatMap(line => {
    const read = readJson(line, { recover: false, maxDepth: 20 });
    return read.ok && isJsonObject(read.value) ? [read.value] : [];
  });
}

function explain({ model, end }: Trial): string {
  if (model.requests.length > 0) return end;
  const asked =
    model.paths.length === 0
      ? "the model was never asked"
      : `asked for ${model.paths.slice(0, 3).join(", ")}`;
  return `${end}; ${asked}`;
}
