import { describe, expect, it } from "vitest";
import { callProgram } from "./call-program.ts";

// A verdict depends on amounts of work, never on how busy the machine is. The only clock ends shortly before the host's
// own limit, and it asks.

const HOME = "/home/user";
const PROJECT = `${HOME}/p`;
const BEFORE_THE_HOSTS_LIMIT_MS = 8_000;

describe("a git that is asked before a call", () => {
  it.each(["git reset --hard", "git clean -fdx", "git checkout -- ."])(
    "has all the time that the host leaves: %s",
    async command => {
      const { system } = await callProgram(["pre-tool-use"], {
        stdin: JSON.stringify({
          hook_event_name: "PreToolUse",
          session_id: "s",
          tool_name: "Bash",
          tool_input: { command },
          cwd: PROJECT,
        }),
        env: { HOME, PATH: "/usr/bin" },
        cwd: PROJECT,
        files: {
          [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/x\n",
          [`${PROJECT}/.git/index`]: "DIRC",
          [`${PROJECT}/src/a.ts`]: "a\n",
          "/usr/bin/git": { content: "", mode: 0o755 },
        },
      });
      const asked = system.processes.requests.filter(({ argv }) => argv[0]?.endsWith("git"));
      expect(asked.length).toBeGreaterThan(0);
      for (const { timeoutMs } of asked) expect(timeoutMs).toBeGreaterThanOrEqual(BEFORE_THE_HOSTS_LIMIT_MS);
    },
  );
});
