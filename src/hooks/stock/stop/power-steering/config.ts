import {
  booleanAt,
  errorText,
  isJsonObject,
  type Json,
  memberAt,
  ownValue,
  parseJsonObject,
} from "../../../../protocol/index.ts";
import {
  AtomicFlag,
  appendJsonLine,
  CONSIDERATIONS_FILE,
  Counter,
  LogFile,
  makeRuntimeDirectory,
  POWER_STEERING_CONFIG,
  readText,
  SESSION_TYPES,
  serialise,
} from "../../../../state/index.ts";
import { join, writeAtomically } from "../../../../system/index.ts";
import { attempt, type HookContext } from "../../../program/hook-context.ts";
import type { SessionType } from "./facts.ts";
import {
  type Consideration,
  FALLBACK_CONSIDERATIONS,
  hasHeuristic,
  SHIPPED_CONSIDERATIONS,
} from "./heuristics.ts";
import { TurnStateFile } from "./turn-state.ts";

export interface PowerSteeringConfig {
  readonly isEnabled: boolean;
  readonly isCheckEnabled: (id: string) => boolean;
}

const DEFAULTS: PowerSteeringConfig = { isEnabled: true, isCheckEnabled: () => true };
const FILE_BYTES = 1024 * 1024;

function toolPath(context: HookContext, name: string): string {
  return join(context.projectRoot, ".claude", "tools", "amplihack", name);
}

/** The project's own settings; a file that cannot be used counts as none, and says so in the log. */
export function loadSteeringConfig(context: HookContext): PowerSteeringConfig {
  const path = toolPath(context, POWER_STEERING_CONFIG);
  try {
    const text = readText(context.system, path, FILE_BYTES);
    if (text === undefined) return DEFAULTS;
    const config = parseConfig(text);
    if (config !== undefined) return config;
    context.log("WARNING", ".power_steering_config is not usable; the defaults are used");
  } catch (error) {
    context.log("WARNING", `.power_steering_config cannot be read: ${errorText(error)}`);
  }
  return DEFAULTS;
}

function parseConfig(text: string): PowerSteeringConfig | undefined {
  const config = parseJsonObject(text, 8);
  const isEnabled = booleanAt(config, "enabled");
  const checkers = memberAt(config, "checkers_enabled") ?? {};
  if (isEnabled === undefined || !isJsonObject(checkers)) return undefined;
  if (Object.values(checkers).some(value => typeof value !== "boolean")) return undefined;
  if (!Number.isInteger(memberAt(config, "phase") ?? 1)) return undefined;
  return { isEnabled, isCheckEnabled: id => ownValue(checkers, id) !== false };
}

/** The project's list, else what is shipped; a list that cannot be used leaves the built-in five. */
export async function loadConsiderations(context: HookContext): Promise<readonly Consideration[]> {
  const path = toolPath(context, CONSIDERATIONS_FILE);
  try {
    const text = readText(context.system, path, FILE_BYTES);
    if (text === undefined) return SHIPPED_CONSIDERATIONS;
    const { parse } = await import("yaml");
    const entries = parseConsiderations(parse(text, { maxAliasCount: 0 }));
    if (entries.length > 0) return entries;
    context.log("WARNING", "considerations.yaml has no usable entry; the built-in checks are used");
  } catch (error) {
    context.log(
      "WARNING",
      `considerations.yaml cannot be used (${errorText(error)}); the built-in checks are used`,
    );
  }
  return FALLBACK_CONSIDERATIONS;
}

/** Entries that are not right are left out. */
function parseConsiderations(value: Json): readonly Consideration[] {
  return Array.isArray(value) ? value.flatMap(parseConsideration) : [];
}

function parseConsideration(value: Json): readonly Consideration[] {
  if (!isJsonObject(value)) return [];
  const { id, category, question, severity, checker, enabled } = value;
  if (typeof id !== "string" || typeof category !== "string" || typeof question !== "string") return [];
  if ((severity !== "blocker" && severity !== "warning") || typeof enabled !== "boolean") return [];
  if (typeof checker !== "string" || id === "") return [];
  const sessionTypes = parseSessionTypes(ownValue(value, "applicable_session_types"));
  if (sessionTypes === undefined) return [];
  return [{ id, category, question, severity, enabled, sessionTypes, heuristic: heuristicName(id, checker) }];
}

