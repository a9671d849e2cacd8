// Runs from which the build of the native program learns what memory most runs touch: ordinary commands, and one
// call of each other hook.
import { readFileSync } from "node:fs";

const CORPORA = ["ordinary", "ordinary-more", "ordinary-third"];
const EVERY = 8;

/** File names, which begin with the subcommand, and what is in the files. */
export function trainingPayloads() {
  const commands = CORPORA.flatMap(readCorpus).filter((_, number) => number % EVERY === 0);
  return commands.map((command, number) => [
    `pre-tool-use.${String(number).padStart(4, "0")}`,
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "training",
      tool_name: "Bash",
      tool_input: { command },
    }),
  ]);
}

function readCorpus(name) {
  return readFileSync(`tests/guard/corpus/${name}.txt`, "utf8")
    .split("\n")
    .filter(line => line.trim() !== "" && !line.startsWith("#"))
    .map(line => line.replaceAll("⏎", "\n"));
}
