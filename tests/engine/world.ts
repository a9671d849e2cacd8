import "../../src/engine/run/handlers.ts";
import { assembleEngine } from "../../src/engine/create.ts";
import type { HttpClient, Platform, Timers } from "../../src/engine/platform.ts";
import type { EngineOptions, HookEngine, ToolMap } from "../../src/exports/engine.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { CapturedOutput } from "../../src/system/output.ts";
import type { ProcessRequest, ProcessResult, RunningProcess, System } from "../../src/system/system.ts";
import { utf8 } from "../../src/system/utf8.ts";

/** How a scripted child behaves. Times are milliseconds of the world's clock. */
export interface Child {
  /** when it exits by itself; never when left out */
  readonly exitsAfterMs?: number;
  readonly code?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** when it prints; at its exit when left out */
  readonly printsAfterMs?: number;
  readonly ignoresTerm?: boolean;
  /** a grandchild holds its pipes for so long after the exit */
  readonly holdsPipesMs?: number;
  readonly cannotStart?: boolean;
}

interface Timer {
  readonly at: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/** A clock, and processes that obey it as the contract of `ProcessRequest` says. Nothing passes by itself. */
export class World {
  nowMs = 0;
  readonly started: { readonly request: ProcessRequest; readonly atMs: number }[] = [];
  /** process groups alive now, and the most at any time */
  live = 0;
  mostLive = 0;
  lastSpawnMs = 0;
  private readonly timers = new Set<Timer>();
  private sequence = 0;
  private readonly script: (command: string) => Child;

  constructor(script: (command: string) => Child) {
    this.script = script;
  }

  readonly clock: Timers = {
    nowMs: () => this.nowMs,
    after: (ms, callback) => {
      const timer = { at: this.nowMs + ms, sequence: this.sequence++, callback };
      this.timers.add(timer);
      return () => this.timers.delete(timer);
    },
  };

  get pendingTimers(): number {
    return this.timers.size;
  }

  engine<const T extends ToolMap = Record<never, never>>(
    options: Omit<EngineOptions<T>, "projectDir">,
    http: HttpClient = { post: async () => ({ kind: "failed", reason: "no network in this world" }) },
  ): HookEngine<T> {
    const memory = createMemorySystem({
      files: {
        "/project/x": "",
        "/bin/bash": { content: "", mode: 0o755 },
        "/bin/sh": { content: "", mode: 0o755 },
      },
    });
    const system: System = {
      ...memory,
      processes: { ...memory.processes, start: request => this.start(request) },
    };
    const platform: Platform = { system, timers: this.clock, http };
    return assembleEngine<T>(
      { env: { PATH: "/bin", HOME: "/home/user" }, ...options, projectDir: "/project" },
      platform,
    );
  }

  /** Lets time pass until the work is settled; fails when nothing is left that could settle it. */
  async settle<V>(work: Promise<V>): Promise<V> {
    let isSettled = false;
    const done = () => {
      isSettled = true;
    };
    work.then(done, done);
    for (;;) {
      await flush();
      if (isSettled) return work;
      if (this.step()) continue;
      // What runs handlers is loaded by the first dispatch, which takes no time of this world.
      await import("../../src/engine/run/handlers.ts");
      await flush();
      if (!isSettled && !this.step())
        throw new Error("deadlock: the work is not settled and no timer is left");
    }
  }

  /** Runs the next timer; false when there is none. */
  step(): boolean {
    const [next] = [...this.timers].sort(
      (left, right) => left.at - right.at || left.sequence - right.sequence,
    );
    if (next === undefined) return false;
    this.timers.delete(next);
    this.nowMs = Math.max(this.nowMs, next.at);
    next.callback();
    return true;
  }

  async runUntil(ms: number): Promise<void> {
    const cancel = this.clock.after(ms - this.nowMs, () => {});
    while (this.nowMs < ms) {
      await flush();
      this.step();
    }
    cancel();
    await flush();
  }

  private start(request: ProcessRequest): RunningProcess {
    const child = this.script(request.argv.at(-1) ?? "");
    const startedMs = this.nowMs;
    this.started.push({ request, atMs: startedMs });
    this.lastSpawnMs = startedMs;
    const output = new CapturedOutput(request.limits);
    let settle: (result: ProcessResult) => void = () => {};
    const done = new Promise<ProcessResult>(resolve => {
      settle = resolve;
    });
    const report = (end: ProcessResult["end"], facts = { killed: false, pipeHeld: false }) =>
      settle({ end, ...output.result(), ...facts, durationMs: this.nowMs - startedMs });
    if (child.cannotStart === true) {
      report({ kind: "not-started", code: "ENOENT" });
      return { pid: undefined, done, stop() {} };
    }
    this.live++;
    this.mostLive = Math.max(this.mostLive, this.live);
    let reason: ProcessResult["end"] | undefined;
    let isGone = false;
    const print = () => {
      if (isGone || reason !== undefined) return;
      for (const stream of ["stdout", "stderr"] as const) {
        const chunk = utf8.encode(child[stream] ?? "");
        if (chunk.length === 0) continue;
        output.push(stream, chunk);
        request.onOutput?.(stream, chunk);
      }
    };
    const leave = (end: ProcessResult["end"], killed: boolean) => {
      if (isGone) return;
      isGone = true;
      for (const cancel of cancels) cancel();
      this.live--;
      const grace = request.pipeGraceMs ?? 250;
      const held = reason === undefined ? (child.holdsPipesMs ?? 0) : 0;
      const isHeld = held > grace;
      this.clock.after(Math.min(held, grace), () => report(reason ?? end, { killed, pipeHeld: isHeld }));
    };
    const terminate = (why: ProcessResult["end"]) => {
      if (isGone || reason !== undefined) return;
      reason = why;
      const killAfterMs = request.killAfterMs ?? 1000;
      this.clock.after(child.ignoresTerm === true ? killAfterMs : Math.min(1, killAfterMs), () =>
        leave(why, child.ignoresTerm === true),
      );
    };
    const exit = () => {
      if (child.printsAfterMs === undefined) print();
      leave({ kind: "exit", code: child.code ?? 0 }, false);
    };
    const cancels = [
      ...(child.printsAfterMs === undefined ? [] : [this.clock.after(child.printsAfterMs, print)]),
      ...(child.exitsAfterMs === undefined ? [] : [this.clock.after(child.exitsAfterMs, exit)]),
      this.clock.after(request.timeoutMs, () => terminate({ kind: "timeout" })),
    ];
    return { pid: 100 + this.started.length, done, stop: () => terminate({ kind: "stopped" }) };
  }
}

/** Lets everything that is only waiting for its turn happen. */
export function flush(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
