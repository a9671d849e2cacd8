/** A process that starts a child or registers last words, and then ends in the way it was told. */
import { stat, writeFileSync } from "node:fs";
import { createNodeSystem } from "../../../src/system/node.ts";

const system = createNodeSystem();
const [action = "", argument = ""] = process.argv.slice(2);

function start(argv: readonly [string, ...string[]], beforeBegin?: (pid: number) => void) {
  return system.processes.start({
    argv,
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    input: new Uint8Array(0),
    timeoutMs: 300_000,
    limits: { stdoutBytes: 10, tailBytes: 0, stderrBytes: 10, drainBytes: 10 },
    ...(beforeBegin === undefined ? {} : { beforeBegin }),
  });
}

const startSleeper = () => start(["sleep", "300"]).pid;

const say = (text: string) => system.stdio.writeOutput(`${text}\n`);
const forever = () => setInterval(() => {}, 60_000);

function disposeWithSignal(): void {
  const registration = system.processes.onEnd(() => {});
  process.kill(process.pid, "SIGTERM");
  system.clock.sleepMs(5);
  registration.dispose();
}

const actions: Record<string, () => void> = {
  "child-exit"() {
    say(String(startSleeper()));
    process.exit(0);
  },
  "child-throw"() {
    say(String(startSleeper()));
    throw new Error("on purpose");
  },
  "child-wait"() {
    say(String(startSleeper()));
  },
  "killed-before-begin"() {
    start(["/bin/bash", "-c", 'touch "$0"', argument], pid => {
      say(String(pid));
      process.kill(process.pid, "SIGKILL");
    });
  },
  "words-exit"() {
    system.processes.onEnd(() => {
      throw new Error("the first fails");
    });
    system.processes.onEnd(() => writeFileSync(argument, "said"));
  },
  "words-wait"() {
    system.processes.onEnd(() => writeFileSync(argument, "said"));
    say("ready");
    forever();
  },
  "words-other-listener"() {
    system.processes.onEnd(() => say("last words"));
    process.on("SIGTERM", () => {
      say("stays");
      setImmediate(() => process.exit(7));
    });
    say("ready");
    forever();
  },
  "signal-while-busy"() {
    disposeWithSignal();
    forever();
  },
  /** Signals are read before the callbacks of this turn, and next in the turn after. */
  "signal-while-busy-in-callback"() {
    stat("/", disposeWithSignal);
    forever();
  },
};
actions[action]?.();
