import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FailurePolicy } from "../../src/protocol/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { HostDriver, TemporaryUser } from "../../src/verify/live/live.ts";
import { registerHooks, withTrial } from "../../src/verify/live/live.ts";
import type { ModelRequest } from "../../src/verify/live/scripted-model.ts";
import { bundleProgram } from "../bundle-program.ts";
import { PACKAGE } from "../install/sandbox.ts";
import type { Scenario } from "./scenario.ts";

export const TIMEOUT_MS = 120_000;
const COMMAND = "touch made";

/** Programs of the hosts that are installed, by host. */
export const PROGRAMS = JSON.parse(process.env["AMPLIHACK_TEST_PROGRAMS"] ?? "{}") as Readonly<
  Record<string, string>
>;

export interface Seen {
  /** hooks that were started, in order */
  readonly fired: readonly string[];
  /** whether a file is in the project afterwards */
  readonly has: (name: string) => boolean;
  readonly requests: readonly ModelRequest[];
  /** all that the model was told in tool results */
  readonly results: string;
  /** all that the model was told */
  readonly told: string;
  readonly end: string;
}

/** The installer asks some hosts for their version, so it has to find them. */
export function onPath(program: string): Readonly<Record<string, string>> {
  return { PATH: `${dirname(program)}:${process.env["PATH"] ?? ""}` };
}

/** What the model was told about each of its calls, in order: every request holds the results so far. */
export function allResults(requests: readonly ModelRequest[]): readonly string[] {
  return requests.reduce<readonly string[]>(
    (longest, { results }) => (results.length > longest.length ? results : longest),
    [],
  );
}

export const hook = bundleProgram(new URL("./programs/trial-hook.ts", import.meta.url));

/** Registers hooks as an installation does, with another program in the place of ours. */
export async function registerProgram(
  user: TemporaryUser,
  driver: HostDriver,
  words: readonly string[],
  failure: FailurePolicy,
): Promise<void> {
  const program = join(user.home, "hook");
  writeFileSync(program, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o755 });
  const get = (name: string) =>
    name === "AMPLIHACK_AMPLIHACK_HOOKS_BIN" ? program : user.system.env.get(name);
  const system = { ...user.system, env: { ...user.system.env, get } };
  await registerHooks({ ...user, system }, PACKAGE, driver.host, { failure });
}

/** Runs the host with hooks that follow the scenario; the model asks for one command. */
export function play(
  driver: HostDriver,
  program: string,
  scenario: Scenario,
  failure: FailurePolicy = "open",
): Promise<Seen> {
  const files = new Map<TemporaryUser, string>();
  const request = {
    driver,
    program,
    steps: [
      { kind: "command", command: COMMAND },
      { kind: "text", text: "done" },
    ],
    timeoutMs: TIMEOUT_MS,
    env: onPath(program),
    async prepare(user: TemporaryUser) {
      const folder = join(user.home, "trial");
      mkdirSync(folder);
      writeFileSync(join(folder, "scenario.json"), "{}");
      writeFileSync(join(folder, "log"), "");
      const words = [process.execPath, hook, join(folder, "scenario.json"), join(folder, "log")];
      await registerProgram(user, driver, words, failure);
      // The installer has tried every hook by now; only from here on does the scenario count.
      writeFileSync(join(folder, "scenario.json"), JSON.stringify(scenario));
      writeFileSync(join(folder, "log"), "");
      files.set(user, join(folder, "log"));
    },
  } as const;
  return withTrial(createNodeSystem(), request, ({ user, model, end }) => {
    const present = new Set(["made", "rewritten"].filter(name => existsSync(join(user.project, name))));
    return {
      fired: readFileSync(files.get(user) ?? "", "utf8")
        .trim()
        .split("\n")
        .filter(Boolean),
      has: name => present.has(name),
      requests: [...model.requests],
      results: model.requests.flatMap(each => each.results).join("\n"),
      told: model.requests.map(each => each.text).join("\n"),
      end,
    };
  });
}

/** Runs the host with our own hook program after a part of it went missing, under the policy `closed`. */
export function playBroken(
  driver: HostDriver,
  program: string,
): Promise<Pick<Seen, "has" | "results" | "end">> {
  const request = {
    driver,
    program,
    steps: [
      { kind: "command", command: COMMAND },
      { kind: "text", text: "done" },
    ],
    timeoutMs: TIMEOUT_MS,
    // The part that goes missing is the one that a wrapper for Node names.
    env: { ...onPath(program), AMPLIHACK_HOOK_ENGINE: "node" },
    async prepare(user: TemporaryUser) {
      await registerHooks(user, PACKAGE, driver.host, { failure: "closed" });
      const staged = join(user.home, ".amplihack/.claude/bin/amplihack-hooks");
      // Only the hook before a tool is broken: a broken one at the prompt would end the run before that.
      const isWhole = '[ "$1" != pre-tool-use ] && ';
      const broken = readFileSync(staged, "utf8").replace(/^\[ -x/m, start => isWhole + start);
      writeFileSync(staged, broken, { mode: 0o755 });
    },
  } as const;
  return withTrial(createNodeSystem(), request, ({ user, model, end }) => {
    const isMade = existsSync(join(user.project, "made"));
    return {
      has: name => name === "made" && isMade,
      results: model.requests.flatMap(each => each.results).join("\n"),
      end,
    };
  });
}
