import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { grantOnce } from "../../src/hooks/program/grants.ts";
import { recordCall } from "../commands/agent-call.ts";
import { connect, PATIENT, textOf } from "./connected.ts";

const yes = () => ({ action: "accept" as const, content: { run: true } });
const no = () => ({ action: "accept" as const, content: { run: false } });

interface Found {
  readonly memories: readonly {
    readonly key: string;
    readonly value: string;
    readonly session: string | null;
    readonly project: string | null;
  }[];
}

describe("the tools", () => {
  it("say of themselves what they read, change and destroy", async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    const hints = tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.destructiveHint ?? false,
    ]);
    expect(hints).toEqual([
      ["memory_search", true, false],
      ["memory_store", false, false],
      ["memory_forget", false, true],
      ["history_list", true, false],
      ["history_show", true, false],
      ["guard_check", true, false],
      ["recipe_list", true, false],
      ["recipe_run", false, true],
    ]);
  });

  it.each([
    ["memory_search", {}],
    ["memory_search", { query: "x", limit: 1000 }],
    ["memory_store", { key: "", value: "x" }],
    ["guard_check", { command: 7 }],
    ["recipe_run", { recipe: "hello", context: { "a b": "1" } }],
    ["no_such_tool", {}],
  ])("refuse wrong arguments: %s %j", async (tool, args) => {
    const { call } = await connect();
    const result = await call(tool, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/invalid arguments|not found/i);
  });
});

