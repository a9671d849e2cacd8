import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BUILT_IN } from "../../src/config/settings.ts";
import type { DataFiles } from "../../src/dashboard/entries.ts";
import { startLocalDashboard } from "../../src/dashboard/local-dashboard.ts";
import type { Dashboard, DashboardOptions } from "../../src/dashboard/server.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export const HOSTILE = `</script><img src=x onerror="document.title='taken'">\u2028<!--`;

/** A state home with logs that a test writes to. */
export interface Machine {
  readonly places: DataFiles;
  run(...records: readonly object[]): void;
  judge(...records: readonly object[]): void;
}

export function newMachine(stateHome: string = temporaryDirectory()): Machine {
  const places: DataFiles = {
    stateHome,
    runs: join(stateHome, "logs", "runs.jsonl"),
    audit: join(stateHome, "logs", "audit.jsonl"),
    recipeRuns: join(stateHome, "recipes", "runs"),
    database: join(stateHome, "memory.db"),
    home: "/home/ada",
    history: BUILT_IN.history,
    guard: BUILT_IN.guard,
    prices: {},
    budget: {},
  };
  mkdirSync(join(stateHome, "logs"), { recursive: true });
  mkdirSync(places.recipeRuns, { recursive: true });
  const writeTo = (path: string) => (records: readonly object[]) =>
    appendFileSync(path, records.map(record => `${JSON.stringify(record)}\n`).join(""));
  const toRuns = writeTo(places.runs);
  const toAudit = writeTo(places.audit);
  return {
    places,
    run: (...records) => toRuns(records.map(record => ({ ...RUN, ...record }))),
    judge: (...records) => toAudit(records.map(record => ({ ...JUDGEMENT, ...record }))),
  };
}

export const RUN = {
  hook: "pre_tool_use",
  duration_us: 4_200,
  result: "ok",
  ts: "2026-03-01T10:00:00.000Z",
  host: "claude-code",
  event: "PreToolUse",
  decision: "none",
  rules: [] as readonly string[],
  session: "session-1",
  project: "/work/shop",
};

export const JUDGEMENT = {
  ts: "2026-03-01T10:00:00.000Z",
  host: "claude-code",
  session: "session-1",
  project: "/work/shop",
  cwd: "/work/shop",
  tool: "Bash",
  verdict: "deny",
  rules: ["fs.home"] as readonly string[],
  targets: ["/home/ada"] as readonly string[],
  command: "rm -rf ~",
  level: "standard",
};

/** Also for the browser: a run of a recipe, as its log tells it. */
export function writeRecipeRun({ places }: Machine, runId: string, recipe: string, start: object = {}): void {
  const ts = "2026-03-01T10:00:00.000Z";
  const events = [
    { event: "recipe_start", recipe_name: recipe, step_count: 2, ...start },
    { event: "step_start", step_id: "build", path: "build", step_type: "bash" },
    {
      event: "step_end",
      step_id: "build",
      path: "build",
      status: "completed",
      duration_ms: 1200,
      exit_code: 0,
    },
    { event: "step_start", step_id: "test", path: "test", step_type: "bash" },
    { event: "step_end", step_id: "test", path: "test", status: "failed", duration_ms: 300, exit_code: 2 },
    { event: "recipe_end", recipe_name: recipe, status: "failed", duration_ms: 1510 },
  ];
  const lines = events.map(event => JSON.stringify({ run_id: runId, ts, ...event }));
  writeFileSync(join(places.recipeRuns, `${runId}.jsonl`), `${lines.join("\n")}\n`);
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface Served {
  readonly url: URL;
  readonly launchUrl: string;
  readonly warnings: readonly string[];
  /** with the token, unless the path brings its own query */
  ask(
    path: string,
    options?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Answer>;
  /** as the page itself sends what a person decided */
  act(path: string, body: object): Promise<{ readonly status: number } & Record<string, unknown>>;
  json<T>(path: string): Promise<T>;
}

/** The real server on a free port, closed when the test ends. */
export async function serve(machine: Machine, options: Partial<DashboardOptions> = {}): Promise<Served> {
  const warnings: string[] = [];
  const dashboard = await startLocalDashboard(createNodeSystem(), machine.places, {
    intervalMs: 10,
    warn: message => warnings.push(message),
    ...options,
  });
  onTestFinished(() => dashboard.close());
  return askServer(dashboard, warnings);
}

/** What tests ask a server that runs. */
export function askServer(dashboard: Dashboard, warnings: readonly string[]): Served {
  const url = new URL(dashboard.url);
  const ask: Served["ask"] = (path, { method = "GET", headers = {}, body = "" } = {}) =>
    new Promise((resolve, reject) => {
      const target = path.includes("token=")
        ? path
        : `${path}${path.includes("?") ? "&" : "?"}token=${url.searchParams.get("token")}`;
      request(
        { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port, path: target, method, headers },
        response => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString("utf8"),
            }),
          );
        },
      )
        .on("error", reject)
        .end(body);
    });
  return {
    url,
    launchUrl: dashboard.launchUrl,
    warnings,
    ask,
    async act(path, body) {
      const headers = {
        origin: url.origin,
        "content-type": "application/json",
        "x-amplihack-token": url.searchParams.get("token") ?? "",
      };
      const answer = await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, ...(JSON.parse(answer.body) as object) };
    },
    async json<T>(path: string): Promise<T> {
      return JSON.parse((await ask(path)).body) as T;
    },
  };
}

/** Asks until the answer is as hoped for; the test's own time limit ends a wait in vain. */
export async function until<T>(question: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await question();
    if (isRight(answer)) return answer;
    await new Promise(resolve => setImmediate(resolve));
  }
}
