import type { HostDriver } from "../../src/verify/live/live.ts";
import type { DrivenHost } from "./file-tools.ts";

type Arguments = readonly string[];

/** How the arguments of a first prompt become those of another one in the newest session of the project. */
const CONTINUE: Readonly<Record<DrivenHost, (args: Arguments) => Arguments>> = {
  "claude-code": args => ["--continue", ...args],
  codex: ([exec = "exec", ...args]) => [exec, "resume", "--last", ...args],
  "copilot-cli": args => ["--continue", ...args],
  "gemini-cli": args => ["--resume", "latest", ...args],
  opencode: ([run = "run", ...args]) => [run, "--continue", ...args],
  pi: args => ["--continue", ...args],
};

/** The same host, going on where its last session ended. */
export function continuing(driver: HostDriver, host: DrivenHost): HostDriver {
  return { ...driver, args: (prompt, trial) => CONTINUE[host](driver.args(prompt, trial)) };
}
