import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Terminal } from "../cli/index.ts";
import { isJsonObject, type Json, listAt, memberAt, readJson, stringAt } from "../protocol/index.ts";
import { programPath, programToStart } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { wrapWords } from "../text/index.ts";

/** How to start the two executables. */
export interface Programs {
  readonly amplihack: readonly string[];
  readonly hooks: readonly string[];
}

interface Viewer {
  /** how wide their terminal is, where they have one */
  readonly columns: number | undefined;
  /** what they type where `amplihack` is not on their PATH */
  readonly commandInstead: string | undefined;
}

interface Stage {
  readonly system: System;
  readonly terminal: Terminal;
  readonly programs: Programs;
  readonly viewer: Viewer;
  readonly home: string;
  readonly project: string;
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly ms: number;
}

/** The rest of a refusal is for the agent. */
const REASON_LINES = 2;
const REASON_INDENT = 11;
const ANSWER_INDENT = 15;
const UNDO_INDENT = 29;
const ANSWERED_INDENT = 12;
const MIN_TEXT = 20;
const MIN_WIDTH = 40;
const MAX_WIDTH = 107;
const TIMEOUT_MS = 20_000;
const OUTPUT_BYTES = 1024 * 1024;

/**
 * Shows the product at work with the real executables, in a home and a project that are removed afterwards.
 * Returns false when something did not behave as it was announced.
 */
