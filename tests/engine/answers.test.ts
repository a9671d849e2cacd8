import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { approvalReason, hookTools } from "../../src/engine/adapters/ai-sdk.ts";
import * as openai from "../../src/engine/adapters/openai-agents.ts";
import {
  type Answer,
  type AnswerStore,
  fileAnswers,
  type PendingCall,
  postgresAnswers,
} from "../../src/exports/engine.ts";
import { guard } from "../../src/exports/guard.ts";
import { ADMINISTRATOR, freshDatabase, hasPostgres } from "../postgres-server.ts";
import { makeEngine, temporaryFolder } from "./fixture.ts";

const KEY = "a secret of at least thirty-two characters";
const SCENE = { cwd: "/home/user/project", home: "/home/user" };
const DANGEROUS = { command: "npm publish" };
const NO = "Your user said no. Do not run it again, and do not try it another way.";

function guarded(store?: AnswerStore) {
  const engine = makeEngine({
    projectDir: "/",
    approvals: { key: KEY, ...(store === undefined ? {} : { store }) },
  });
  engine.use(guard(SCENE));
  return engine;
}

async function pendingCall(engine: ReturnType<typeof guarded>): Promise<PendingCall> {
  const called = await engine.call("Bash", DANGEROUS, () => "ran", { sessionId: "s" });
  if (called.status !== "pending") throw new Error(called.status);
  return called.pending;
}

