import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callBridge } from "../../../src/hooks/program/bridge/call.ts";
import {
  type HookContext,
  type HookOptions,
  openHookContext,
} from "../../../src/hooks/program/hook-context.ts";
import { userPromptSubmit } from "../../../src/hooks/stock/user-prompt-submit.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import type { System } from "../../../src/system/system.ts";
import { withEnoughTime } from "../../enough-time.ts";
import { inputOf } from "../run-hook.ts";

// Real children of a real process: what a bridge may do wrong, it does here.

let folder: string;
let stderr: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bridge-")));
  mkdirSync(join(folder, ".claude"));
  stderr = "";
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function collect(text: string): void {
  stderr += text;
}

function realSystem(variables: Record<string, string> = {}): System {
  const system = createNodeSystem();
  const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: folder, ...variables };
  return {
    ...system,
    env: { get: name => env[name], names: () => Object.keys(env) },
    stdio: { ...system.stdio, writeError: collect },
    files: Object.assign(Object.create(system.files), { workingDirectory: () => folder }),
  };
}

function contextWith(options: HookOptions, variables?: Record<string, string>): HookContext {
  const input = inputOf("UserPromptSubmit", { session_id: "s1", cwd: folder });
  return openHookContext(input, realSystem(variables), "user_prompt_submit", options);
}

const shell = (script: string): HookOptions => ({ bridgeCommand: ["/bin/sh", "-c", script] });
const QUESTION = { session_id: "s1", prompt: "p" };
const ask = (script: string, options: HookOptions = {}) =>
  callBridge(contextWith({ ...shell(script), ...options }), "inject_memory", QUESTION);
const REPLY = '{"version":1,"injected_context":"hello","memory_keys_used":["k"]}';
const GOOD = { kind: "reply", reply: { injected_context: "hello", memory_keys_used: ["k"] } };

describe("a reply is read", () => {
  it("with and without a newline at its end", async () => {
    expect(await ask(`printf '%s\\n\\n' '${REPLY}'`)).toEqual(GOOD);
    expect(await ask(`printf '%s' '${REPLY}'`)).toEqual(GOOD);
  });

  it("when it comes in many pieces", async () => {
    const pieces = [...REPLY].map(character => `printf '%s' '${character}'`);
    expect(await ask(pieces.join("; "))).toEqual(GOOD);
  });

  it("when the child never reads its input", async () => {
    expect(await ask(`exec 0<&-; printf '%s' '${REPLY}'`)).toEqual(GOOD);
    const large = { session_id: "s1", prompt: "x".repeat(500_000) };
    const context = contextWith(shell(`exec 0<&-; printf '%s' '${REPLY}'`));
    expect(await callBridge(context, "inject_memory", large)).toEqual(GOOD);
  });

  it("with every character there is", async () => {
    const text = "héllo 😀 \u2028 ünï";
    const reply = JSON.stringify({ injected_context: text, memory_keys_used: [] });
    writeFileSync(join(folder, "reply.json"), reply);
    expect(await ask("cat reply.json")).toMatchObject({ reply: { injected_context: text } });
  });

  it("of another version, with a warning", async () => {
    expect(await ask(`printf '%s' '${REPLY.replace('"version":1', '"version":9')}'`)).toEqual(GOOD);
    expect(stderr).toMatch(/another version/);
  });

  it("whatever stands on stderr, which goes to the log and nowhere else", async () => {
    expect(await ask(`echo "noise" >&2; printf '%s' '${REPLY}'`)).toEqual(GOOD);
    expect(stderr).toBe("");
    expect(readFileSync(join(folder, ".claude/runtime/logs/user_prompt_submit.log"), "utf8")).toContain(
      "noise",
    );
  });
});

