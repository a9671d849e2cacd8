import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineCommand, FORMAT_OPTION } from "../../cli/command.ts";
import { usageError } from "../../cli/errors.ts";
import type { Terminal } from "../../cli/terminal.ts";
import { resolveSubcommand } from "../../hosts/subcommands.ts";
import type { System } from "../../system/system.ts";
import type { GuardSummary } from "../../verify/guard-summary.ts";
import type { EngineRun } from "../../verify/run-engine.ts";
import { engineOf, eventNamedIn, eventOf, findFile, ownEngine, readInputFile } from "./engines.ts";

interface Replayed {
  readonly name: string;
  readonly event: string;
  readonly exit_code: number | null;
  readonly output: string;
  readonly broken: string | undefined;
}

export const replayCommand = defineCommand({
  name: "replay",
  summary: "run past hook calls again, and tell what the guard would have done",
  details: `
With --input one payload is run. With --transcript FILE every hook call of a recorded session is run in order, and a
summary tells what the guard would have stopped. With a folder of transcripts only that summary is made: nothing is
run, files are read as a stream.`,
  options: {
    input: { kind: "text", label: "FILE", summary: "one payload; - for standard input" },
    transcript: {
      kind: "text",
      label: "FILE|DIR",
      summary: "a session transcript, a capture file, or a folder of them",
    },
    event: { kind: "text", label: "EVENT", summary: "only this event, or the event of the input" },
    candidate: { kind: "text", label: "COMMAND", summary: "instead of amplihack-hooks" },
    timeout: { kind: "number", label: "SECONDS", summary: "for one run (10)", minimum: 0.001 },
    format: FORMAT_OPTION,
  },
  examples: [
    {
      command: "amplihack hooks replay --transcript ~/.claude/projects",
      does: "what would the guard have done in all past sessions",
    },
    { command: "amplihack hooks replay --input payload.json", does: "prints the answer to one payload" },
  ],
  async run({ options, system, terminal }) {
    if ((options.input === undefined) === (options.transcript === undefined)) {
      throw usageError("exactly one of --input and --transcript is needed", "amplihack hooks replay --help");
    }
    const engine =
      options.candidate === undefined ? ownEngine() : engineOf(system, options.candidate, "candidate");
    const settings = { timeoutMs: (options.timeout ?? 10) * 1000 };
    const isJson = options.format === "json";
    const { answerIn } = await import("../../verify/compare.ts");
    const replayed: Replayed[] = [];
    let isClean = true;
    const note = (name: string, event: string, ran: EngineRun): void => {
      const one = {
        name,
        event,
        exit_code: ran.exitCode ?? null,
        output: ran.stdout.trim(),
        broken: protocolProblem(ran),
      };
      if (one.broken !== undefined) isClean = false;
      // A long session is printed as it goes; only a JSON document has to be collected.
      if (isJson) replayed.push(one);
      else
        terminal.print(
          `${event} ${name}: ${one.broken === undefined ? one.output || "(nothing)" : `BROKEN ${one.broken}`}\n`,
        );
    };
    if (options.input !== undefined) {
      const input = readInputFile(system, options.input);
      const { event, name } = eventOf(options.event ?? eventNamedIn(system, input) ?? missingEvent());
      note(
        options.input,
        event,
        await answerIn(system, engine, { name: options.input, event, subcommand: name, input }, settings),
      );
      if (isJson) terminal.printJson({ success: isClean, runs: replayed });
      return isClean ? 0 : 1;
    }
    const { addCall, emptySummary } = await import("../../verify/guard-summary.ts");
    const { openSandbox } = await import("../../verify/sandbox.ts");
    const { createMover, transcriptInputs } = await import("../../verify/transcript-inputs.ts");
    const path = findFile(system, options.transcript ?? "");
    const isFolder = system.files.follow(path)?.kind === "directory";
    const files = isFolder ? transcriptsIn(path) : [path];
    const wanted = options.event === undefined ? undefined : eventOf(options.event).event;
    const summary = emptySummary();
    const count = { lines: 0, bytes: 0, bad: 0 };
    const progress = new Progress(system, terminal, files);
    const move = createMover();
    const sandbox = isFolder ? undefined : openSandbox({});
    try {
      for (const file of files) {
        for (const input of transcriptInputs(system, file, count)) {
          addCall(system, summary, file, input);
          progress.show(count.bytes);
          const subcommand = sandbox === undefined ? undefined : resolveSubcommand(input.event);
          if (
            sandbox === undefined ||
            subcommand === undefined ||
            (wanted !== undefined && subcommand.event !== wanted)
          )
            continue;
          const { text, directory } = move(input.payload);
          if (directory !== undefined) sandbox.makeDirectory(directory);
          const payload = {
            name: `line ${input.line}`,
            event: subcommand.event,
            subcommand: subcommand.name,
            input: system.text.encode(text),
          };
          note(payload.name, subcommand.event, await answerIn(system, engine, payload, settings, sandbox));
        }
      }
    } finally {
      sandbox?.remove();
      progress.clear();
    }
    if (isJson)
      terminal.printJson({
        success: isClean,
        runs: replayed,
        lines: count.lines,
        unreadable: count.bad,
        guard: { ...summary, byRule: Object.fromEntries(summary.byRule) },
      });
    else terminal.print(renderGuard(summary, files.length, count.lines, terminal));
    if (count.bad > 0) terminal.warn(`Warning: ${count.bad} of ${count.lines} line(s) cannot be read\n`);
    return isClean ? 0 : 1;
  },
});