describe("each reader has words of its own", () => {
  it("the person is told what would happen, the model to ask", async () => {
    const engine = guarded();
    const called = await engine.call("Bash", DANGEROUS, () => "ran");
    if (called.status !== "pending") throw new Error(called.status);
    expect(called.pending.reason).not.toMatch(/Agent:|your user/i);
    expect(called.pending.reason).toContain("publish");
    expect(called.reason).toMatch(/your user's consent/);
    expect((await engine.decide("Bash", DANGEROUS)).reason).toBe(called.pending.reason);
  });

  it("after a no the model reads that it was a no", async () => {
    const shown: string[] = [];
    const onAsk = ({ reason }: PendingCall) => {
      shown.push(reason);
      return false;
    };
    const called = await guarded().call("Bash", DANGEROUS, () => "ran", { onAsk });
    expect(called).toMatchObject({ status: "denied", reason: NO });
    expect(shown.join()).not.toMatch(/Agent:|your user/i);
  });

  it.each<[string, typeof approvalReason, (engine: ReturnType<typeof guarded>) => Promise<boolean>]>([
    [
      "the AI SDK",
      approvalReason,
      engine => {
        const { Bash } = hookTools(engine, { Bash: { execute: () => "ran", needsApproval: false } });
        const step = Bash.needsApproval as unknown as (input: object, execution: object) => Promise<boolean>;
        return step(DANGEROUS, { toolCallId: "t1" });
      },
    ],
    [
      "OpenAI's",
      openai.approvalReason,
      engine => {
        const needsApproval = async (_context: object, _input: object, _callId?: string) => false;
        const tool = { type: "function", name: "Bash", invoke: async () => "ran", needsApproval };
        const [hooked] = openai.hookTools(engine, [tool]);
        return hooked.needsApproval({}, DANGEROUS, "t1");
      },
    ],
  ])("a request of %s has its reason by the id of the call", async (_, reasonOf, request) => {
    const engine = guarded();
    expect(await request(engine)).toBe(true);
    expect(reasonOf(engine, "t1")).toContain("publish");
    expect(reasonOf(engine, "t1")).not.toMatch(/Agent:|your user/i);
    expect(reasonOf(engine, "t2")).toBeUndefined();
  });
});

describe("an answer may change the arguments", () => {
  const call = (engine: ReturnType<typeof guarded>, ...answers: Answer[]) => {
    const run = vi.fn((args: unknown) => args);
    const onAsk = vi.fn(() => answers.shift() ?? false);
    return { run, onAsk, called: engine.call("Bash", DANGEROUS, run, { id: "t1", onAsk }) };
  };

  it("which are judged anew, and run where nothing is against them", async () => {
    const { called, run } = call(guarded(), { approved: true, args: { command: "npm publish --dry-run" } });
    expect(await called).toMatchObject({ status: "done", result: { command: "npm publish --dry-run" } });
    expect(run).toHaveBeenCalledOnce();
  });

  it("and stay refused where a rule refuses them", async () => {
    const { called, run } = call(guarded(), { approved: true, args: { command: "rm -rf ~" } });
    expect(await called).toMatchObject({
      status: "denied",
      reason: expect.stringContaining("Blocked [fs.home]"),
    });
    expect(run).not.toHaveBeenCalled();
  });

  it("and are asked about again where they need it", async () => {
    const edited = { command: "npm publish --tag next" };
    const { called, onAsk } = call(guarded(), { approved: true, args: edited }, true);
    expect(await called).toMatchObject({ status: "done", result: edited });
    expect(onAsk).toHaveBeenCalledTimes(2);
  });

  it("also when the answer comes later", async () => {
    const engine = guarded();
    const pending = await pendingCall(engine);
    const answer = { approved: true, args: { command: "rm -rf ~" } };
    expect(await engine.resume(pending, answer, () => "ran")).toMatchObject({ status: "denied" });
  });
});

describe("a yes for the session", () => {
  const yes: Answer = { approved: true, scope: "session" };

  it("is not asked for again, for this very call in this session alone", async () => {
    const engine = guarded();
    const onAsk = vi.fn(() => yes);
    const call = (command: string, sessionId: string) =>
      engine.call("Bash", { command }, () => "ran", { sessionId, onAsk });
    await call("npm publish", "s1");
    expect(await call("npm publish", "s1")).toMatchObject({ status: "done" });
    expect((await engine.decide("Bash", DANGEROUS, { sessionId: "s1" })).kind).toBe("run");
    expect(onAsk).toHaveBeenCalledTimes(1);
    await call("npm publish --tag next", "s1");
    await call("npm publish", "s2");
    expect(onAsk).toHaveBeenCalledTimes(3);
  });

  it("does not weaken a refusal", async () => {
    const engine = guarded();
    const isStrict = { now: false };
    engine.beforeToolCall("*", () => (isStrict.now ? { block: true, reason: "frozen" } : undefined));
    await engine.call("Bash", DANGEROUS, () => "ran", { onAsk: () => yes });
    isStrict.now = true;
    expect(await engine.call("Bash", DANGEROUS, () => "ran")).toMatchObject({
      status: "denied",
      reason: "frozen",
    });
  });
});

describe("answered calls", () => {
  const stores: [string, () => Promise<() => AnswerStore>][] = [
    [
      "in files",
      async () => {
        const folder = join(temporaryFolder(), "answers");
        return () => fileAnswers(folder);
      },
    ],
    [
      "in PostgreSQL",
      async () => {
        const { server, name } = await freshDatabase();
        const pool = new Pool({ host: server.folder, user: ADMINISTRATOR, database: name });
        // The database may go before the last connection is closed.
        pool.on("error", () => undefined);
        onTestFinished(() => pool.end());
        return () => postgresAnswers(pool);
      },
    ],
  ];

  it.skipIf(!hasPostgres).each(stores)("%s are used once, in all processes", async (_, prepare) => {
    const open = await prepare();
    const pending = await pendingCall(guarded(open()));
    const run = vi.fn(() => "ran");
    const all = await Promise.all([1, 2, 3].map(() => guarded(open()).resume(pending, true, run)));
    expect(all.map(({ status }) => status).sort()).toEqual(["denied", "denied", "done"]);
    expect(await guarded(open()).resume(pending, true, run)).toMatchObject({
      status: "denied",
      reason: "the pending call was answered already",
    });
    expect(run).toHaveBeenCalledOnce();
  });

  it.skipIf(!hasPostgres).each(stores)("%s hold for the session after a restart", async (_, prepare) => {
    const open = await prepare();
    await guarded(open()).call("Bash", DANGEROUS, () => "ran", {
      sessionId: "s",
      onAsk: () => ({ approved: true, scope: "session" }),
    });
    const again = await guarded(open()).call("Bash", DANGEROUS, () => "ran", { sessionId: "s" });
    expect(again.status).toBe("done");
  });

  it("in files are the owner's alone, and are removed when they have expired", async () => {
    const folder = join(temporaryFolder(), "answers");
    expect(await fileAnswers(folder).claim("old", Date.now() - 1000)).toBe(true);
    const [name = ""] = readdirSync(folder);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    expect(await fileAnswers(folder).has("old")).toBe(false);
    await fileAnswers(folder).claim("new", Date.now() + 60_000);
    expect(readdirSync(folder)).not.toContain(name);
  });

  it("do not count when they cannot be recorded", async () => {
    const store: AnswerStore = {
      claim: () => Promise.reject(new Error("the disk is full")),
      has: () => Promise.resolve(false),
    };
    const engine = guarded(store);
    const run = vi.fn(() => "ran");
    expect(await engine.resume(await pendingCall(engine), true, run)).toMatchObject({
      status: "denied",
      reason: expect.stringContaining("the disk is full"),
    });
    expect(run).not.toHaveBeenCalled();
  });
});
