import { stripVTControlCharacters } from "node:util";
import type { LiveDriver, TrialEnvironment } from "../../hosts/index.ts";
import { describeEnd } from "../../system/index.ts";
import { PROMPT } from "./script.ts";
import type { TemporaryUser } from "./temporary-user.ts";

const LIMITS = { stdoutBytes: 65_536, tailBytes: 16_384, stderrBytes: 65_536, drainBytes: 256 * 1024 * 1024 };
const SHOWN = 300;
/** No server listens there: a host that heeds proxies reaches nothing but this machine. */
const DEAD_PROXY = "http://127.0.0.1:9";

/** Runs a host to its end, or to the end of its time, and tells how that went in one line. */
export async function runHost(
  user: TemporaryUser,
  driver: LiveDriver,
  program: string,
  trial: TrialEnvironment,
  timeoutMs: number,
): Promise<string> {
  const { processes, text } = user.system;
  const result = await processes.start({
    argv: [program, ...driver.args(PROMPT, trial)],
    cwd: user.project,
    env: { ...user.env, ...noNetwork(), ...driver.env(trial) },
    input: new Uint8Array(0),
    timeoutMs,
    limits: LIMITS,
    endsGroup: true,
  }).done;
  const output = stripVTControlCharacters(
    text.decode(result.stderr).text.trim() || text.decode(result.stdout).text.trim(),
  );
  const last = output
    .split("\n")
    .filter(line => line.trim() !== "")
    .slice(-3)
    .join(" | ");
  return `the host ${describeEnd(result.end)}${last === "" ? "" : `: ${last.slice(-SHOWN)}`}`;
}

function noNetwork(): Readonly<Record<string, string>> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
  return {
    ...Object.fromEntries(names.map(name => [name, DEAD_PROXY])),
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
  };
}
