import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Json } from "../../src/protocol/index.ts";
import {
  DEFAULT_REPLIES,
  fillIn,
  type GoldenCase,
  type GoldenRun,
  type RunGolden,
  type SeedFile,
  subcommandOf,
} from "./golden-case.ts";

const TIMEOUT_MS = 200_000;

/** Runs a case through a real program, in a sandbox of its own; `argv` is how the program is started. */
export function runProgram(argv: readonly [string, ...string[]]): RunGolden {
  return async golden => {
    const place = realpathSync(mkdtempSync(join(tmpdir(), "golden-")));
    try {
      return await runIn(place, argv, golden);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  };
}

async function runIn(place: string, argv: readonly string[], golden: GoldenCase): Promise<GoldenRun> {
  const sandbox = join(place, "sandbox");
  const nowMs = Date.now();
  const surroundings = { sandbox, nowMs, pid: process.pid };
  const fill = (text: string) => fillIn(text, surroundings);
  mkdirSync(sandbox);
  for (const [path, file] of Object.entries(golden.meta.files ?? {}))
    seed(join(sandbox, path), file, fill, nowMs);
  const bridge = writeBridge(place, golden);
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    TZ: "UTC",
    HOME: sandbox,
    AMPLIHACK_TESTING: "1",
    AMPLIHACK_TEST_BRIDGE_COMMAND: JSON.stringify(["/bin/sh", bridge]),
  };
  for (const [name, value] of Object.entries(golden.meta.env ?? {})) env[name] = fill(value);
  const words = [...argv, subcommandOf(golden.hook), ...(golden.meta.args ?? [])];
  const ended = await start(words, sandbox, env, fill(golden.input));
  const seen = new Map<string, ReturnType<GoldenRun["look"]>>();
  for (const path of Object.keys(golden.meta.leaves ?? {})) seen.set(path, lookAt(join(sandbox, path)));
  return { ...surroundings, ...ended, asked: readAsked(place), look: path => seen.get(path) };
}

function seed(path: string, file: SeedFile, fill: (text: string) => string, nowMs: number): void {
  if (typeof file === "object" && "directory" in file) {
    mkdirSync(path, { recursive: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  if (typeof file === "string") writeFileSync(path, fill(file));
  else if ("base64" in file) writeFileSync(path, Buffer.from(file.base64, "base64"));
  else {
    writeFileSync(path, fill(file.text), { mode: file.mode ?? 0o644 });
    if (file.age !== undefined) utimesSync(path, nowMs / 1000 - file.age, nowMs / 1000 - file.age);
  }
}

/** A child that notes what it was asked, beside the sandbox, and answers as the case says. */
function writeBridge(place: string, { meta }: GoldenCase): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const choices = Object.entries(DEFAULT_REPLIES).map(
    ([action, reply]) => `*'"action":"${action}"'*) printf '%s' ${quote(reply)};;`,
  );
  const reply =
    meta.bridge === undefined
      ? `case "$question" in ${choices.join(" ")} esac`
      : `printf '%s' ${quote(meta.bridge.stdout ?? "")}; exit ${meta.bridge.exit ?? 0}`;
  const path = join(place, "bridge.sh");
  writeFileSync(
    path,
    `question=$(cat)\nprintf '%s\\n' "$question" >> ${quote(join(place, "asked"))}\n${reply}\n`,
  );
  return path;
}

function readAsked(place: string): readonly Json[] {
  try {
    const lines = readFileSync(join(place, "asked"), "utf8").split("\n");
    return lines.filter(line => line !== "").map(line => JSON.parse(line) as Json);
  } catch {
    return [];
  }
}

function lookAt(path: string): ReturnType<GoldenRun["look"]> {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  return facts.isDirectory() ? { names: readdirSync(path) } : { text: readFileSync(path, "utf8") };
}

function start(words: readonly string[], cwd: string, env: Record<string, string>, input: string) {
  return new Promise<{ stdout: string; stderr: string; exitCode: number }>((resolve, reject) => {
    const [program = "", ...rest] = words;
    const child = spawn(program, rest, { cwd, env, timeout: TIMEOUT_MS });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdin.on("error", () => {}).end(input);
    child.on("error", reject);
    child.on("close", code => resolve({ stdout, stderr, exitCode: code ?? -1 }));
  });
}
