import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../../src/cli/main.ts";
import { runProgram } from "../../hooks/executable.ts";
import { systemIn } from "../../install/sandbox.ts";
import { answerOnNode, SLOW_CLOCK } from "../../native/answer-on-node.ts";
import { carryOut } from "./carry-out.ts";
import type { Scene } from "./projects.ts";
import { runShell } from "./run-shell.ts";
import { bash, type HookCall, hookCalls, type Members, type ToolCall } from "./tool-calls.ts";

/** Runs one hook to its end; the answer itself is not looked at, the record of the run is. */
export type HookRunner = (call: HookCall, scene: Scene, cwd: string) => Promise<void>;

/** Inside this process, through the entry that the hook program uses. */
export const onNode: HookRunner = async ({ words, payload, env }, scene, cwd) => {
  const input = Buffer.from(JSON.stringify(payload));
  await answerOnNode(words, { cwd, env: { ...scene.env, ...env }, input });
};

/** As a process of its own: what a host starts. */
export function asProgram(program: readonly string[]): HookRunner {
  return async ({ words, payload, env }, scene, cwd) => {
    const input = JSON.stringify(payload);
    await runProgram(program, words, { home: scene.home, cwd, input, env: { ...scene.env, ...env } });
  };
}

/** What a hook wrote down about its run. */
interface RunRecord {
  readonly hook: string;
  readonly result: string;
  readonly error?: string;
  readonly decision: string;
  readonly rules: readonly string[];
}

export interface CallResult {
  /** `none` when it passed */
  readonly decision: string;
  readonly rules: readonly string[];
  readonly code: number | null;
  readonly output: string;
}

export interface CallOptions {
  /** where the host's session stands; the project when absent */
  readonly cwd?: string;
  /** the host has no such event, or was killed */
  readonly hasPost?: boolean;
}

/** One session of an agent in a scene. */
export class Session {
  readonly scene: Scene;
  readonly id: string;
  private readonly runHook: HookRunner;
  private uses = 0;

  constructor(scene: Scene, runHook: HookRunner = onNode, id = "session-1") {
    this.scene = scene;
    this.runHook = runHook;
    this.id = id;
  }

  /** Before the call; what the guard said. */
  async begin(call: ToolCall, { cwd = this.scene.project }: CallOptions = {}): Promise<OpenCall> {
    this.uses += 1;
    const place = {
      project: this.scene.project,
      cwd,
      session: this.id,
      useId: `${this.id}-use-${this.uses}`,
    };
    const { pre, post } = hookCalls(call, place);
    const { decision, rules } = await this.run(pre, cwd);
    return { call, decision, rules, cwd, end: async () => void (await this.run(post, cwd)) };
  }

  /** The two hooks with the call between them; it is not made when the guard objects. */
  async make(call: ToolCall, options: CallOptions = {}): Promise<CallResult> {
    const open = await this.begin(call, options);
    const { decision, rules } = open;
    if (decision !== "none" && decision !== "allow") return { decision, rules, code: null, output: "" };
    const ran = await perform(open, this.scene);
    if (options.hasPost !== false) await open.end();
    return { decision: "none", rules, ...ran };
  }

  async shell(command: string, options?: CallOptions): Promise<CallResult> {
    return this.make(bash(command), options);
  }

  async start(): Promise<void> {
    await this.event("session-start", "SessionStart", { source: "startup" });
  }

  async prompt(): Promise<void> {
    await this.event("user-prompt-submit", "UserPromptSubmit", { prompt: "carry on" });
  }

  async stop(): Promise<void> {
    await this.event("stop", "Stop", { stop_hook_active: false });
  }

  async end(): Promise<void> {
    await this.event("session-stop", "SessionEnd", { reason: "exit" });
  }

  private async event(subcommand: string, name: string, members: Members): Promise<void> {
    const cwd = this.scene.project;
    const payload = { session_id: this.id, cwd, hook_event_name: name, ...members };
    await this.run({ words: [subcommand, "--host", "claude-code"], payload, env: {} }, cwd);
  }

  /** A hook that failed says so in its record, whatever it answered. */
  private async run(call: HookCall, cwd: string): Promise<RunRecord> {
    await this.runHook(call, this.scene, cwd);
    const lines = readFileSync(join(this.scene.home, ".amplihack/logs/runs.jsonl"), "utf8").trimEnd();
    const records = lines.split("\n").map(line => JSON.parse(line) as RunRecord);
    const record = records.findLast(({ hook }) => hook === call.words[0]?.replaceAll("-", "_"));
    if (record?.result !== "ok") throw new Error(`${call.words[0]}: ${record?.error ?? "left no record"}`);
    return record;
  }
}

export interface OpenCall {
  readonly call: ToolCall;
  readonly decision: string;
  readonly rules: readonly string[];
  readonly cwd: string;
  end(): Promise<void>;
}

/** Really runs the call. */
export async function perform(
  { call, cwd }: Pick<OpenCall, "call" | "cwd">,
  scene: Scene,
): Promise<{ readonly code: number | null; readonly output: string }> {
  if (/bash|shell/.test(call.as)) {
    const { command } = call.input as Members;
    const ran = await runShell(String(command), { cwd, env: scene.env });
    return { code: ran.code, output: `${ran.stdout.toString()}${ran.stderr}` };
  }
  carryOut(call, scene.project);
  return { code: 0, output: "" };
}

const COMMANDS = fileURLToPath(new URL("../../../src/commands/", import.meta.url));

/** Types a command of `amplihack` as a person in the project does, without a terminal. */
export async function type(
  { home, project, env }: Scene,
  words: readonly string[],
  cwd = project,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: "", stderr: "" };
  const code = await main({
    system: {
      ...systemIn(cwd, { ...env, HOME: home }),
      clock: SLOW_CLOCK,
      stdio: {
        readInput: () => ({ kind: "closed" }),
        writeOutput(text) {
          said.stdout += text;
          return "written";
        },
        writeError(text) {
          said.stderr += text;
        },
        isTerminal: () => false,
      },
    },
    argv: words,
    commandsFolder: COMMANDS,
  });
  return { code, ...said };
}