export async function giveTour(
  system: System,
  terminal: Terminal,
  programs: Programs,
  viewer: Viewer,
): Promise<boolean> {
  const home = mkdtempSync(join(tmpdir(), "amplihack-demo-"));
  const project = join(home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const stage: Stage = { system, terminal, programs, viewer, home, project };
  try {
    await call(stage, [programToStart(system, "git"), "-c", "init.defaultBranch=prices", "init", "-q"]);
    const results = [
      await showGuard(stage),
      await showHosts(stage),
      await showUndo(stage),
      await showAnswers(stage),
      await showRecipe(stage),
      await showMemory(stage),
    ];
    showNextStep(stage);
    return results.every(isRight => isRight);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const COMMANDS = [
  { text: "npm test 2>&1 | tail -40", verdict: "allow" },
  { text: "rm -rf node_modules dist", verdict: "allow" },
  { text: 'D=~; sudo bash -c "rm -rf $D"', verdict: "deny" },
  { text: "echo cm0gLXJmIC8= | base64 -d | sh", verdict: "deny" },
  { text: "git push --force origin main", verdict: "deny" },
  { text: 'git commit -m "never run rm -rf / again"', verdict: "allow" },
] as const;

async function showGuard(stage: Stage): Promise<boolean> {
  const { terminal } = stage;
  heading(terminal, "1. The guard reads a command as a shell would");
  let isRight = true;
  for (const { text, verdict } of COMMANDS) {
    const answer = parse((await callHook(stage, claudePayload(stage, text))).stdout);
    const nested = memberAt(answer, "hookSpecificOutput");
    const decision = stringAt(nested, "permissionDecision") ?? "allow";
    isRight &&= decision === verdict;
    const mark = decision === "allow" ? terminal.paint("green", "passes ") : terminal.paint("red", "refused");
    printWrapped(stage, `  ${mark}  `, text, REASON_INDENT);
    const reason = stringAt(nested, "permissionDecisionReason");
    if (reason !== undefined) {
      const lines = firstSentences(reason, lineWidth(stage) - REASON_INDENT - 1);
      terminal.print(terminal.paint("dim", indent(lines, REASON_INDENT)));
    }
  }
  return isRight;
}

/** As many whole sentences as fit; a first one that is too long is cut. */
function firstSentences(text: string, width: number): readonly string[] {
  const [first = "", ...more] = text.split(/(?<=[.`]) (?=[A-Z])/);
  let shown = wrapWords(first, width);
  if (shown.length > REASON_LINES)
    return shown.slice(0, REASON_LINES).map((line, at) => (at === REASON_LINES - 1 ? `${line}…` : line));
  let told = first;
  for (const sentence of more) {
    told = `${told} ${sentence}`;
    const lines = wrapWords(told, width);
    if (lines.length > REASON_LINES) break;
    shown = lines;
  }
  return shown;
}

async function showHosts(stage: Stage): Promise<boolean> {
  const { terminal, project } = stage;
  heading(terminal, "2. One guard, every host's own words");
  const command = "rm -rf ~";
  const payloads = {
    "Claude Code": claudePayload(stage, command),
    "Copilot CLI": { sessionId: "s", timestamp: 1, cwd: project, toolName: "bash", toolArgs: { command } },
    "Gemini CLI": {
      hook_event_name: "BeforeTool",
      tool_name: "run_shell_command",
      tool_input: { command },
      cwd: project,
    },
  };
  let isRight = true;
  for (const [host, payload] of Object.entries(payloads)) {
    const { stdout } = await callHook(stage, payload);
    const answer = parse(stdout);
    const words = isJsonObject(answer) ? Object.keys(answer).join(", ") : "nothing";
    isRight &&= stdout.includes("deny");
    printWrapped(stage, `  ${host.padEnd(12)} `, words);
    const beginning = stdout.trim().slice(0, lineWidth(stage) - ANSWER_INDENT - 1);
    terminal.print(terminal.paint("dim", `${" ".repeat(ANSWER_INDENT)}${beginning}…\n`));
  }
  return isRight;
}

/** An agent deletes work that is in no commit; the hooks around the deletion are those that a host would call. */
async function showUndo(stage: Stage): Promise<boolean> {
  const { terminal, project } = stage;
  heading(terminal, "3. What an agent does to your files can be taken back");
  const work = "three hours of work, not committed\n";
  const file = join(project, "src", "prices.ts");
  mkdirSync(dirname(file));
  writeFileSync(file, work);
  const command = "rm -rf src";
  await callHook(stage, claudePayload(stage, command));
  await call(stage, ["bash", "-c", command]);
  await callHook(
    stage,
    { ...claudePayload(stage, command), hook_event_name: "PostToolUse" },
    "post-tool-use",
  );
  const isGone = !existsSync(file);
  const undone = await call(stage, [...stage.programs.amplihack, "undo", "--yes"]);
  const isBack = existsSync(file) && readFileSync(file, "utf8") === work;
  const [done = ""] = undone.stdout.split("\n");
  printWrapped(
    stage,
    `  the agent  ${command.padEnd(15)} `,
    `src/prices.ts is ${isGone ? "gone" : "still there"}`,
  );
  const result = isBack ? done : "it is not back";
  printWrapped(
    stage,
    `  you        ${"amplihack undo".padEnd(15)} `,
    result,
    UNDO_INDENT,
    isBack ? "green" : "red",
  );
  return isGone && isBack && undone.code === 0;
}

const QUESTIONS = [
  { text: "mkdir -p src && sed -n 1,5p notes.txt > src/first.txt", isAnswered: true },
  { text: "git add notes.txt", isAnswered: true },
  { text: "curl -s https://example.com/setup.sh -o setup.sh", isAnswered: false },
] as const;

/** What a host would ask about, with autonomy switched on for this stage alone. */
async function showAnswers(stage: Stage): Promise<boolean> {
  const { terminal, home, project } = stage;
  heading(terminal, "4. If you like, the agent no longer waits for you");
  writeFileSync(join(project, "notes.txt"), "one\n");
  const file = join(home, ".amplihack", "config.jsonc");
  writeFileSync(file, '{ "autonomy": "understood" }\n');
  let isRight = true;
  for (const { text, isAnswered } of QUESTIONS) {
    const payload = { ...claudePayload(stage, text), permission_mode: "default" };
    const answer = memberAt(parse((await callHook(stage, payload)).stdout), "hookSpecificOutput");
    const isYes = stringAt(answer, "permissionDecision") === "allow";
    isRight &&= isYes === isAnswered;
    const mark = isYes ? terminal.paint("green", "answered") : terminal.paint("yellow", "asks you");
    printWrapped(stage, `  ${mark}  `, text, ANSWERED_INDENT);
  }
  rmSync(file);
  const why = "calls that are fully understood and can be undone run without a question: amplihack autonomy";
  printWrapped(stage, "  ", why, 2, "dim");
  return isRight;
}

async function showRecipe(stage: Stage): Promise<boolean> {
  heading(stage.terminal, "5. A recipe: work that you can repeat");
  const ran = await call(stage, [...stage.programs.amplihack, "recipe", "run", "hello", "--format", "json"]);
  const steps = listAt(parse(ran.stdout), "step_results").length;
  const result = `${steps} steps in ${Math.round(ran.ms)} ms, exit ${ran.code}`;
  printWrapped(stage, "  amplihack recipe run hello   ", result);
  return ran.code === 0;
}

async function showMemory(stage: Stage): Promise<boolean> {
  const { terminal } = stage;
  heading(terminal, "6. A memory, stored and found again");
  const value = "The payment tests need PAYMENT_SANDBOX=1.";
  const question = "how do I run the payment tests";
  const memory = [...stage.programs.amplihack, "memory"];
  const stored = await call(stage, [...memory, "store", "--agent", "demo", "tests", value]);
  const found = await call(stage, [...memory, "search", question]);
  const isRight = stored.code === 0 && found.stdout.includes("PAYMENT_SANDBOX=1");
  terminal.print(`  stored  ${value}\n  asked   ${question}\n`);
  terminal.print(`  found   ${isRight ? terminal.paint("green", value) : "nothing"}\n`);
  return isRight;
}

const NEXT_STEPS = {
  "hooks replay --transcript": "what it would have stopped so far",
  install: "register with the agents on this machine",
  doctor: "check that the hooks really fire",
  "--help": "everything else",
};

function showNextStep({ terminal, viewer }: Stage): void {
  heading(terminal, "Next");
  for (const [words, does] of Object.entries(NEXT_STEPS))
    terminal.print(`  amplihack ${words.padEnd(25)}  ${does}\n`);
  if (viewer.commandInstead !== undefined)
    terminal.print(
      terminal.paint("dim", `  amplihack is not on your PATH yet: type ${viewer.commandInstead}\n`),
    );
}

function claudePayload(stage: Stage, command: string) {
  return {
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `use of ${command}`,
    cwd: stage.project,
    session_id: "demo",
  };
}

function callHook(stage: Stage, payload: unknown, hook = "pre-tool-use"): Promise<Ran> {
  return call(stage, [...stage.programs.hooks, hook], JSON.stringify(payload));
}

async function call({ system, home, project }: Stage, argv: readonly string[], input = ""): Promise<Ran> {
  const [program = "", ...args] = argv;
  const result = await system.processes.start({
    argv: [program, ...args],
    cwd: project,
    env: { PATH: programPath(system), HOME: home },
    input: system.text.encode(input),
    timeoutMs: TIMEOUT_MS,
    limits: { stdoutBytes: OUTPUT_BYTES, tailBytes: 0, stderrBytes: OUTPUT_BYTES, drainBytes: OUTPUT_BYTES },
  }).done;
  return {
    code: result.end.kind === "exit" ? result.end.code : -1,
    stdout: system.text.decode(result.stdout).text,
    ms: result.durationMs,
  };
}

/** As wide as the terminal lets it, and easy to read. */
function lineWidth({ viewer }: Stage): number {
  return Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, viewer.columns ?? MAX_WIDTH));
}

/** A text behind what stands before it, broken between words. */
function printWrapped(
  stage: Stage,
  before: string,
  text: string,
  by = before.length,
  colour?: Parameters<Terminal["paint"]>[0],
): void {
  const { terminal } = stage;
  const lines = wrapWords(text, Math.max(MIN_TEXT, lineWidth(stage) - by - 1));
  const painted = colour === undefined ? lines : lines.map(line => terminal.paint(colour, line));
  terminal.print(`${before}${painted.join(`\n${" ".repeat(by)}`)}\n`);
}

function heading(terminal: Terminal, text: string): void {
  terminal.print(`\n${terminal.paint("bold", text)}\n`);
}

function parse(text: string): Json | undefined {
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}

function indent(lines: readonly string[], by: number): string {
  return lines.map(line => `${" ".repeat(by)}${line}\n`).join("");
}
