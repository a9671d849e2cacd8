import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createNodeSystem } from "../../src/system/node.ts";
import type { UserPlace } from "../../src/verify/live/live.ts";
import { DRIVERS, registerHooks, type TrialRequest, withTrial } from "../../src/verify/live/live.ts";
import type { ScriptStep } from "../../src/verify/live/scripted-model.ts";
import { PACKAGE } from "../install/sandbox.ts";
import { continuing } from "./continue-session.ts";
import { type DrivenHost, FILE_TOOLS, type FileTools } from "./file-tools.ts";
import { allResults, onPath, PROGRAMS, TIMEOUT_MS } from "./harness.ts";

export interface RanScript {
  /** what the model was told about each step, in order: output, or the reason of a refusal */
  readonly results: readonly string[];
  /** all that the model was told */
  readonly told: string;
  /** how the host ended, in one line; the message of an expectation that does not hold */
  readonly end: string;
  /** the environment of the session, for commands that the user types afterwards (`amplihack undo`) */
  readonly env: Readonly<Record<string, string>>;
}

export interface ScriptOptions {
  /** further variables of everything in the session */
  readonly env?: Readonly<Record<string, string>>;
  /** makes what has to be there, after the host's own settings were written anew and the hooks were registered */
  readonly prepare?: () => void;
  /** steps of the project's last session, which this is the next prompt of */
  readonly earlier?: readonly ScriptStep[];
}

/** The hosts that are installed here. */
export const INSTALLED: readonly DrivenHost[] = (Object.keys(FILE_TOOLS) as DrivenHost[]).filter(
  host => PROGRAMS[host] !== undefined,
);

/**
 * Registers our hooks in `place.home` as `amplihack install` does, starts the real host in `place.project` and lets the
 * model ask for the steps one after the other, the next when the result of the one before has come back:
 *
 *     const { results } = await runScript(host, place, tools => [
 *       tools.write(join(place.project, "notes.txt"), "mine\n"),
 *       command("rm notes.txt"),
 *     ]);
 */
export function runScript(
  host: DrivenHost,
  place: UserPlace,
  script: (tools: FileTools) => readonly ScriptStep[],
  options: ScriptOptions = {},
): Promise<RanScript> {
  const { earlier = [] } = options;
  const driver = DRIVERS.find(each => each.host === host);
  const program = PROGRAMS[host];
  if (driver === undefined || program === undefined) throw new Error(`${host} is not installed`);
  // The model chooses its step by the results in the conversation, which holds those of earlier prompts too.
  const steps: readonly ScriptStep[] = [
    ...earlier,
    ...script(FILE_TOOLS[host]),
    { kind: "text", text: "Done." },
  ];
  const request: TrialRequest = {
    driver: options.earlier === undefined ? driver : continuing(driver, host),
    program,
    steps,
    place,
    timeoutMs: TIMEOUT_MS,
    env: { ...onPath(program), ...options.env },
    async prepare(user) {
      await registerHooks(user, PACKAGE, host);
      options.prepare?.();
    },
  };
  return withTrial(createNodeSystem(), request, ({ user, model, end }) => ({
    results: allResults(model.requests).slice(earlier.length),
    told: model.requests.map(({ text }) => text).join("\n"),
    end,
    env: user.env,
  }));
}

/** A home, a project and a temporary directory below a directory that is there. */
export function makePlace(root: string): UserPlace {
  const place = { home: join(root, "home"), project: join(root, "project"), temporary: join(root, "tmp") };
  for (const folder of Object.values(place)) mkdirSync(folder);
  return place;
}