describe("memory", () => {
  it("has no secrets in its key and in the name of its agent", async () => {
    const { json } = await connect();
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const stored = await json("memory_store", { key: `token ${secret}`, value: "x", agent: `a-${secret}` });
    expect(JSON.stringify(stored)).not.toContain(secret);
    const found = await json<Found>("memory_search", { query: "token", all_projects: true });
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it("is stored with where it came from, without secrets, and found again in its project", async () => {
    const { json, project } = await connect();
    const stored = await json("memory_store", {
      key: "sandbox",
      value: "The payment sandbox needs the header X-Test. token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    });
    expect(stored).toMatchObject({
      is_new: true,
      agent: "general",
      session: "mcp:test-client",
      project,
      category: "learning",
    });
    const { memories } = await json<Found>("memory_search", { query: "payment sandbox" });
    expect(memories).toHaveLength(1);
    expect(memories[0]?.value).toContain("X-Test");
    expect(memories[0]?.value).not.toContain("ghp_");
    expect(await json<Found>("memory_search", { query: "gardening" })).toEqual({ memories: [] });
  });

  it("of other projects is found only when asked for", async () => {
    const first = await connect();
    await first.json("memory_store", { key: "port", value: "The service listens on port 8123" });
    const other = await connect({ home: first.home, env: { AMPLIHACK_PROJECT_ID: "another" } });
    expect(await other.json<Found>("memory_search", { query: "port" })).toEqual({ memories: [] });
    const all = await other.json<Found>("memory_search", { query: "port", all_projects: true });
    expect(all.memories.map(({ key }) => key)).toEqual(["port"]);
  });

  it("is forgotten only after a yes of the person", async () => {
    const first = await connect();
    await first.json("memory_store", { key: "port", value: "The service listens on port 8123" });
    const refused = await first.call("memory_forget", { key: "port" });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/did not run: .*amplihack guard allow-once [A-Z0-9]+/s);

    const declining = await connect({ home: first.home, answer: no });
    expect((await declining.call("memory_forget", { key: "port" })).isError).toBe(true);
    expect(declining.questions[0]).toContain("amplihack memory delete");

    const agreeing = await connect({ home: first.home, answer: yes });
    expect(await agreeing.json("memory_forget", { key: "port" })).toMatchObject({ forgotten: true });
    expect(await agreeing.json<Found>("memory_search", { query: "port" })).toEqual({ memories: [] });
    expect(textOf(await agreeing.call("memory_forget", { key: "port" }))).toContain("has no memory");
  });

  it("can be forgotten once after allow-once, and the audit log tells", async () => {
    const { json, call, home, context } = await connect();
    await json("memory_store", { key: "port", value: "The service listens on port 8123" });
    const code = /allow-once (\w+)/.exec(textOf(await call("memory_forget", { key: "port" })))?.[1] ?? "";
    const stateHome = join(home, ".amplihack");
    grantOnce(context.system, stateHome, { code: code, command: "x", cwd: "/", rules: [], refusedMs: 0 });
    expect(await json("memory_forget", { key: "port" })).toMatchObject({ forgotten: true });
    const lines = readFileSync(join(stateHome, "logs/audit.jsonl"), "utf8").trim().split("\n");
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { host: "mcp", tool: "memory_forget", verdict: "ask" },
      { host: "mcp", tool: "memory_forget", verdict: "allow", granted: [code] },
    ]);
  });

  it("is not asked about where the guard is off", async () => {
    const { json, home } = await connect();
    await json("memory_store", { key: "port", value: "The service listens on port 8123" });
    writeFileSync(join(home, ".amplihack/config.jsonc"), '{ "parts": ["memory"] }', { mode: 0o600 });
    expect(await json("memory_forget", { key: "port" })).toMatchObject({ forgotten: true });
  });
});

describe("guard_check", () => {
  it("judges without running and offers no code", async () => {
    const { json, project } = await connect();
    writeFileSync(join(project, "keep.txt"), "kept");
    const verdicts = await Promise.all(
      ["git status", "git push --force origin feature", "rm -rf ~"].map(command =>
        json<{ verdict: string }>("guard_check", { command }),
      ),
    );
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(["allow", "ask", "deny"]);
    expect(verdicts.some(verdict => "code" in verdict)).toBe(false);
    expect(existsSync(join(project, "keep.txt"))).toBe(true);
  });

  it("names a directory that is not there", async () => {
    const { call } = await connect();
    const result = await call("guard_check", { command: "ls", directory: "missing" });
    expect([result.isError, textOf(result)]).toEqual([true, "the directory does not exist"]);
  });
});

describe("recipes", () => {
  const RECIPE = `name: greet
description: says hello
version: "1.0"
context: { who: world }
steps:
  - id: hello
    type: bash
    command: printf 'hello %s' "$RECIPE_VAR_who"
    output: said
`;
  const withRecipe = (project: string, name: string, text: string) => {
    const path = join(project, `${name}.yaml`);
    writeFileSync(path, text);
    return path;
  };

  it("are listed", async () => {
    const { json } = await connect();
    const { recipes } = await json<{ recipes: readonly { name: string }[] }>("recipe_list");
    expect(recipes.map(({ name }) => name)).toContain("hello");
  });

  it("run only after a yes; a dry run needs none", async () => {
    const careful = await connect();
    const recipe = withRecipe(careful.project, "greet", RECIPE);
    const refused = await careful.call("recipe_run", { recipe });
    expect(refused.isError).toBe(true);
    expect(await careful.json("recipe_run", { recipe, dry_run: true })).toMatchObject({ success: true });

    const { client, questions } = await connect({ home: careful.home, answer: yes });
    const told: string[] = [];
    const result = await client.callTool(
      { name: "recipe_run", arguments: { recipe, context: { who: "Ana" } } },
      undefined,
      { ...PATIENT, onprogress: ({ message = "" }) => told.push(message) },
    );
    const document = JSON.parse(textOf(result as never));
    expect(document).toMatchObject({ status: "SUCCESS", steps: [{ step_id: "hello", output: "hello Ana" }] });
    expect(questions[0]).toContain("amplihack recipe run --context who=Ana");
    expect(told).toEqual(["recipe greet", "step hello", "step hello completed"]);
  });

  it("that fail are errors, with the output of the step", async () => {
    const { call, project } = await connect({ answer: yes });
    const recipe = withRecipe(project, "fails", RECIPE.replace(/printf.*/, "echo broken >&2; exit 3"));
    const result = await call("recipe_run", { recipe });
    expect(result.isError).toBe(true);
    expect(JSON.parse(textOf(result))).toMatchObject({ success: false, steps: [{ status: "failed" }] });
    const missing = await call("recipe_run", { recipe: "no-such-recipe" });
    expect(JSON.parse(textOf(missing))).toMatchObject({ exit_code: 3 });
  });

  it("end when the client cancels, and when it goes", async () => {
    const { client, project, idle } = await connect({ answer: yes });
    const recipe = withRecipe(project, "waits", RECIPE.replace(/printf.*/, "touch started; sleep 600"));
    const run = (signal: AbortSignal, onprogress: () => void) =>
      client
        .callTool({ name: "recipe_run", arguments: { recipe } }, undefined, {
          ...PATIENT,
          signal,
          onprogress,
        })
        .catch(() => "cancelled");
    const cancel = new AbortController();
    const first = run(cancel.signal, () => cancel.abort());
    expect(await first).toBe("cancelled");
    await idle();
    await new Promise<void>(resolve => {
      void run(new AbortController().signal, resolve);
    });
    await client.close();
    await idle();
  });
});

describe("history", () => {
  it("is listed and shown as a diff, and nothing of it can be undone here", async () => {
    const { json, call, client, context, home, project } = await connect();
    expect(await json("history_list")).toEqual({ changes: [], problems: [] });
    expect(textOf(await call("history_show", { id: "nothing" }))).toContain("no change has that id");
    const file = join(project, "notes.txt");
    writeFileSync(file, "one\n");
    await recordCall(
      context.system,
      { home, project },
      { tool: "Write", command: "", targets: ["notes.txt"] },
      () => writeFileSync(file, "two\n"),
    );
    const { changes } = await json<{ changes: readonly { id: string }[] }>("history_list", {
      path: "notes.txt",
      since_minutes: 60,
    });
    expect(changes).toMatchObject([{ tool: "Write", file_count: 1, undone: false }]);
    const shown = await json<{ diff: string }>("history_show", { id: changes[0]?.id });
    expect(shown.diff).toContain("-one\n+two\n");
    expect((await client.listTools()).tools.some(({ name }) => /undo|redo|allow/.test(name))).toBe(false);
  });
});
