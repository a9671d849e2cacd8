import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { ModuleOptions } from "../../src/install/generated-modules.ts";
import { opencodePlugin, piExtension } from "../../src/install/generated-modules.ts";
import type { JsonObject } from "../../src/protocol/index.ts";
import { withEnoughTime } from "../enough-time.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

// The generated modules are loaded as their hosts load them and talk to a real program, a shell script that records
// what it is given and answers what the test put down for the subcommand.

let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
  script(
    'cat > "$here/$1.input"\necho "$*" >> "$here/calls"\ncat "$here/$1.answer" 2>/dev/null || echo "{}"\n',
  );
});

function script(body: string): void {
  writeFileSync(join(folder, "program"), `#!/bin/sh\nhere=$(dirname "$0")\n${body}`);
  chmodSync(join(folder, "program"), 0o755);
}

function answer(subcommand: string, value: JsonObject): void {
  writeFileSync(join(folder, `${subcommand}.answer`), `${JSON.stringify(value)}\n`);
}

const calls = () =>
  existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8").trim() : "";
const given = (subcommand: string) =>
  JSON.parse(readFileSync(join(folder, `${subcommand}.input`), "utf8")) as JsonObject;
const nested = (members: JsonObject) => ({ hookSpecificOutput: { hookEventName: "x", ...members } });

let loads = 0;
async function load<T>(
  generate: (options: ModuleOptions) => string,
  failure: ModuleOptions["failure"] = "open",
) {
  const text = generate({ program: join(folder, "program"), failure, version: "1.2.3" });
  const path = join(folder, `module-${loads++}.mjs`);
  writeFileSync(path, text);
  return (await import(pathToFileURL(path).href)) as T;
}

const DENY = nested({ permissionDecision: "deny", permissionDecisionReason: "not that" });

