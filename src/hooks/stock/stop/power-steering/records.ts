import type { Json } from "../../../../protocol/index.ts";
import {
  AtomicFlag,
  appendJsonLine,
  Counter,
  LogFile,
  makeRuntimeDirectory,
  readText,
  serialise,
} from "../../../../state/index.ts";
import { join, writeAtomically } from "../../../../system/index.ts";
import { attempt, type HookContext } from "../../../program/context.ts";
import { TurnStateFile } from "./turn-state.ts";

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