function missingEvent(): never {
  throw usageError("the input names no event; add --event", "--event PreToolUse");
}

/** Empty or one JSON value on stdout, exit 0 or 2, in time. */
function protocolProblem(ran: EngineRun): string | undefined {
  if (ran.failure !== undefined) return ran.failure;
  if (ran.exitCode !== 0 && ran.exitCode !== 2) return `exit code ${ran.exitCode}`;
  if (ran.stdout.trim() === "") return undefined;
  try {
    JSON.parse(ran.stdout);
    return undefined;
  } catch {
    return "stdout is not JSON";
  }
}

function transcriptsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".jsonl"))
    .map(name => join(folder, name))
    .sort();
}

function renderGuard(summary: GuardSummary, files: number, lines: number, terminal: Terminal): string {
  const rules = [...summary.byRule].sort(([, one], [, other]) => other - one);
  const output = [
    "",
    terminal.paint("bold", "What the guard would have done"),
    `  ${summary.judged} tool calls in ${files} file(s), ${lines} lines: ${summary.allowed} allowed, ${summary.asked} asked, ${summary.denied} denied`,
    `  judging took ${summary.judgingMs.toFixed(0)} ms${summary.judged === 0 ? "" : `, ${(summary.judgingMs / summary.judged).toFixed(2)} ms a call`}`,
    ...rules.map(([rule, count]) => `  ${String(count).padStart(5)}  ${rule}`),
    ...summary.stopped.map(
      one =>
        `  ${one.verdict.padEnd(4)}  ${one.rules.join(",")}  ${one.command.replaceAll("\n", "⏎ ").slice(0, 110)}`,
    ),
  ];
  return `${output.join("\n")}\n`;
}

const WIDTH = 30;
const REDRAW_MS = 100;

/** A bar on a terminal, by bytes read of all bytes there are; nothing elsewhere. */
class Progress {
  private readonly system: System;
  private readonly total: number;
  private readonly isShown: boolean;
  private drawnMs = 0;

  constructor(system: System, terminal: Terminal, files: readonly string[]) {
    this.system = system;
    this.isShown = terminal.isInteractive;
    this.total = this.isShown
      ? files.reduce((sum, file) => sum + (system.files.follow(file)?.size ?? 0), 0)
      : 0;
  }

  show(bytes: number): void {
    if (!this.isShown || this.total === 0) return;
    const now = this.system.clock.monotonicMs();
    if (now - this.drawnMs < REDRAW_MS) return;
    this.drawnMs = now;
    const share = Math.min(1, bytes / this.total);
    const filled = Math.round(share * WIDTH);
    this.system.stdio.writeError(
      `\r[${"█".repeat(filled)}${"·".repeat(WIDTH - filled)}] ${Math.round(share * 100)} %`,
    );
  }

  clear(): void {
    if (this.isShown && this.drawnMs > 0) this.system.stdio.writeError("\r\u001b[K");
  }
}
