import { describeEnd, type System, splitWords } from "../system/index.ts";

/** A program under comparison; `{event}` and `{subcommand}` in its words are filled in. */
export interface Engine {
  readonly words: readonly string[];
}

export interface EngineRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
  readonly durationUs: number;
  /** why there is no answer to compare: could not be started, too slow, too much output */
  readonly failure?: string;
}

interface EngineCall {
  readonly event: string;
  readonly subcommand: string;
  readonly args?: readonly string[];
  readonly input: Uint8Array;
  readonly sandbox: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const STDOUT_BYTES = 16 * 1024 * 1024;
const STDERR_TAIL_BYTES = 4 * 1024;
/** Everything that would tell a hook about the session it is compared in. */
const DROPPED =
  /^(?:AMPLIHACK_|CLAUDE|PSC_|COPILOT_|CURSOR_|GEMINI_|DEVIN_|AMPLIFIER_|AUGMENT_|QWEN_|OPENCODE|PI_CODING_AGENT|ATOMCODE_|CODEX_)/;

export async function runEngine(system: System, engine: Engine, call: EngineCall): Promise<EngineRun> {
  const [program = "", ...rest] = fillIn(engine.words, call);
  const result = await system.processes.start({
    argv: [program, ...rest, ...(call.args ?? [])],
    cwd: call.sandbox,
    env: { ...sandboxEnvironment(system, call.sandbox), ...call.env },
    input: call.input,
    timeoutMs: call.timeoutMs,
    limits: {
      stdoutBytes: STDOUT_BYTES,
      tailBytes: 0,
      stderrBytes: STDERR_TAIL_BYTES,
      drainBytes: STDOUT_BYTES,
    },
  }).done;
  const failure = result.end.kind === "exit" ? undefined : describeEnd(result.end, call.timeoutMs);
  return {
    stdout: system.text.decode(result.stdout).text,
    stderr: system.text.decode(result.stderr).text,
    durationUs: Math.round(result.durationMs * 1000),
    exitCode: result.end.kind === "exit" ? result.end.code : undefined,
    ...(failure === undefined ? {} : { failure }),
  };
}

function fillIn(words: readonly string[], { event, subcommand }: EngineCall): readonly string[] {
  const isNamed = words.some(word => word.includes("{event}") || word.includes("{subcommand}"));
  const filled = words.map(word => word.replaceAll("{event}", event).replaceAll("{subcommand}", subcommand));
  return isNamed ? filled : [...filled, subcommand];
}

function sandboxEnvironment(system: System, sandbox: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of system.env.names()) {
    const value = DROPPED.test(name) ? undefined : system.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  // Not said to be unattended: a guard would refuse what it asks a person about.
  return { ...env, TZ: "UTC", HOME: sandbox, PWD: sandbox };
}

const CLOSED = /[^"'\\]+|\\.?|"(?:\\.|[^"\\])*"|'[^']*'/gsy;

/** The words of a command line. Throws when a quote is not closed: what was meant is unknown. */
export function splitCommandLine(text: string): readonly string[] {
  const rest = text.replace(CLOSED, "");
  if (rest !== "")
    throw new Error(`the quote ${rest[0]} at character ${text.length - rest.length} is not closed`);
  return splitWords(text);
}
