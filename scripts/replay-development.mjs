// npm run dogfood [-- --all | --no-run | --format json]: replays this project's own commands. First the guard judges every
// command that development has used, as it would in a checkout; then some are really run between the hooks in a clone that
// is thrown away, undone, and the clone compared with what it was. Needs dist/; uses no network and no home but its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadSource } from "./load-source.mjs";
import { collectCommands, readVersions } from "./replay-commands.mjs";
import { openClone, runAndUndo } from "./replay-undo.mjs";

const VERDICTS = ["allow", "keep", "ask", "deny"];
const SHOWN_LENGTH = 160;
const FILES = "read, edit, rm of files";

/** Judges calls of an agent in a directory: of its shell, or of the tool that they name. */
export function judgeCommands(commands, { addCall, emptySummary, system }, cwd) {
  return commands.map(each => {
    const summary = emptySummary();
    const tool = each.tool ?? { tool_name: "Bash", tool_input: { command: each.command } };
    const payload = { session_id: "development", cwd, ...tool };
    const recorded = { event: "PreToolUse", line: 1, payload };
    addCall(system, summary, { file: each.file, host: "claude-code" }, recorded);
    if (summary.judged !== 1) throw new Error(`not judged: ${each.command}`);
    const { verdict = "allow", rules = [], lost = "" } = summary.stopped[0] ?? {};
    return { ...each, verdict, rules, lost };
  });
}

/** Reading, changing and removing each file of the repository: none of them is a file that protects somebody. */
function callsOn(files, cwd) {
  return files.flatMap(file => {
    const file_path = join(cwd, file);
    const common = { source: FILES, file, versions: 1 };
    const edit = { file_path, old_string: "a", new_string: "b" };
    return [
      { ...common, command: `Read ${file}`, tool: { tool_name: "Read", tool_input: { file_path } } },
      { ...common, command: `Edit ${file}`, tool: { tool_name: "Edit", tool_input: edit } },
      { ...common, command: `rm '${file}'` },
    ];
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
  const rows = [...new Set(judged.map(({ source }) => source))].map(source =>
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
  const whole = runs.filter(({ left }) => left?.length === 0).length;
  const built = runs.filter(({ isRestored, left }) => isRestored && left.length > 0).length;
  return `${lines.join("")}${runs.length} in a clone, each undone: after ${whole} every byte, mode, branch, stash and the index were as before, after ${built} all but what a build makes again\n`;
}

function git(root, ...words) {
  return spawnSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 1024 ** 3 }).stdout;
}

async function main(words) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const modules = await loadSource({
    "verify/scan.ts": ["readSnippets"],
    "verify/guard-summary.ts": ["addCall", "emptySummary"],
    "system/node.ts": ["createNodeSystem"],
    "system/processes.ts": ["quoteWord"],
    "programs/model/program-index.ts": ["makeProgramIndex"],
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
    const files = git(root, "ls-files", "-z").split("\0").filter(Boolean);
    const calls = [...commands, ...callsOn(files, clone.project)];
    const judged = judgeCommands(calls, tools, clone.project);
    const runs = words.includes("--no-run") ? [] : runAndUndo(clone);
    if (words.includes("json"))
      console.log(JSON.stringify({ versions: versions.length, omitted, judged, runs }, null, 2));
    else {
      const commits = git(root, "rev-list", "--count", "HEAD").trim();
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
