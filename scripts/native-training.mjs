// Calls from which the build of the native program learns what most runs do: ordinary commands.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const CORPORA = ["ordinary", "ordinary-more", "ordinary-third"];
const EVERY = 8;

/**
 * Makes a home with a project for `work`, and payloads as hosts would send them from there. Not in the folder for
 * temporary files, of which the hooks think otherwise than of a project.
 */
export function inTrainingPlace(work) {
  mkdirSync("native/target", { recursive: true });
  const home = mkdtempSync(resolve("native/target/training-"));
  try {
    const project = join(home, "project");
    for (const name of [".claude", ".git"]) mkdirSync(join(project, name), { recursive: true });
    writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/topic\n");
    return work({ home, project, payloads: makePayloads(project) });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Names, which begin with the subcommand, and texts. */
function makePayloads(cwd) {
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