describe("a request", () => {
  it("is one JSON object on stdin, which then ends", async () => {
    expect(await ask(`cat > request.json; printf '%s' '${REPLY}'`)).toEqual(GOOD);
    expect(JSON.parse(readFileSync(join(folder, "request.json"), "utf8"))).toEqual({
      version: 1,
      action: "inject_memory",
      ...QUESTION,
    });
  });

  it("runs in the project, told that it is nested, and without the mark of the host", async () => {
    const context = contextWith(shell(`pwd > where; env > variables; printf '%s' '${REPLY}'`), {
      CLAUDECODE: "1",
      AMPLIHACK_SESSION_DEPTH: "2",
      KEPT: "yes",
    });
    await callBridge(context, "inject_memory", QUESTION);
    expect(readFileSync(join(folder, "where"), "utf8").trim()).toBe(folder);
    const variables = readFileSync(join(folder, "variables"), "utf8").split("\n");
    expect(variables).toEqual(
      expect.arrayContaining([
        "AMPLIHACK_SESSION_DEPTH=3",
        "AMPLIHACK_NONINTERACTIVE=1",
        "AMPLIHACK_SKIP_REFLECTION=1",
        "AMPLIHACK_SKIP_POWER_STEERING=1",
        "KEPT=yes",
      ]),
    );
    expect(variables.some(line => line.startsWith("CLAUDECODE="))).toBe(false);
  });

  it("may be answered by a command for tests, as words or as a list", async () => {
    writeFileSync(join(folder, "answer.sh"), `printf '%s' '${REPLY}'\n`);
    for (const command of [
      `/bin/sh ${folder}/answer.sh`,
      JSON.stringify(["/bin/sh", `${folder}/answer.sh`]),
    ]) {
      const context = contextWith(shell("exit 9"), {
        AMPLIHACK_TESTING: "1",
        AMPLIHACK_TEST_BRIDGE_COMMAND: command,
      });
      expect(await callBridge(context, "inject_memory", QUESTION)).toEqual(GOOD);
    }
  });
});

describe("a child that does not keep to the contract", () => {
  it.each([
    ["prints text before its reply", `echo hi; printf '%s' '${REPLY}'`, /not one JSON object/],
    ["prints text after its reply", `printf '%s hi' '${REPLY}'`, /not one JSON object/],
    ["prints two replies", `printf '%s%s' '${REPLY}' '${REPLY}'`, /not one JSON object/],
    ["prints nothing", "true", /printed nothing/],
    ["prints half a reply", `printf '{"injected_context":'`, /not one JSON object/],
    ["prints a list", "echo '[]'", /must be a JSON object/],
    [
      "prints wrong types",
      `echo '{"injected_context":1,"memory_keys_used":[]}'`,
      /injected_context must be a string/,
    ],
    ["prints too much", "head -c 1100000 /dev/zero | tr '\\0' 'x'", /longer than|too much/],
    ["fails after its reply", `printf '%s' '${REPLY}'; exit 3`, /exit code 3/],
    ["is killed", "kill -9 $$", /SIGKILL/],
  ])("and %s is an error", async (_, script, problem) => {
    expect(await ask(script)).toEqual({ kind: "failed", problem: expect.stringMatching(problem) });
  });

  it("or cannot be started is an error", async () => {
    const context = contextWith({ bridgeCommand: [`${folder}/missing`] });
    expect(await callBridge(context, "inject_memory", QUESTION)).toEqual({
      kind: "failed",
      problem: expect.stringMatching(/could not be started \(ENOENT\)/),
    });
    const empty = contextWith({ bridgeCommand: [] });
    expect(await callBridge(empty, "inject_memory", QUESTION)).toMatchObject({ kind: "failed" });
  });

  it("or takes too long is ended, with everything it started, even when it ignores the first signal", async () => {
    const script = "trap '' TERM; sleep 600 & echo $! > child; echo $$ > leader; while :; do sleep 600; done";
    const result = await withEnoughTime(
      // A second of the budget is kept for what comes after the child's end.
      seconds => ask(script, { budgetMs: 1_000 + seconds * 1_000 }),
      () => existsSync(join(folder, "leader")) && readFileSync(join(folder, "leader"), "utf8").endsWith("\n"),
    );
    expect(result).toEqual({ kind: "timeout", problem: expect.stringMatching(/no answer/) });
    // A process that was killed is gone once the system has seen to it.
    for (const name of ["leader", "child"]) {
      const pid = readFileSync(join(folder, name), "utf8").trim();
      await expect.poll(() => isAlive(pid), { timeout: 200_000 }).toBe(false);
    }
  });

  it("is not even started when no time is left", async () => {
    const result = await ask("touch started", { budgetMs: 900 });
    expect(result).toMatchObject({ kind: "timeout" });
    expect(existsSync(join(folder, "started"))).toBe(false);
  });
});

/** A process that has ended but was not collected yet counts as dead. */
function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
  } catch {
    return false;
  }
  const status = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return !/\) [ZX] /.test(status);
}

describe("a hook whose bridge is missing", () => {
  it("still answers, and nothing is left behind but its own state", async () => {
    const hook = userPromptSubmit({ bridgeCommand: [`${folder}/missing`] });
    writeFileSync(join(folder, "CLAUDE.md"), "");
    const effect = await hook.run(
      inputOf("UserPromptSubmit", { prompt: "/fix it", cwd: folder }),
      realSystem(),
    );
    expect(effect?.context).toMatch(/unavailable/);
    expect(readdirSync(folder).sort()).toEqual([".amplihack", ".claude", "CLAUDE.md"]);
  });
});
