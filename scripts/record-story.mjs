// Records a short story as a moving picture: docs/recording.svg, or the file that is named. An agent does damage, the
// hooks that a host would call answer, and a person takes it back: all of it by the built programs, in a home that is
// removed afterwards. Needs dist/.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { baseline, CELL, EDGE, escapeXml, FONT, placeOf, readStyles } from "./terminal-text.mjs";

const COLUMNS = 80;
const KEY_MS = 35;
const READ_MS = 1_100;
const END_MS = 6_000;
const PROMPTS = { agent: "\u001b[36magent ❯\u001b[39m ", you: "\u001b[1myou   ❯\u001b[22m " };
const PROMPT_WIDTH = 8;
const REASON_LINES = 2;

const root = fileURLToPath(new URL("..", import.meta.url));
const home = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-story-"));
const project = join(home, "shop");
try {
  writeFileSync(process.argv[2] ?? join(root, "docs/recording.svg"), draw(tellStory()));
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** What is shown, in order: a line that somebody types, or lines that a program prints. */
function tellStory() {
  mkdirSync(join(project, "src"), { recursive: true });
  mkdirSync(join(project, ".claude"));
  writeFileSync(join(project, "src/prices.ts"), "three hours of work, not committed\n");
  run("git", "-c", "init.defaultBranch=prices", "init", "-q");
  return [
    ...agentRuns("git push --force origin main"),
    ...agentRuns("rm -rf ~/*"),
    ...agentRuns("rm -rf src"),
    printed(""),
    ...youRun("cat", "src/prices.ts"),
    ...youSee("amplihack undo", amplihack("undo", "--yes")),
    ...youRun("cat", "src/prices.ts"),
  ];
}

function agentRuns(command) {
  const payload = {
    session_id: "story",
    cwd: project,
    tool_name: "Bash",
    tool_use_id: command,
    tool_input: { command },
  };
  const { permissionDecision: decision, permissionDecisionReason: reason = "" } =
    callHook("pre-tool-use", { ...payload, hook_event_name: "PreToolUse" }).hookSpecificOutput ?? {};
  if (decision === "deny") {
    const lines = wrap(reason.replaceAll(home, "~"), COLUMNS - PROMPT_WIDTH, REASON_LINES);
    const [first, ...others] = lines.map(line => `\u001b[2m${line}\u001b[22m`);
    return [typed("agent", command), printed(`\u001b[31mrefused\u001b[39m ${first}`, ...others.map(indent))];
  }
  run("bash", "-c", command);
  callHook("post-tool-use", { ...payload, hook_event_name: "PostToolUse" });
  const [kept] = JSON.parse(amplihack("history", "--format", "json").stdout);
  const names = kept.files.map(({ path }) => path.slice(project.length + 1)).join(", ");
  return [
    typed("agent", command),
    printed(`\u001b[32mpasses\u001b[39m  \u001b[2mkept first: ${names}\u001b[22m`),
  ];
}

function youRun(...argv) {
  return youSee(argv.join(" "), run(...argv));
}

function amplihack(...words) {
  return run(process.execPath, join(root, "dist/bin/amplihack.cjs"), ...words);
}

function youSee(shown, { stdout, stderr }) {
  const text = `${stdout}${stderr}`.replaceAll(home, "~").trimEnd();
  return [typed("you", shown), printed(...text.split("\n").map(indent))];
}

function callHook(name, payload) {
  const hooks = join(root, "dist/bin/amplihack-hooks.cjs");
  const { stdout } = run(process.execPath, hooks, name, { input: JSON.stringify(payload) });
  return JSON.parse(stdout);
}

function run(program, ...words) {
  const options = typeof words.at(-1) === "object" ? words.pop() : {};
  const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" };
  return spawnSync(program, words, { cwd: project, env, encoding: "utf8", ...options });
}

function typed(who, text) {
  return { isTyped: true, lines: [`${PROMPTS[who]}${text}`], keys: text.length };
}

function printed(...lines) {
  return { isTyped: false, lines, keys: 0 };
}

function indent(line) {
  return `${" ".repeat(PROMPT_WIDTH)}${line}`;
}

function wrap(text, width, maxLines) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`.trimStart();
    else if (lines.length === maxLines) return [...lines.slice(0, -1), `${last}…`];
    else lines.push(word);
  }
  return lines;
}

/** Every line appears at its time and stays until the story begins again; who wants no motion sees all of it at once. */
function draw(story) {
  const texts = [];
  const rules = [];
  let atMs = 500;
  const moments = story.map(({ isTyped, lines, keys }) => {
    const beginMs = atMs;
    atMs += isTyped ? keys * KEY_MS + 350 : READ_MS + lines.length * 150;
    return { beginMs, typedMs: keys * KEY_MS };
  });
  const totalMs = atMs + END_MS;
  const percent = ms => ((100 * ms) / totalMs).toFixed(2);
  for (const [index, { lines, isTyped, keys }] of story.entries()) {
    const { beginMs, typedMs } = moments[index];
    const name = `s${index}`;
    rules.push(
      `@keyframes ${name}{0%,${percent(beginMs)}%{opacity:0}${percent(beginMs + 1)}%,100%{opacity:1}}`,
      `.${name}{animation:${name} ${totalMs}ms step-end infinite}`,
    );
    const drawn = readStyles(lines, COLUMNS).map(
      (runs, at) => `<text y="${baseline(texts.length + at)}">${runs.map(drawRun).join("")}</text>`,
    );
    const cover = isTyped ? drawCover(name, texts.length, keys) : "";
    if (isTyped)
      rules.push(
        `@keyframes ${name}k{0%,${percent(beginMs)}%{transform:translateX(-${(keys * CELL.width).toFixed(1)}px);animation-timing-function:steps(${keys})}${percent(beginMs + typedMs)}%,100%{transform:none}}`,
        `.${name}k{animation:${name}k ${totalMs}ms infinite}`,
      );
    texts.push(`<g class="${name}">${drawn.join("")}${cover}</g>`, ...Array(lines.length - 1).fill(""));
  }
  return picture(texts, rules);
}

/** What is not typed yet is covered. Where nothing moves, the cover lies beside the text. */
function drawCover(name, line, keys) {
  const x = (EDGE + (PROMPT_WIDTH + keys) * CELL.width).toFixed(1);
  const width = (keys * CELL.width + 2).toFixed(1);
  return `<rect class="cover ${name}k" x="${x}" y="${EDGE + line * CELL.height}" width="${width}" height="${CELL.height}"/>`;
}

function drawRun({ text, column, isBold, isDim, color }) {
  const classes = [color, isBold ? "bold" : undefined, isDim ? "dim" : undefined].filter(Boolean).join(" ");
  const marks = `${placeOf(text, column)}${classes === "" ? "" : ` class="${classes}"`}`;
  return `<tspan ${marks}>${escapeXml(text)}</tspan>`;
}

function picture(texts, rules) {
  const width = Math.round(COLUMNS * CELL.width + 2 * EDGE);
  const height = texts.length * CELL.height + 2 * EDGE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="An agent is refused a forced push and the deletion of a home; it deletes a folder, and amplihack undo brings the folder back">
<style>
.paper,.cover{fill:#15171a}text{fill:#e8eaed}.dim{fill:#a3aab3}.bold{font-weight:bold}
.red{fill:#ff8a80}.green{fill:#7fd6a0}.yellow{fill:#ffc46b}.cyan{fill:#6fd3dc}
@media (prefers-color-scheme:light){.paper,.cover{fill:#f6f7f8}text{fill:#1d2125}.dim{fill:#59616b}
.red{fill:#b3261e}.green{fill:#146c3f}.yellow{fill:#7a4d00}.cyan{fill:#0b6670}}
${rules.join("\n")}
@media (prefers-reduced-motion:reduce){svg g[class],svg rect[class]{animation:none}.cover{display:none}}
</style>
<rect class="paper" width="100%" height="100%" rx="10"/>
<g font-family="${FONT}" font-size="13">
${texts.filter(Boolean).join("\n")}
</g>
</svg>
`;
}
