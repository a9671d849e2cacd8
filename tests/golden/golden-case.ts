import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "../../src/protocol/index.ts";
import { readGoldenTable } from "../../src/verify/golden.ts";
import { version } from "../../src/version.ts";

/** Something the sandbox holds before the run. Texts may hold placeholders, see `fillIn`. */
export type SeedFile =
  | string
  | { readonly directory: true }
  | { readonly base64: string }
  /** `age` in seconds; `mode` as a decimal number */
  | { readonly text: string; readonly age?: number; readonly mode?: number };

/** What must be there after the run; null means that nothing may be there. */
export type LeftFile =
  | null
  | { readonly text: string }
  | { readonly json: Json }
  | { readonly jsonl: readonly Json[] }
  | { readonly names: readonly string[] };

/** What the bridge answers; an exit code other than 0 makes it fail. */
export interface BridgeScript {
  readonly stdout?: string;
  readonly exit?: number;
}

export interface GoldenMeta {
  readonly note: string;
  readonly exit_code?: number;
  readonly stderr_contains?: readonly string[];
  readonly stderr_lacks?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** words after the subcommand */
  readonly args?: readonly string[];
  /** the fault of the original that the expectation corrects */
  readonly reference_bug?: string;
  /** the state the case needs, by path below the sandbox */
  readonly files?: Readonly<Record<string, SeedFile>>;
  /** the state it must leave */
  readonly leaves?: Readonly<Record<string, LeftFile>>;
  readonly bridge?: BridgeScript;
  /** the requests the bridge must have got, in order */
  readonly asked?: readonly Json[];
}

export interface GoldenCase {
  readonly hook: string;
  readonly name: string;
  readonly input: string;
  readonly expected: JsonObject;
  readonly meta: GoldenMeta;
}

/** One finished run: what came out, and a look into the sandbox. */
export interface GoldenRun {
  readonly sandbox: string;
  readonly nowMs: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly asked: readonly Json[];
  /** text of a file, names in a directory, undefined for nothing */
  look(path: string): { readonly text: string } | { readonly names: readonly string[] } | undefined;
}

export type RunGolden = (golden: GoldenCase) => Promise<GoldenRun>;

const FOLDER = join(import.meta.dirname, "hooks");

export function goldenHooks(): readonly string[] {
  return readdirSync(FOLDER)
    .filter(file => file.endsWith(".jsonl"))
    .map(file => file.slice(0, -".jsonl".length))
    .sort();
}

/** The original ran in projects that have this folder only, and kept its state there. */
const OF_CLAUDE = { ".claude": { directory: true } } as const;

/** All cases of one hook, from its table and the fixtures named there. */
export function goldenCases(hook: string): readonly GoldenCase[] {
  const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");
  const rows = readGoldenTable(read(`${hook}.jsonl`), JSON.parse(read(`${hook}.fixtures.json`)));
  return rows.map(row => {
    const meta = row.meta as unknown as GoldenMeta;
    return { ...row, hook, meta: { ...meta, files: { ...OF_CLAUDE, ...meta.files } } };
  });
}

export interface Surroundings {
  readonly sandbox: string;
  readonly nowMs: number;
  /** a process that lives as long as the run */
  readonly pid: number;
}

/** `{{SANDBOX}}`, `{{PID}}`, `{{VERSION}}`, `{{NOW-60}}` as ISO time and `{{EPOCH-60}}` as seconds since 1970. */
export function fillIn(text: string, { sandbox, nowMs, pid }: Surroundings): string {
  return text
    .replaceAll("{{SANDBOX}}", sandbox)
    .replaceAll("{{PID}}", String(pid))
    .replaceAll("{{VERSION}}", version)
    .replace(/\{\{(NOW|EPOCH)(?:-(-?\d+))?\}\}/g, (_, form: string, ago = "0") => {
      const ms = nowMs - Number(ago) * 1000;
      return form === "NOW" ? new Date(ms).toISOString() : String(Math.floor(ms / 1000));
    });
}

/** What the bridge says in cases that do not care. */
export const DEFAULT_REPLIES: Readonly<Record<string, string>> = {
  reflect: '{"should_block":false,"findings":[],"severity":"low"}',
  get_context: '{"context":"","memories":[]}',
  store: '{"stored":true,"memories_count":1}',
  inject_memory: '{"injected_context":"","memory_keys_used":[]}',
};

/** Subcommands are spelt with hyphens. */
export function subcommandOf(hook: string): string {
  return hook.replaceAll("_", "-");
}