function parseSessionTypes(value: Json | undefined): readonly SessionType[] | "all" | undefined {
  if (value === undefined || value === null) return ["DEVELOPMENT"];
  if (!Array.isArray(value)) return undefined;
  if (value.includes("*")) return "all";
  return SESSION_TYPES.filter(type => value.includes(type));
}

/** `generic` can only be answered by a model; a checker is named after its consideration otherwise. */
function heuristicName(id: string, checker: string): string | undefined {
  if (checker === "generic") return undefined;
  const name = checker.replace(/^_?check_/, "");
  return [name, id].find(hasHeuristic);
}

const REDIRECTS_BYTES = 16 * 1024 * 1024;

/** What power steering keeps of one session, in the run-time directory that all work trees share. */
export class SessionRecords {
  /** the analysis of this session is finished */
  readonly completed: AtomicFlag;
  /** the results were shown once */
  readonly shown: AtomicFlag;
  readonly turns: TurnStateFile;
  private readonly context: HookContext;
  private readonly sessionId: string;
  private readonly directory: string;
  private readonly log: LogFile;

  constructor(context: HookContext, sharedRoot: string, sessionId: string) {
    const { system } = context;
    this.context = context;
    this.sessionId = sessionId;
    this.directory = makeRuntimeDirectory(system, sharedRoot, "power-steering");
    this.completed = new AtomicFlag(join(this.directory, `.${sessionId}_completed`), { system });
    this.shown = new AtomicFlag(join(this.directory, `.${sessionId}_results_shown`), { system });
    this.turns = new TurnStateFile(context, this.directory, sessionId);
    this.log = new LogFile(join(this.directory, "power_steering.log"), { system });
  }

  get redirectsPath(): string {
    return this.path("redirects.jsonl");
  }

  /** For the status line only. */
  countRun(): void {
    this.try("session_count", () => {
      const options = { system: this.context.system, onMalformed: "restart", lockTimeoutMs: 500 } as const;
      new Counter(this.path("session_count"), options).increment();
    });
  }

  addRedirect(failed: readonly string[], prompt: string, summary: string): void {
    this.try("redirects.jsonl", () => {
      const { system } = this.context;
      const earlier = readText(system, this.redirectsPath, REDIRECTS_BYTES) ?? "";
      appendJsonLine(system, this.redirectsPath, {
        redirect_number: earlier.split("\n").length,
        timestamp: this.context.nowText(),
        failed_considerations: failed,
        continuation_prompt: prompt,
        work_summary: summary,
      });
    });
  }

  saveViolations(violations: Json): void {
    this.try("violations.json", () => {
      const document = { session_id: this.sessionId, timestamp: this.context.nowText(), violations };
      this.write("violations.json", serialise(document, "violations.json", 2));
    });
  }

  saveSummary(text: string): void {
    this.try("summary.md", () => this.write("summary.md", text));
  }

  /** One line per check with numbers and names only: no word of the session. */
  diagnose(line: Readonly<Record<string, Json>>): void {
    this.log.write("INFO", `${this.sessionId}: ${String(line["verdict"])} (${String(line["because"])})`);
    this.try("diagnostic.jsonl", () => {
      const entry = { timestamp: this.context.nowText(), ...line };
      appendJsonLine(this.context.system, this.path("diagnostic.jsonl"), entry);
    });
  }

  private path(name: string): string {
    return join(this.directory, this.sessionId, name);
  }

  private write(name: string, text: string): void {
    writeAtomically(this.context.system, this.path(name), this.context.system.text.encode(text));
  }

  /** Reports are useful but never decide: a failure is logged and the check goes on. */
  private try(name: string, action: () => void): void {
    if (!attempt(this.context, `${name} was not written`, action))
      this.context.metric("backward_compat_write_errors", 1);
  }
}