describe("the OpenCode plugin", () => {
  type Hook = (input: unknown, output: unknown) => Promise<void>;
  type Hooks = Record<string, Hook> & {
    event(argument: unknown): Promise<void>;
    dispose(): Promise<void>;
  };
  const shown: string[] = [];
  const client = {
    app: { log: async () => {} },
    tui: {
      showToast: async ({ body }: { body: { message: string } }) => {
        shown.push(body.message);
      },
    },
  };

  async function plugin(failure: ModuleOptions["failure"] = "open"): Promise<Hooks> {
    shown.length = 0;
    const module = await load<Record<string, (argument: unknown) => Promise<Hooks>>>(opencodePlugin, failure);
    const [start, ...others] = Object.values(module);
    expect(others, "OpenCode calls every export").toEqual([]);
    if (start === undefined) throw new Error("nothing exported");
    return start({ client, directory: folder });
  }

  const beforeTool = (hooks: Hooks, args: JsonObject) =>
    hooks["tool.execute.before"]?.({ tool: "bash", sessionID: "s1", callID: "c1" }, { args });

  it("hands on the native arguments with event, directory and session", async () => {
    await beforeTool(await plugin(), { command: "ls" });
    expect(calls()).toBe("pre-tool-use --host opencode --event tool.execute.before");
    expect(given("pre-tool-use")).toEqual({
      input: { tool: "bash", sessionID: "s1", callID: "c1" },
      output: { args: { command: "ls" } },
      hook_event_name: "tool.execute.before",
      cwd: folder,
      session_id: "s1",
    });
  });

  it("throws to refuse a tool and to refuse a prompt", async () => {
    answer("pre-tool-use", DENY);
    answer("user-prompt-submit", { decision: "block", reason: "no such prompt" });
    const hooks = await plugin();
    await expect(beforeTool(hooks, { command: "ls" })).rejects.toThrow("not that");
    const prompt = hooks["chat.message"]?.({ sessionID: "s1" }, { parts: [{ type: "text", text: "go" }] });
    await expect(prompt).rejects.toThrow("no such prompt");
    expect(shown).toContain("no such prompt");
  });

  it("changes the arguments in place, members gone included", async () => {
    answer("pre-tool-use", nested({ updatedInput: { command: "pwd" } }));
    const args = { command: "ls", timeout: 5 };
    await beforeTool(await plugin(), args);
    expect(args).toEqual({ command: "pwd" });
  });

  it("leaves everything as it is when there is nothing to say", async () => {
    const hooks = await plugin();
    const args = { command: "ls" };
    const result = { title: "t", output: "out", metadata: {} };
    const message = { parts: [{ type: "text", text: "go" }] };
    await beforeTool(hooks, args);
    await hooks["tool.execute.after"]?.({ tool: "bash", sessionID: "s1", args }, result);
    await hooks["chat.message"]?.({ sessionID: "s1" }, message);
    expect([args, result, message]).toEqual([
      { command: "ls" },
      { title: "t", output: "out", metadata: {} },
      { parts: [{ type: "text", text: "go" }] },
    ]);
  });

  it("appends context to a result, and replaces one that is refused or rewritten", async () => {
    const hooks = await plugin();
    const afterTool = async (said: JsonObject, result: JsonObject) => {
      answer("post-tool-use", said);
      await hooks["tool.execute.after"]?.({ tool: "bash", sessionID: "s1", args: {} }, result);
      return result;
    };
    expect(await afterTool(nested({ additionalContext: "note" }), { output: "out" })).toEqual({
      output: "out\n\nnote",
    });
    expect(await afterTool({ decision: "block", reason: "secret" }, { output: "out" })).toEqual({
      output: "secret",
    });
    expect(await afterTool(nested({ updatedToolOutput: { a: 1 } }), { output: "out" })).toEqual({
      output: '{"a":1}',
    });
    expect(await afterTool(nested({ additionalContext: "note" }), { content: [] })).toEqual({
      content: [{ type: "text", text: "note" }],
    });
  });

  it("takes the context of a session start along with the first prompt, once", async () => {
    answer("session-start", nested({ additionalContext: "welcome" }));
    answer("user-prompt-submit", nested({ additionalContext: "remember" }));
    const hooks = await plugin();
    const event = { type: "session.created", properties: { sessionID: "s1", info: { id: "s1" } } };
    await hooks.event({ event });
    const say = async () => {
      const parts = [{ type: "file" }, { type: "text", text: "go" }];
      await hooks["chat.message"]?.({ sessionID: "s1" }, { parts });
      return parts[1]?.text;
    };
    expect(await say()).toBe("go\n\nwelcome\n\nremember");
    expect(await say()).toBe("go\n\nremember");
    expect(given("session-start")).toMatchObject({ event, session_id: "s1" });
  });

  it("ends each session once, also when the host goes without saying so", async () => {
    const hooks = await plugin();
    const created = (sessionID: string, info: JsonObject = { id: sessionID }) =>
      hooks.event({ event: { type: "session.created", properties: { sessionID, info } } });
    await created("s1");
    await created("s2");
    await created("child", { id: "child", parentID: "s1" });
    await hooks.event({ event: { type: "session.deleted", properties: { sessionID: "s1" } } });
    await hooks.dispose();
    await hooks.dispose();
    expect(calls().match(/session-stop/g)).toHaveLength(2);
    expect(calls()).not.toContain("child");
  });

  it.each([
    ["ends with a code", "cat > /dev/null\nexit 7\n"],
    ["prints no JSON", "cat > /dev/null\necho hello\n"],
    ["prints another kind of JSON", "cat > /dev/null\necho '[]'\n"],
    ["prints nothing", "cat > /dev/null\n"],
    ["dies", "kill -9 $$\n"],
  ])("judges a program that %s by the failure policy", async (_, body) => {
    script(body);
    const args = { command: "ls" };
    await beforeTool(await plugin("open"), args);
    expect(shown.join()).toMatch(/^could not check/);
    await expect(beforeTool(await plugin("closed"), args)).rejects.toThrow(/^could not check/);
    await expect(beforeTool(await plugin("ask"), args)).rejects.toThrow(/^could not check/);
    expect(args).toEqual({ command: "ls" });
  });

  it("judges a program that is not there", async () => {
    rmSync(join(folder, "program"));
    await beforeTool(await plugin("open"), {});
    await expect(beforeTool(await plugin("closed"), {})).rejects.toThrow("cannot be started (ENOENT)");
  });

  it("takes exit code 2 for a refusal with the reason on stderr", async () => {
    script("cat > /dev/null\necho 'no node here' >&2\necho '{\"hook\":\"x\"}' >&2\nexit 2\n");
    await expect(beforeTool(await plugin("open"), {})).rejects.toThrow(/^no node here$/);
  });

  it("shows that a hook failed although it let things pass", async () => {
    script("cat > /dev/null\necho 'could not check this: disk full' >&2\necho '{}'\n");
    await beforeTool(await plugin(), {});
    expect(shown).toEqual(["could not check this: disk full"]);
  });

  it("does not wait for ever, nor leave the program behind", async () => {
    script('echo $$ > "$here/pid"\nexec sleep 1000\n');
    await withEnoughTime(
      async seconds => {
        const impatient = (options: ModuleOptions) =>
          opencodePlugin(options).replace(/const USUAL_SECONDS = \d+;/, `const USUAL_SECONDS = ${seconds};`);
        const module = await load<Record<string, (argument: unknown) => Promise<Hooks>>>(impatient, "closed");
        const hooks = await Object.values(module)[0]?.({ client, directory: folder });
        if (hooks === undefined) throw new Error("nothing exported");
        await expect(beforeTool(hooks, {})).rejects.toThrow(`did not answer within ${seconds} s`);
      },
      () => existsSync(join(folder, "pid")) && readFileSync(join(folder, "pid"), "utf8").endsWith("\n"),
    );
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await expect.poll(() => isAlive(pid), { timeout: 200_000 }).toBe(false);
  });

  it("keeps to ten seconds", () => {
    const text = opencodePlugin({ program: "/x", failure: "open", version: "1" });
    expect(text).toContain("const USUAL_SECONDS = 10;");
  });

  it("waits longer where the team answers questions, and says so to the program", async () => {
    script('cat > /dev/null\necho "$@" > "$here/words"\necho "{}"\n');
    const waiting = (options: ModuleOptions) => opencodePlugin({ ...options, waitMs: 60_000 });
    expect(waiting({ program: "/x", failure: "open", version: "1" })).toContain('{"pre-tool-use":70}');
    const module = await load<Record<string, (argument: unknown) => Promise<Hooks>>>(waiting, "closed");
    const hooks = await Object.values(module)[0]?.({ client, directory: folder });
    if (hooks === undefined) throw new Error("nothing exported");
    await beforeTool(hooks, {});
    expect(readFileSync(join(folder, "words"), "utf8")).toMatch(/^pre-tool-use .* --limit=70\n$/);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the Pi extension", () => {
  type Handler = (event: unknown, ctx: unknown) => Promise<unknown>;

  interface Screen {
    readonly hasUI: boolean;
    readonly says?: boolean;
  }
  const shown: string[] = [];
  const asked: string[] = [];

  const context = ({ hasUI, says = false }: Screen) => ({
    hasUI,
    cwd: folder,
    sessionManager: { getSessionId: () => "p1", getSessionFile: () => "/p1.jsonl" },
    ui: {
      notify: (text: string) => {
        shown.push(text);
      },
      confirm: async (_: string, text: string) => {
        asked.push(text);
        return says;
      },
    },
  });

  async function extension(failure: ModuleOptions["failure"] = "open") {
    shown.length = 0;
    asked.length = 0;
    const handlers = new Map<string, Handler>();
    const module = await load<{ default: (pi: unknown) => void }>(piExtension, failure);
    module.default({ on: (event: string, handler: Handler) => handlers.set(event, handler) });
    return async (event: JsonObject, screen: Screen = { hasUI: true }, ctx: unknown = context(screen)) =>
      handlers.get(String(event["type"]))?.(event, ctx);
  }

  const call = (input: JsonObject = { command: "ls" }) => ({
    type: "tool_call",
    toolName: "bash",
    toolCallId: "c1",
    input,
  });

  it("hands on the native event with event, directory, session and transcript", async () => {
    const send = await extension();
    expect(await send(call())).toBeUndefined();
    expect(calls()).toBe("pre-tool-use --host pi --event tool_call");
    expect(given("pre-tool-use")).toEqual({
      ...call(),
      hook_event_name: "tool_call",
      cwd: folder,
      session_id: "p1",
      transcript_path: "/p1.jsonl",
    });
  });

  it("blocks a refused tool and changes the input in place", async () => {
    answer("pre-tool-use", DENY);
    expect(await (await extension())(call())).toEqual({ block: true, reason: "not that" });
    answer("pre-tool-use", nested({ updatedInput: { command: "pwd" } }));
    const rewritten = call({ command: "ls", timeout: 1 });
    expect(await (await extension())(rewritten)).toBeUndefined();
    expect(rewritten.input).toEqual({ command: "pwd" });
  });

  it("asks on a screen and refuses without one, telling how to permit the call", async () => {
    answer("pre-tool-use", {
      ...nested({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
      allowOnce: "amplihack guard allow-once K7Q2M9",
    });
    const send = await extension();
    expect(await send(call(), { hasUI: true, says: true })).toBeUndefined();
    expect(await send(call(), { hasUI: true, says: false })).toEqual({ block: true, reason: "sure?" });
    expect(asked).toEqual(["sure?", "sure?"]);
    expect(await send(call(), { hasUI: false })).toEqual({
      block: true,
      reason: "sure?\nTo permit the call once, your user runs:\namplihack guard allow-once K7Q2M9",
    });
  });

  it("says what to add to a result, or what to put in its place", async () => {
    const send = await extension();
    const result = { type: "tool_result", toolName: "bash", content: [{ type: "text", text: "out" }] };
    const said = async (value: JsonObject) => {
      answer("post-tool-use", value);
      return send(result);
    };
    const text = (value: string) => ({ type: "text", text: value });
    expect(await said({})).toBeUndefined();
    expect(await said(nested({ additionalContext: "note" }))).toEqual({
      content: [text("out"), text("note")],
    });
    expect(await said({ decision: "block", reason: "secret" })).toEqual({
      content: [text("secret")],
      isError: true,
    });
    expect(await said(nested({ updatedToolOutput: "clean" }))).toEqual({ content: [text("clean")] });
  });

  it("swallows a refused prompt and says why", async () => {
    answer("user-prompt-submit", { decision: "block", reason: "no such prompt" });
    const send = await extension();
    expect(await send({ type: "input", text: "go", source: "interactive" })).toEqual({ action: "handled" });
    expect(shown).toEqual(["no such prompt"]);
  });

  it("puts the context of start and prompt in front of the agent, once", async () => {
    answer("session-start", nested({ additionalContext: "welcome" }));
    answer("workflow-classification-reminder", nested({ additionalContext: "classify" }));
    answer("user-prompt-submit", nested({ additionalContext: "remember" }));
    const send = await extension();
    await send({ type: "session_start", reason: "startup" });
    expect(await send({ type: "input", text: "go" })).toEqual({ action: "continue" });
    expect(await send({ type: "before_agent_start", prompt: "go" })).toEqual({
      message: { customType: "amplihack", content: "welcome\n\nclassify\n\nremember", display: false },
    });
    expect(await send({ type: "before_agent_start", prompt: "go" })).toBeUndefined();
  });

  it("may stop a compaction and leaves the conversation out of the payload", async () => {
    answer("pre-compact", { decision: "block", reason: "not now" });
    const send = await extension();
    const compact = { type: "session_before_compact", branchEntries: [1], preparation: {}, signal: {} };
    expect(await send(compact)).toEqual({ cancel: true });
    expect(Object.keys(given("pre-compact"))).not.toContain("branchEntries");
  });

  it("ends a session whose context can no longer be read", async () => {
    const send = await extension();
    await send(call());
    const stale = () => {
      throw new Error("stale");
    };
    const gone = Object.defineProperties({}, { hasUI: { get: stale }, cwd: { get: stale } });
    answer("session-stop", { systemMessage: "bye" });
    await send({ type: "session_shutdown", reason: "quit" }, { hasUI: false }, gone);
    expect(given("session-stop")).toMatchObject({ reason: "quit", session_id: "p1", cwd: folder });
  });

  it("judges a program that fails by the failure policy, before tools and prompts only", async () => {
    script("cat > /dev/null\nexit 7\n");
    const open = await extension("open");
    expect(await open(call())).toBeUndefined();
    expect(shown.join()).toMatch(/^could not check/);
    const closed = await extension("closed");
    expect(await closed(call())).toEqual({ block: true, reason: expect.stringMatching(/^could not check/) });
    expect(await closed({ type: "input", text: "go" })).toEqual({ action: "handled" });
    expect(await closed({ type: "tool_result", content: [] })).toBeUndefined();
    const asks = await extension("ask");
    expect(await asks(call(), { hasUI: true, says: true })).toBeUndefined();
    expect(await asks(call(), { hasUI: false })).toMatchObject({ block: true });
  });
});

describe("the text of a generated module", () => {
  it("holds any program path and version as data", async () => {
    const nasty = { program: "/a\"b'c`${d}\n", failure: "open", version: "1\nprocess.exit()" } as const;
    for (const generate of [opencodePlugin, piExtension]) {
      const text = generate(nasty);
      expect(text.split("\n")[0]).toBe(
        "// Written by amplihack 1 process.exit(). Changes are lost at the next install.",
      );
      expect(text).toContain(`const PROGRAM = ${JSON.stringify(nasty.program)};`);
      await load(() => text);
    }
  });
});
