import { openSync } from "node:fs";
import { ReadStream } from "node:tty";
import { afterPending } from "../../system/node.ts";
import type { LaunchConsole } from "../launch-request.ts";

const ANSWER_MS = 5_000;

/** Tells of a newer version in one line; asks, where a person can answer, whether to take it now. */
export async function offerUpdate(current: string, latest: string, console: LaunchConsole): Promise<boolean> {
  if (console.ask === undefined) {
    console.note(`amplihack ${latest} is available, this is ${current}; run: amplihack update`);
    return false;
  }
  console.note(`amplihack ${latest} is available, this is ${current}. Update now? [y/N]`);
  return /^\s*y(?:es)?\s*$/i.test(await readAnswer(ANSWER_MS));
}

/** A line typed within the time, else nothing. The terminal is opened anew, so that the agent's input stays whole. */
function readAnswer(limitMs: number): Promise<string> {
  return new Promise(resolve => {
    let input: ReadStream;
    try {
      input = new ReadStream(openSync("/dev/tty", "r"));
    } catch {
      resolve("");
      return;
    }
    const settle = (answer: string): void => {
      clearTimeout(timer);
      input.destroy();
      resolve(answer);
    };
    // What was typed in time counts also where this process is late to read it.
    const timer = setTimeout(afterPending, limitMs, () => settle(""));
    input.once("data", data => settle(String(data)));
    input.once("error", () => settle(""));
  });
}
