import type { System } from "../system/system.ts";

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

export interface EngineCall {
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
  const base = {
    stdout: system.text.decode(result.stdout).text,
    stderr: system.text.decode(result.stderr).text,
    durationUs: Math.round(result.durationMs * 1000),
  };
  const { end } = result;
  switch (end.kind) {
    case "exit":
      return { ...base, exitCode: end.code };
    case "signal":
      return { ...base, exitCode: undefined, failure: `ended by ${end.signal}` };
    case "not-started":
      return { ...base, exitCode: undefined, failure: `could not be started: ${end.code}` };
    default:
      return {
        ...base,
        exitCode: undefined,
        failure: end.kind === "timeout" ? `no answer within ${call.timeoutMs} ms` : end.kind,
      };
  }
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
  return { ...env, AMPLIHACK_NONINTERACTIVE: "1", TZ: "UTC", HOME: sandbox, PWD: sandbox };
}

/** A command line as words: quotes and backslashes as a shell has them, and nothing else of a shell. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'" || character === '"') {
      const end = closingQuote(text, index, character);
      if (end < 0) throw new Error(`the quote ${character} at character ${index} is not closed`);
      const inner = text.slice(index + 1, end);
      word = (word ?? "") + (character === '"' ? inner.replace(/\\(["\\$`])/g, "$1") : inner);
      index = end;
    } else if (character === "\\") {
      index += 1;
      word = (word ?? "") + (text[index] ?? "");
    } else {
      word = (word ?? "") + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function closingQuote(text: string, start: number, quote: string): number {
  for (let index = start + 1; index < text.length; index++) {
    if (quote === '"' && text[index] === "\\") index += 1;
    else if (text[index] === quote) return index;
  }
  return -1;
}
