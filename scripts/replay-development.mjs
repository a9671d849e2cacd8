// npm run dogfood [-- --all | --no-run | --format json]: replays this project's own commands. First the guard judges every
// command that development has used, as it would in a checkout; then some are really run between the hooks in a clone that
// is thrown away, undone, and the clone compared with what it was. Needs dist/; uses no network and no home but its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadSource } from "./load-source.mjs";
import { collectCommands, readVersions, SOURCES } from "./replay-commands.mjs";
import { openClone, runAndUndo } from "./replay-undo.mjs";

const VERDICTS = ["allow", "keep", "ask", "deny"];
const SHOWN_LENGTH = 160;

/** Judges commands as calls of an agent's shell in a directory. */
export function judgeCommands(commands, { addCall, emptySummary, system }, cwd) {
  return commands.map(each => {
    const summary = emptySummary();
    const tool = { tool_name: "Bash", tool_input: { command: each.command } };
    const payload = { session_id: "development", cwd, ...tool };
    const recorded = { event: "PreToolUse", line: 1, payload };
    addCall(system, summary, { file: each.file, host: "claude-code" }, recorded);
    if (summary.judged !== 1) throw new Error(`not judged: ${each.command}`);
    const { verdict = "allow", rules = [], lost = "" } = summary.stopped[0] ?? {};
    return { ...each, verdict, rules, lost };
  });
}

/** What tells commands from sentences, and reads the files that hold commands. */
export function collectingTools({ readSnippets, quoteWord, makeProgramIndex }) {
  const { everyday, others } = makeProgramIndex();
  const names = new Set([...everyday, ...others].join(" ").trim().split(/\s+/));
  return { readSnippets, quoteWord, isProgram: name => names.has(name) };
}

/** The figures as text. */
export function renderJudged(judged, omitted, isAll) {
  const count = (list, verdict) => list.filter(each => each.verdict === verdict).length;
  const row = (name, list) =>
    `${name.padEnd(24)}${[list.length, ...VERDICTS.map(one => count(list, one))].map(number => String(number).padStart(8)).join("")}`;
  const header = `${"".padEnd(24)}${["all", "allowed", "kept", "asked", "denied"].map(word => word.padStart(8)).join("")}`;
  const rows = SOURCES.map(source =>
    row(
      source,
      judged.filter(each => each.source === source),
    ),
  );
  const byRule = new Map();
  for (const { rules } of judged) for (const rule of rules) byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
  const rules = [...byRule]
    .sort(([, one], [, other]) => other - one)
    .map(([rule, number]) => `${rule} ${number}`);
  const listed = judged.filter(({ verdict }) => isAll || verdict === "ask" || verdict === "deny");
  const lines = listed.map(
    ({ verdict, rules: found, command, file, versions, lost }) =>
      `${verdict.padEnd(5)} ${found.join(", ")}  (${file}, ${versions} version${versions === 1 ? "" : "s"})\n      ${oneLine(command)}\n${lost === "" ? "" : `      ${lost}\n`}`,
  );
  return `${[header, ...rows, row("together", judged)].join("\n")}
left out: ${omitted.variable} with a value known only when they run, ${omitted.unreadable} files that cannot be read
by rule: ${rules.join(", ") || "none"}

${lines.join("")}`;
}

function oneLine(command) {
  return command
    .replace(/^set -- (?:"\$ARGUMENT_\d" ?)+; /, "")
    .replaceAll("\n", "⏎")
    .slice(0, SHOWN_LENGTH);
}

function renderRuns(runs) {
  const width = Math.max(...runs.map(({ command }) => oneLine(command).length)) + 2;
  const lines = runs.map(
    ({ command, said, outcome }) => `${oneLine(command).padEnd(width)}${said.padEnd(9)}${outcome}\n`,
  );
  const undone = runs.filter(({ isRestored }) => isRestored).length;
  return `${lines.join("")}${runs.length} run in a clone and undone; of ${undone} nothing is left: every byte, mode, branch, stash and the index are as before\n`;
}

async function main(words) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const modules = await loadSource({
    "verify/scan/scan.ts": ["readSnippets"],
    "verify/guard-summary.ts": ["addCall", "emptySummary"],
    "system/node.ts": ["createNodeSystem"],
    "system/command-line.ts": ["quoteWord"],
    "programs/program-index.ts": ["makeProgramIndex"],
  });
  // Not below a temporary directory: there the guard lets more pass.
  const parent = join(homedir(), ".cache");
  mkdirSync(parent, { recursive: true });
  const home = mkdtempSync(join(parent, "amplihack-dogfood-"));
  try {
    const clone = openClone(root, home);
    process.env.HOME = home;
    const versions = readVersions(root);
    const { commands, omitted } = collectCommands(versions, collectingTools(modules));
    const tools = { ...modules, system: modules.createNodeSystem() };
    const judged = judgeCommands(commands, tools, clone.project);
    const runs = words.includes("--no-run") ? [] : runAndUndo(clone);
    if (words.includes("json"))
      console.log(JSON.stringify({ versions: versions.length, omitted, judged, runs }, null, 2));
    else {
      const commits = spawnSync("git", ["rev-list", "--count", "HEAD"], {
        cwd: root,
        encoding: "utf8",
      }).stdout.trim();
      console.log(`${commits} commits, ${versions.length} versions of files\n`);
      console.log(renderJudged(judged, omitted, words.includes("--all")).replaceAll(home, "~"));
      if (runs.length > 0) console.log(renderRuns(runs));
    }
    return runs.every(({ isRestored }) => isRestored) ? 0 : 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await main(process.argv.slice(2));
