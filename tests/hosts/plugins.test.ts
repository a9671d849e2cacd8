import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import type { TemporaryUser } from "../../src/verify/live/live.ts";
import { DRIVERS, type HostDriver, withTrial } from "../../src/verify/live/live.ts";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import { onPath, PROGRAMS, TIMEOUT_MS } from "./harness.ts";

const STEPS = [
  { kind: "command", command: "git push --force origin main" },
  { kind: "command", command: "touch made" },
  { kind: "text", text: "done" },
] as const;
const SKILL = "What to do when amplihack refuses a command";

let plugins = "";
beforeAll(() => {
  const out = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-plugins-"));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(PACKAGE_ROOT, "scripts/release-plugins.mjs"), out],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the plugins could not be made: ${stderr.slice(-500)}`);
  plugins = join(out, "plugins");
});
afterAll(() => rmSync(join(plugins, ".."), { recursive: true, force: true }));

/** What a user of the host types to have the plugin from a folder. */
const INSTALL: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  "claude-code": () => [
    ["plugin", "marketplace", "add", plugins],
    ["plugin", "install", "amplihack@amplihack"],
  ],
  codex: () => [
    ["plugin", "marketplace", "add", plugins],
    ["plugin", "add", "amplihack@amplihack"],
  ],
  "gemini-cli": () => [["extensions", "install", join(plugins, "gemini-cli"), "--consent"]],
};

/** Runs the host with the plugin and nothing else of ours. */
function playWithPlugin(driver: HostDriver, program: string, more: readonly string[] = []) {
  const request = {
    driver: { ...driver, args: (...given: Parameters<HostDriver["args"]>) => withWords(driver, given, more) },
    program,
    steps: STEPS,
    timeoutMs: TIMEOUT_MS,
    env: onPath(program),
    async prepare(user: TemporaryUser) {
      for (const words of INSTALL[driver.host]?.() ?? []) installBy(user, program, words);
    },
  };
  return withTrial(createNodeSystem(), request, ({ user, model, end }) => {
    const log = join(user.home, ".amplihack/logs/runs.jsonl");
    return {
      end,
      isMade: existsSync(join(user.project, "made")),
      results: model.requests.flatMap(({ results }) => results).join("\n"),
      told: model.requests.map(({ text }) => text).join("\n"),
      runs: existsSync(log) ? readFileSync(log, "utf8") : "",
    };
  });
}

/** Options of the host stand before its last word, the prompt. */
function withWords(driver: HostDriver, given: Parameters<HostDriver["args"]>, more: readonly string[]) {
  const words = driver.args(...given);
  return [...words.slice(0, -1), ...more, ...words.slice(-1)];
}

function installBy({ env, project }: TemporaryUser, program: string, words: readonly string[]): void {
  // Gemini asks whether the folder is trusted, and has no option that says so.
  const options = { cwd: project, env, encoding: "utf8", input: "y\n", timeout: TIMEOUT_MS } as const;
  const { status, stdout, stderr } = spawnSync(program, words, options);
  if (status !== 0) throw new Error(`${words.join(" ")}: ${stdout.slice(-600)}${stderr.slice(-600)}`);
}

describe.each(DRIVERS.filter(({ host }) => host in INSTALL && PROGRAMS[host] !== undefined))(
  "the plugin for $host, installed from a folder",
  driver => {
    const program = PROGRAMS[driver.host] ?? "";

    it("refuses a dangerous command with its reason, lets ordinary work pass and brings the skill", async () => {
      // Codex runs hooks that its user has looked at in /hooks; this is the flag for runs without a user.
      const more = driver.host === "codex" ? ["--dangerously-bypass-hook-trust"] : [];
      const seen = await playWithPlugin(driver, program, more);
      expect(seen.results, seen.end).toContain("Blocked [git.push]");
      expect(seen.isMade, seen.end).toBe(true);
      expect(seen.told, seen.end).toContain(SKILL);
      expect(seen.runs).toContain('"pre_tool_use"');
    });
  },
);

const codex = DRIVERS.find(({ host }) => host === "codex");
describe.skipIf(codex === undefined || PROGRAMS["codex"] === undefined)("the plugin for codex", () => {
  it("is skipped before its user has trusted it, as every hook there", async () => {
    if (codex === undefined) return;
    const seen = await playWithPlugin(codex, PROGRAMS["codex"] ?? "");
    expect(seen.results, seen.end).not.toContain("Blocked [git.push]");
    expect(seen.runs).toBe("");
  });
});
