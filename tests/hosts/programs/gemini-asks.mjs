// Starts Gemini CLI on a screen of its own, which alone asks: every question is told on stdout and declined with Escape,
// which ends its turn. `node gemini-asks.mjs GEMINI OPTION…`
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

const quote = word => `'${word.replaceAll("'", `'\\''`)}'`;
const command = `stty cols 120 rows 40; exec ${process.argv.slice(2).map(quote).join(" ")}`;
const screen = spawn("script", ["-qefc", command, "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] });
let shown = "";
let isAsked = false;
for await (const chunk of screen.stdout) {
  shown += stripVTControlCharacters(String(chunk));
  if (!isAsked && /Allow once/.test(shown)) {
    isAsked = true;
    console.log(`ASKED ${/Allow execution of[^?]*\?/.exec(shown)?.[0] ?? ""}`);
    shown = "";
    screen.stdin.write("\u001b");
  } else if (isAsked ? /cancelled/i.test(shown) : /✦ done/.test(shown)) {
    console.log(isAsked ? "DECLINED" : "DONE");
    break;
  }
}
screen.kill();
