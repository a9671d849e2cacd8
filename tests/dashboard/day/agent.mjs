// An agent without a model: it sends what a host sends to the real hook program, and does what the program lets pass.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CLOCK = fileURLToPath(new URL("./clock.cjs", import.meta.url));
const EVENTS = {
  "gemini-cli": {
    "pre-tool-use": "BeforeTool",
    "post-tool-use": "AfterTool",
    stop: "AfterAgent",
    "user-prompt-submit": "BeforeAgent",
  },
};
const CLAUDE_EVENTS = {
  "session-start": "SessionStart",
  "user-prompt-submit": "UserPromptSubmit",
  "pre-tool-use": "PreToolUse",
  "post-tool-use": "PostToolUse",
  stop: "Stop",
};

/** Starts `program` of the built package in that home, as if it were `atMs`. */
export function run(home, program, words, { cwd = home, atMs = Date.now(), input = "" } = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SHIFT_MS: String(Math.round(atMs - Date.now())),
    NO_COLOR: "1",
  };
  const file = join(ROOT, "dist", "bin", `${program}.cjs`);
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--require", CLOCK, file, ...words], {
    cwd,
    env,
    input,
    encoding: "utf8",
  });
  return { stdout, stderr, status };
}

/** One session of one host. Times are minutes since midnight of the day. */
export class Agent {
  constructor({ home, host, session, project, dayMs }) {
    Object.assign(this, { home, host, session, project, dayMs, calls: 0, answers: 0 });
    this.atMs = dayMs;
    this.transcript = join(home, ".claude", "projects", session, `${session}.jsonl`);
    mkdirSync(dirname(this.transcript), { recursive: true });
    writeFileSync(this.transcript, "");
  }

  /** The rest of the session happens from then on. */
  at(minutes) {
    this.atMs = this.dayMs + minutes * 60_000;
    return this;
  }

  start() {
    this.hook("session-start", { source: "startup" });
    this.atMs += 2_000;
    return this;
  }

  prompt(text) {
    this.record("user", text);
    this.hook("user-prompt-submit", { prompt: text });
    this.atMs += 4_000;
    return this;
  }

  shell(command, seconds = 0.4) {
    return this.use(this.host === "gemini-cli" ? "run_shell_command" : "Bash", { command }, seconds, () =>
      spawnSync("bash", ["-c", command], {
        cwd: this.project,
        env: { ...process.env, HOME: this.home },
        encoding: "utf8",
      }),
    );
  }

  write(name, content) {
    const path = join(this.project, name);
    return this.use("Write", { file_path: path, content }, 0.05, () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    });
  }

  read(name) {
    return this.use("Read", { file_path: join(this.project, name) }, 0.02, () => {});
  }

  stop() {
    this.atMs += 3_000;
    return this.hook("stop", { stop_hook_active: false }).stdout;
  }

  use(tool, input, seconds, act) {
    const id = `toolu_${this.session.slice(0, 6)}_${String(++this.calls).padStart(3, "0")}`;
    const call = { tool_name: tool, tool_input: input, tool_use_id: id };
    this.record("assistant", [{ type: "tool_use", id, name: tool, input }]);
    const { stdout } = this.hook("pre-tool-use", call);
    this.atMs += 300;
    if (/"(deny|ask|block)"/.test(stdout)) return this;
    const done = act();
    this.atMs += seconds * 1_000;
    this.hook("post-tool-use", {
      ...call,
      tool_response: { stdout: done?.stdout ?? "", stderr: "", interrupted: false },
    });
    this.atMs += 2_500;
    return this;
  }

  hook(name, payload) {
    const event = EVENTS[this.host]?.[name] ?? CLAUDE_EVENTS[name];
    const input = JSON.stringify({
      session_id: this.session,
      transcript_path: this.transcript,
      cwd: this.project,
      hook_event_name: event,
      ...payload,
    });
    const words = [name, "--host", this.host];
    return run(this.home, "amplihack-hooks", words, { cwd: this.project, atMs: this.atMs, input });
  }

  say(text) {
    this.record("assistant", [{ type: "text", text }]);
    this.atMs += 1_000;
    return this;
  }

  record(role, content) {
    const timestamp = new Date(this.atMs).toISOString();
    const used = {
      input_tokens: 900,
      output_tokens: 420,
      cache_read_input_tokens: 31_000,
      cache_creation_input_tokens: 2_200,
    };
    const answer =
      role === "assistant"
        ? { id: `msg_${this.session.slice(0, 8)}_${++this.answers}`, model: "claude-opus-4-5", usage: used }
        : {};
    const message = { role, content, ...answer };
    const line = { type: role, timestamp, sessionId: this.session, cwd: this.project, message };
    appendFileSync(this.transcript, `${JSON.stringify(line)}\n`);
  }
}
