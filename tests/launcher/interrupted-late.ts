import { setTimeout as wait } from "node:timers/promises";
import { runChild } from "../../src/launcher/run-plan.ts";

/** An agent in the foreground; the signal of its terminal reaches the launcher only after the agent's end. */
async function launch(): Promise<void> {
  const { exitCode } = await runChild({
    program: "/bin/sh",
    args: ["-c", "exit 5"],
    cwd: process.cwd(),
    env: {},
    isInteractive: true,
    stty: "/bin/stty",
    warn: text => process.stderr.write(text),
  });
  await wait(1);
  process.kill(process.pid, process.argv[2] as NodeJS.Signals);
  await wait(50);
  process.exitCode = exitCode;
}

void launch();
