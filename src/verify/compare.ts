import { describeEnd, type System, splitWords } from "../system/index.ts";
import type { GoldenCase } from "./golden.ts";
import {
  canonicalText,
  type Difference,
  type EqualOptions,
  type ExactJson,
  jsonEqual,
  readExact,
} from "./json-equal.ts";
import { openSandbox, SANDBOX_MARK, type Sandbox, type Seed } from "./sandbox.ts";

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

async function runEngine(system: System, engine: Engine, call: EngineCall): Promise<EngineRun> {
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

export interface Answered {
  /** the parsed stdout; undefined when it is not JSON */
  readonly output: ExactJson | undefined;
  readonly raw: string;
  readonly exitCode: number | undefined;
  readonly stderrTail: string;
  readonly durationUs: number;
}

export interface Comparison {
  readonly name: string;
  readonly event: string;
  readonly status: "match" | "mismatch" | "error";
  readonly reference: Answered;
  readonly candidate: Answered;
  readonly differences: readonly Difference[];
  /** why nothing could be compared */
  readonly error?: string;
}

export interface CompareOptions extends EqualOptions {
  readonly timeoutMs: number;
  /** stdout byte for byte, one trailing newline aside */
  readonly isExact?: boolean;
  /** called with the path of every sandbox that is kept */
  readonly onKeep?: (path: string) => void;
  /** more runs after a warm-up, for the median of the durations */
  readonly timingRuns?: number;
}

/** A code to permit a command once: it depends on the sandbox's path and on a key that every home makes for itself. */
const ALLOW_ONCE_CODE = /(allow-once )[0-9A-Z]{6}\b/g;
const SAME_CODE = "$1AAAAAA";

/** One input for both engines. */
export interface CompareInput {
  readonly name: string;
  readonly event: string;
  readonly subcommand: string;
  readonly input: Uint8Array;
  readonly seed?: Seed;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/**
 * Runs an input through an engine in a sandbox of its own. Everything said is told with the sandbox's path, and with
 * codes that follow from it, taken out.
 */
export async function answerIn(
  system: System,
  engine: Engine,
  input: CompareInput,
  options: CompareOptions,
  shared?: Sandbox,
): Promise<EngineRun> {
  const sandbox = shared ?? openSandbox(input.seed ?? {});
  try {
    const filled = fillInput(system, input.input, sandbox);
    const env = Object.entries(input.env ?? {}).map(
      ([name, value]) => [name, sandbox.fillIn(value)] as const,
    );
    const first = await runEngine(system, engine, {
      ...input,
      input: filled,
      sandbox: sandbox.path,
      env: { ...sandbox.env, ...Object.fromEntries(env) },
      timeoutMs: options.timeoutMs,
    });
    const durations: number[] = [];
    for (let run = 0; run < (options.timingRuns ?? 0); run++)
      durations.push(await timeAgain(system, engine, input, options));
    const normal = (text: string): string =>
      text.replaceAll(sandbox.path, SANDBOX_MARK).replace(ALLOW_ONCE_CODE, SAME_CODE);
    return {
      ...first,
      stdout: normal(first.stdout),
      stderr: normal(first.stderr),
      durationUs: durations.length === 0 ? first.durationUs : median(durations),
    };
  } finally {
    if (shared === undefined) {
      if (options.onKeep === undefined) sandbox.remove();
      else options.onKeep(sandbox.path);
    }
  }
}

/** One more run for its duration, in a sandbox of its own: what the first run left must not help or hinder it. */
async function timeAgain(
  system: System,
  engine: Engine,
  input: CompareInput,
  options: CompareOptions,
): Promise<number> {
  const { timingRuns: _runs, onKeep: _keep, ...once } = options;
  return (await answerIn(system, engine, input, once)).durationUs;
}

/** Bytes that hold no placeholder reach the engine untouched, invalid ones included. */
function fillInput(system: System, input: Uint8Array, sandbox: Sandbox): Uint8Array {
  const { text, replaced } = system.text.decode(input);
  return replaced || !text.includes("{{") ? input : system.text.encode(sandbox.fillIn(text));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Two engines on one input. */
export async function compareEngines(
  system: System,
  engines: { readonly reference: Engine; readonly candidate: Engine },
  input: CompareInput,
  options: CompareOptions,
  sandboxes?: { readonly reference: Sandbox; readonly candidate: Sandbox },
): Promise<Comparison> {
  const reference = await answerIn(system, engines.reference, input, options, sandboxes?.reference);
  const candidate = await answerIn(system, engines.candidate, input, options, sandboxes?.candidate);
  return judge(input, reference, candidate, options);
}

/** An engine against a recorded expectation. */
export async function compareGolden(
  system: System,
  candidate: Engine,
  golden: GoldenCase,
  options: CompareOptions,
): Promise<Comparison> {
  const ran = await answerIn(system, candidate, golden, options);
  const expected: EngineRun = {
    stdout: "",
    stderr: golden.stderrContains.join("\n"),
    exitCode: golden.exitCode,
    durationUs: 0,
  };
  const wanted = { ...options, hasMatchers: true, isPartial: golden.isPartial };
  const compared = judge(golden, expected, ran, wanted, golden.expected);
  const missing = golden.stderrContains
    .filter(text => !ran.stderr.includes(text))
    .map(text => ({ path: "stderr", reference: text, kind: "missing" }) as const);
  if (missing.length === 0 || compared.status === "error") return compared;
  return { ...compared, status: "mismatch", differences: [...compared.differences, ...missing] };
}

function judge(
  { name, event }: Pick<CompareInput, "name" | "event">,
  reference: EngineRun,
  candidate: EngineRun,
  options: CompareOptions,
  expected?: ExactJson,
): Comparison {
  const left =
    expected === undefined ? parseOutput(reference.stdout) : { ok: true as const, value: expected };
  const right = parseOutput(candidate.stdout);
  const base = {
    name,
    event,
    reference: answered(reference, left.ok ? left.value : undefined),
    candidate: answered(candidate, right.ok ? right.value : undefined),
  };
  for (const [who, { failure }] of Object.entries({ reference, candidate }))
    if (failure !== undefined)
      return { ...base, status: "error", differences: [], error: `${who} ${failure}` };
  const differences: Difference[] = [];
  const codes = { reference: reference.exitCode, candidate: candidate.exitCode };
  if (codes.reference !== codes.candidate)
    differences.push({ path: "exit_code", ...codes, kind: "exit_code" });
  if (!left.ok) differences.push({ path: "", reference: left.problem, kind: "protocol" });
  if (!right.ok) differences.push({ path: "", candidate: right.problem, kind: "protocol" });
  if (left.ok && right.ok) differences.push(...jsonEqual(left.value, right.value, options));
  if (options.isExact === true && expected === undefined && differences.length === 0) {
    const bytes = (text: string): string => text.replace(/\n$/, "");
    if (bytes(reference.stdout) !== bytes(candidate.stdout)) {
      differences.push({ path: "", reference: reference.stdout, candidate: candidate.stdout, kind: "value" });
    }
  }
  if (differences.length === 0) return { ...base, status: "match", differences };
  if (differences.some(difference => difference.kind !== "protocol"))
    return { ...base, status: "mismatch", differences };
  const broken = left.ok ? "candidate" : right.ok ? "reference" : "reference and candidate";
  return { ...base, status: "error", differences, error: `${broken} broke the protocol` };
}

/** Nothing at all counts as the empty object. */
function parseOutput(text: string): ReturnType<typeof readExact> {
  return text.trim() === "" ? { ok: true, value: {} } : readExact(text);
}

function answered(run: EngineRun, output: ExactJson | undefined): Answered {
  return {
    output,
    raw: run.stdout,
    exitCode: run.exitCode,
    stderrTail: run.stderr,
    durationUs: run.durationUs,
  };
}

export function canonicalOutput(side: Answered): string {
  return side.output === undefined ? side.raw : canonicalText(side.output);
}
