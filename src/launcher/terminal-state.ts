import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";

/** Plain text, visible cursor, no mouse reports, no marks around pasted text. */
const RESET = "\u001b[0m\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l";

/** Puts the terminal back as it was at this moment: an agent that was killed cannot do it itself. */
export function rememberTerminal(): () => void {
  const saved = stty(["-g"]).trim();
  return () => {
    if (saved === "") return;
    stty([saved]);
    try {
      if (process.stdout.isTTY) writeSync(1, RESET);
    } catch {
      // The terminal is gone, and with it what was to be put right.
    }
  };
}

function stty(words: readonly string[]): string {
  const { status, stdout } = spawnSync("stty", words, {
    stdio: ["inherit", "pipe", "ignore"],
    encoding: "utf8",
    timeout: 10_000,
  });
  return status === 0 ? stdout : "";
}
