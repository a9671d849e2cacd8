import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUser, type User } from "./run-command.ts";

const ask = (user: User, action: string, request: unknown) =>
  user.type(["bridge", action], { input: typeof request === "string" ? request : JSON.stringify(request) });

describe("amplihack bridge", () => {
  it("answers one request with one line of JSON", async () => {
    const user = newUser();
    const stored = await ask(user, "store", {
      version: 1,
      action: "store",
      session_id: "s",
      transcript_path: null,
      agent_type: "architect",
      content: "Queues need a dead letter box",
    });
    expect(stored).toMatchObject({
      code: 0,
      stdout: '{"version":1,"stored":true,"memories_count":1}\n',
      stderr: "",
    });
    const context = await ask(user, "get_context", {
      version: 1,
      action: "get_context",
      session_id: "s2",
      project_path: user.project,
    });
    expect(JSON.parse(context.stdout)).toMatchObject({
      context: expect.stringContaining("- [learning] Queues need a dead letter box"),
    });
    const injected = await ask(user, "inject_memory", {
      version: 1,
      action: "inject_memory",
      session_id: "s2",
      prompt: "Where do dead letters go?",
      agents: ["architect"],
    });
    expect(JSON.parse(injected.stdout)).toMatchObject({
      injected_context: expect.stringContaining("Queues need a dead letter box (relevance: "),
      memory_keys_used: [expect.stringMatching(/^learned\//)],
    });
    const reflected = await ask(user, "reflect", {
      version: 1,
      action: "reflect",
      session_id: "s2",
      transcript_path: null,
    });
    expect(JSON.parse(reflected.stdout)).toEqual({
      version: 1,
      should_block: false,
      findings: [],
      severity: "low",
    });
  });

  it("accepts requests of another version with a warning", async () => {
    const user = newUser();
    const request = { version: 2, action: "get_context", session_id: "s", project_path: "/", extra: true };
    const ran = await ask(user, "get_context", request);
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, { version: 1, context: "", memories: [] }]);
    expect(ran.stderr).toContain("version");
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "hello"],
    ["two documents", '{"version":1}{"version":1}'],
    ["a list", "[]"],
    ["missing members", { version: 1, action: "get_context" }],
    ["wrong types", { version: 1, action: "get_context", session_id: 7, project_path: "/" }],
    ["another action", { version: 1, action: "reflect", session_id: "s", transcript_path: null }],
    ["too much", JSON.stringify({ version: 1, action: "get_context", session_id: "x".repeat(2_000_000) })],
    ["too deep", `${"[".repeat(100_000)}`],
  ])("refuses %s with nothing on stdout and exit 1", async (_, request) => {
    const user = newUser();
    const ran = await ask(user, "get_context", request);
    expect([ran.code, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toMatch(/^Error: the request cannot be answered: /);
  });

  it("knows four actions", async () => {
    const user = newUser();
    const ran = await ask(user, "forget", {});
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("reflect, get_context, store, inject_memory");
    expect((await user.type(["bridge"])).code).toBe(2);
  });

  it("fails, and changes nothing, when the database is damaged", async () => {
    const user = newUser();
    mkdirSync(join(user.database, ".."));
    writeFileSync(user.database, "broken ".repeat(1_000));
    const ran = await ask(user, "get_context", {
      version: 1,
      action: "get_context",
      session_id: "s",
      project_path: user.project,
    });
    expect([ran.code, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toContain("is damaged");
  });

  it("keeps to the limits that the user configured", async () => {
    const user = newUser();
    mkdirSync(join(user.database, ".."), { mode: 0o700 });
    writeFileSync(join(user.database, "..", "config.jsonc"), '{ "memory": { "maxItems": 1 } } // one', {
      mode: 0o600,
    });
    for (const key of ["a", "b"])
      await user.type(["memory", "store", "--agent", "x", key, `value ${key}`, "--pin"]);
    const ran = await ask(user, "get_context", {
      version: 1,
      action: "get_context",
      session_id: "s",
      project_path: user.project,
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({ memories: [{ key: "b" }] });
    expect(existsSync(user.database)).toBe(true);
  });
});
