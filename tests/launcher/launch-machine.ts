import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";
import { buildConstants } from "../../scripts/build-constants.mjs";
import { LOADED_BUNDLE } from "../../scripts/build-hooks.mjs";
import { buildFolder } from "../build-folder.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let built: string | undefined;

/** The command line as it is shipped and from the sources as they are, once for all test files of a process. */
export function buildProgram(): string {
  built ??= build();
  return built;
}

function build(): string {
  const folder = mkdtempSync(join(buildFolder(), "amplihack-"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  // With its compiled code the built program starts in a third of the time.
  if (isDistCurrent()) copyDist(join(folder, "dist"));
  else bundleSources(join(folder, "dist"));
  for (const name of ["agents", "recipes"]) symlinkSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "amplihack", version }));
  return join(folder, "dist/bin/amplihack.cjs");
}

function isDistCurrent(): boolean {
  const built = statSync(join(root, "dist/bin/amplihack.cjs"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return sources.every(name => statSync(join(root, "src", name)).mtimeMs <= built);
}

function copyDist(to: string): void {
  const leftOut = ["types", "native"].map(name => join(root, "dist", name));
  cpSync(join(root, "dist"), to, { recursive: true, filter: path => !leftOut.includes(path) });
}

function bundleSources(outdir: string): void {
  const common = {
    bundle: true,
    platform: "node",
    target: "node20.19",
    outbase: join(root, "src"),
    outdir,
    define: buildConstants(),
    logLevel: "warning",
  } as const;
  const commonJs = {
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    mainFields: ["module", "main"],
  } satisfies BuildOptions;
  buildSync({
    ...common,
    entryPoints: {
      "bin/amplihack": join(root, "src/bin/amplihack.ts"),
      "bin/amplihack-hooks": join(root, "src/bin/amplihack-hooks.ts"),
    },
    ...commonJs,
  });
  buildSync({
    ...common,
    entryPoints: { "bin/hook-entries/guard-argv": join(root, "src/bin/guard-argv.ts") },
    ...commonJs,
    ...LOADED_BUNDLE,
  });
  const commands = readdirSync(join(root, "src/commands")).filter(name => name.endsWith(".ts"));
  buildSync({
    ...common,
    entryPoints: [
      join(root, "src/cli/program.ts"),
      ...commands.map(name => join(root, "src/commands", name)),
    ],
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    packages: "external",
  });
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home, a project and a PATH of their own. */
export class LaunchMachine {
  readonly home: string;
  readonly project: string;
  readonly bin: string;
  readonly env: Record<string, string>;
  private readonly program: string;

  constructor(program: string) {
    const base = temporaryDirectory();
    this.program = program;
    [this.home, this.project, this.bin] = ["home", "project", "bin"].map(name => join(base, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [this.home, this.project, this.bin]) mkdirSync(folder);
    mkdirSync(join(this.project, ".claude"));
    this.env = {
      HOME: this.home,
      AMPLIHACK_NO_UPDATE_CHECK: "1",
      PATH: [this.bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    };
  }

  /** A scripted agent that knows its version; `body` is POSIX shell. */
  agent(name: string, body: string, version = "1.2.3"): string {
    return this.script(
      join(this.bin, name),
      `if [ "$1" = --version ]; then echo "${name} ${version}"; exit 0; fi\n${body}`,
    );
  }

  script(path: string, body: string): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  write(path: string, content: string): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  run(...words: readonly string[]): ProgramEnd {
    const end = spawnSync(process.execPath, [this.program, ...words], {
      cwd: this.project,
      env: this.env,
      encoding: "utf8",
      input: "",
    });
    return { code: end.status, stdout: end.stdout, stderr: end.stderr };
  }

  start(...words: readonly string[]): StartedProgram {
    return new StartedProgram(
      spawn(process.execPath, [this.program, ...words], {
        cwd: this.project,
        env: this.env,
        stdio: ["pipe", "pipe", "pipe"],
      }),
    );
  }

  sessions(): Record<string, unknown>[] {
    const text = readFileSync(join(this.project, ".claude/runtime/sessions.jsonl"), "utf8");
    return text
      .trimEnd()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>);
  }
}

/** A running launcher, whose output can be waited for. */
export class StartedProgram {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  private readonly ended: Promise<ProgramEnd>;
  private waiting: (() => void) | undefined;
  /** its end, and all that it printed before; the end of a process alone may be seen earlier than its last words */
  private isClosed = false;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.waiting?.();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.waiting?.();
    });
    this.ended = new Promise(resolve => {
      child.once("close", code => {
        this.isClosed = true;
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
        this.waiting?.();
      });
    });
  }

  /** Resolves as soon as the text was printed on stdout or stderr; fails when the program ends without it. */
  async printed(text: string): Promise<void> {
    while (!this.stdout.includes(text) && !this.stderr.includes(text)) {
      if (this.isClosed) throw new Error(`ended without ${text}:\n${this.stdout}${this.stderr}`);
      await new Promise<void>(resolve => {
        this.waiting = resolve;
      });
    }
  }

  /** Waits until the launcher waits for events: of an agent that runs, it has then done all that belongs to the start. */
  async idle(): Promise<void> {
    while (!waitsForEvents(this.child.pid ?? 0)) await new Promise(resolve => setTimeout(resolve, 5));
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  end(): Promise<ProgramEnd> {
    return this.ended;
  }
}

/** Waits until a process is gone or only a remainder of it is left for its parent to collect. */
export async function processGone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise(resolve => setTimeout(resolve, 10));
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = stateOf(pid);
  return state === undefined ? process.platform !== "linux" : !/[ZX]/.test(state);
}

/** Some systems do not tell what a process waits for; that it waits must do there. */
function waitsForEvents(pid: number): boolean {
  if (stateOf(pid) === "R") return false;
  const place = `/proc/${pid}/wchan`;
  const waitsIn = existsSync(place) ? readFileSync(place, "latin1") : "";
  return !/[a-z]/.test(waitsIn) || /ep(?:oll)?_/.test(waitsIn);
}

/** The letter by which Linux tells what a process is doing. */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat[stat.lastIndexOf(")") + 2];
  } catch {
    return undefined;
  }
}
