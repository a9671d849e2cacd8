import type { HostId, TrialEnvironment } from "../../hosts/index.ts";
import { type InstallRequest, install, type Package, PLAIN_INSTALL } from "../../install/index.ts";
import type { System } from "../../system/index.ts";
import type { HostDriver } from "./driver.ts";
import { runHost } from "./run-host.ts";
import type { Delegation, ScriptStep } from "./script.ts";
import { type ScriptedModel, startModel } from "./scripted-model.ts";
import { createTemporaryUser, type TemporaryUser, type UserPlace } from "./temporary-user.ts";

/** One run of a real host, over but not yet cleared away. */
export interface Trial {
  readonly user: TemporaryUser;
  readonly model: ScriptedModel;
  /** how the host ended, in one line */
  readonly end: string;
  readonly durationMs: number;
}

export interface TrialRequest {
  readonly driver: HostDriver;
  /** the host's executable */
  readonly program: string;
  readonly steps: readonly ScriptStep[];
  /** for agents that the host starts during the run */
  readonly delegation?: Delegation;
  readonly timeoutMs: number;
  /** further variables of the temporary user, also for the installation */
  readonly env?: Readonly<Record<string, string>>;
  /** where they work; without it in directories of their own, which are removed */
  readonly place?: UserPlace;
  /** registers hooks, or does whatever else has to be there before the host starts */
  readonly prepare: (user: TemporaryUser, trial: TrialEnvironment) => Promise<void>;
}

/** Runs a real host for a temporary user, lets `observe` look at what is left, and clears everything away. */
export async function withTrial<T>(
  system: System,
  request: TrialRequest,
  observe: (trial: Trial) => T,
): Promise<T> {
  const { driver, program, steps, timeoutMs, prepare } = request;
  const startedMs = system.clock.monotonicMs();
  const user = createTemporaryUser(system, request.env, request.place);
  const atEnd = system.processes.onEnd(() => user.remove());
  const model = await startModel(steps, request.delegation);
  try {
    const { home, project } = user;
    const trial = { home, project, url: model.url, model: "scripted", key: "not-a-key" };
    for (const [name, content] of Object.entries(driver.files?.(trial) ?? {})) user.write(name, content);
    await prepare(user, trial);
    const end = await runHost(user, driver, program, trial, timeoutMs);
    return observe({ user, model, end, durationMs: system.clock.monotonicMs() - startedMs });
  } finally {
    await model.close();
    atEnd.dispose();
    user.remove();
  }
}

/** Registers our hooks for the temporary user by the installer that every user has. */
export async function registerHooks(
  user: TemporaryUser,
  source: Package,
  host: HostId,
  more: Partial<InstallRequest> = {},
): Promise<void> {
  const report = await install(
    user.system,
    // What is thrown away in a minute need not be copied to a lasting place.
    { ...source, isEphemeral: false },
    { ...PLAIN_INSTALL, hosts: [host], isTrustAgreed: true, ...more },
  );
  const failed = report.hosts.find(({ status }) => status !== "registered" && status !== "unchanged");
  if (failed !== undefined)
    throw new Error(`the hooks could not be registered: ${failed.reason ?? failed.status}`);
}
