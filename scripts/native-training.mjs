// Calls from which the build of the native program learns what memory most runs touch: ordinary commands.
import { readFileSync } from "node:fs";

const CORPORA = ["ordinary", "ordinary-more", "ordinary-third"];
const EVERY = 8;

/** File names, which begin with the subcommand, and what is in the files, as hosts would send it from `cwd`. */
export function trainingPayloads(cwd) {
  const commands = CORPORA.flatMap(readCorpus).filter((_, number) => number % EVERY === 0);
  const session = {
    session_id: "7d1f0a52-6c3b-4e7f-9a55-0b6f2f1c9e11",
    transcript_path: `${cwd}/transcript.jsonl`,
    cwd,
  };
  return commands.map((command, number) => {
    const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
    const isShort = number % 4 === 0;
    const more = isShort ? {} : { permission_mode: "default", tool_use_id: `toolu_${number}` };
    return [
      `pre-tool-use.${String(number).padStart(4, "0")}`,
      JSON.stringify({ ...session, ...more, ...call }),
    ];
  });
}

function readCorpus(name) {
  return readFileSync(`tests/guard/corpus/${name}.txt`, "utf8")
    .split("\n")
    .filter(line => line.trim() !== "" && !line.startsWith("#"))
    .map(line => line.replaceAll("⏎", "\n"));
}
