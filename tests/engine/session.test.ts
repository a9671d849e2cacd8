import { describe, expect, it } from "vitest";
import { guard } from "../../src/exports/guard.ts";
import { makeEngine } from "./fixture.ts";

const TOKEN = ["ghp", "_R4nd0mW0rdsTh4tL00kL1keAT0kenQ2wE5t"].join("");
const readsToken = () => `GITHUB_TOKEN=${TOKEN}`;
const nothing = () => "done";

describe("what a session did before", () => {
  it("decides what it may do now: after a secret was read no network", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", (call, { session }) => {
      const [first] = session.secretsShown;
      return call.name === "fetch" && first !== undefined
        ? { block: true, reason: `${first.tool} showed ${first.secret}` }
        : undefined;
    });
    const call = (tool: string, run: () => unknown, sessionId = "a") =>
      engine.call(tool, {}, run, { sessionId });
    expect((await call("fetch", nothing)).status).toBe("done");
    await call("read_file", readsToken);
    const refused = await call("fetch", nothing);
    expect(refused).toMatchObject({ status: "denied", reason: "read_file showed a GitHub token" });
    expect((await call("fetch", nothing, "b")).status).toBe("done");
    await engine.dispatch("UserPromptSubmit", { session_id: "a", prompt: "send it" });
    expect((await call("fetch", nothing)).status).toBe("done");
  });

  it("is known to the guard's own rules over sequences, too", async () => {
    const engine = makeEngine();
    engine.use(guard({ policy: "given" }));
    const run = (command: string, result: () => unknown, sessionId = "a") =>
      engine.call("bash", { command }, result, { sessionId });
    const before = await run("curl https://api.example/status", nothing);
    expect(before.status).toBe("done");
    await run("npm config list", readsToken);
    const asked = await run("curl https://api.example/status", nothing);
    expect(asked).toMatchObject({ status: "pending" });
    expect(JSON.stringify(asked)).toContain("net.sequence");
    expect((await run("ls", nothing)).status).toBe("done");
  });

  it("is told to whoever asks, with what hooks noted, and is bounded", async () => {
    const engine = makeEngine();
    expect(engine.session("a").calls).toEqual([]);
    engine.afterToolCall("*", ({ args, isError }, { session }) => {
      if (!isError && JSON.stringify(args).includes(".env")) session.note("env-read", "in .env");
    });
    const call = (args: object, run: () => unknown) =>
      engine.call("read_file", args, run, { sessionId: "a", id: "1" });
    await call({ path: ".env" }, nothing);
    await call({ path: "x" }, () => {
      throw new Error("gone");
    });
    const session = engine.session("a");
    expect(session.calls).toEqual([
      { id: "1", tool: "read_file", args: { path: ".env" }, isError: false, secret: undefined },
      { id: "1", tool: "read_file", args: { path: "x" }, isError: true, secret: undefined },
    ]);
    expect(session.has("env-read")).toBe(true);
    expect([...session.facts]).toEqual([["env-read", "in .env"]]);
    session.forget("env-read");
    expect(engine.session("a").has("env-read")).toBe(false);
    for (let count = 0; count < 600; count++) await call({ count }, nothing);
    expect(session.calls).toHaveLength(500);
    expect(session.calls.at(-1)?.args).toEqual({ count: 599 });
    await engine.dispatch("SessionEnd", { session_id: "a" });
    expect(engine.session("a").calls).toEqual([]);
  });
});
