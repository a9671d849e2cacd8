// What the core promises, as one program without a test runner: every runtime runs it as it is.
import {
  createAgentEngine,
  createEdgeSystem,
  createHookEngine,
  guard,
  withSystem,
} from "amplihack/engine/core";

const bash = command => ({ session_id: "s", tool_name: "bash", tool_input: { command } });
const isShell = value => typeof value === "object" && value !== null && typeof value.command === "string";

const CHECKS = {
  async "a typed hook refuses, rewrites and adds context"() {
    const engine = createHookEngine({ projectDir: "/project", tools: { bash: { args: isShell } } });
    engine.beforeToolCall("bash", ({ args }) =>
      args.command.includes("rm -rf") ? { block: true, reason: "no" } : undefined,
    );
    engine.beforeToolCall("bash", ({ args }) => ({ args: { command: `${args.command} -l` }, context: "c" }));
    const refused = await engine.dispatch("PreToolUse", bash("rm -rf build"));
    const changed = await engine.dispatch("PreToolUse", bash("ls"));
    return [refused.decision.kind, refused.decision.reason, changed.input.command, changed.context[0].text];
  },

  async "what hooks see is frozen, and the host's own object is not"() {
    const engine = createHookEngine({ projectDir: "/project" });
    const seen = [];
    engine.beforeToolCall("*", call => void seen.push(Object.isFrozen(call), Object.isFrozen(call.args)));
    engine.on("PreToolUse", "*", payload => void seen.push(Object.isFrozen(payload.tool_input)));
    const payload = bash("ls");
    await engine.dispatch("PreToolUse", payload);
    return [...seen, Object.isFrozen(payload), Object.isFrozen(payload.tool_input)];
  },

  async "a hook that hangs or throws refuses the call"() {
    const engine = createHookEngine({ projectDir: "/project" });
    const hanging = engine.beforeToolCall("*", () => new Promise(() => {}), { id: "slow", timeoutMs: 5 });
    const late = await engine.dispatch("PreToolUse", bash("ls"));
    hanging[Symbol.dispose]();
    engine.beforeToolCall("*", () => {
      throw new Error("broken");
    });
    const broken = await engine.dispatch("PreToolUse", bash("ls"));
    return [late.decision.kind, late.runs[0].status, broken.decision.kind, broken.runs[0].status];
  },

  async "a signal of the host ends a dispatch"() {
    const engine = createHookEngine({ projectDir: "/project" });
    const host = new AbortController();
    engine.beforeToolCall("*", (_, { signal }) => {
      host.abort();
      return new Promise(done => signal.addEventListener("abort", () => done(undefined)));
    });
    const { aborted, decision } = await engine.dispatch("PreToolUse", bash("ls"), { signal: host.signal });
    return [aborted, decision.kind];
  },

  async "the guard judges commands, and by name what it cannot see"() {
    const engine = createAgentEngine({ projectDir: "/home/user/project" });
    engine.use(guard({ home: "/home/user" }));
    const verdictOf = async command => (await engine.decide("bash", { command })).kind;
    return [
      await verdictOf("rm -rf /"),
      await verdictOf("rm -rf src"),
      await verdictOf("git push --force origin main"),
      await verdictOf("ls -la && git status"),
      await verdictOf("npm test"),
    ];
  },

  async "the guard knows the files that it was told"() {
    const cwd = "/home/user/project";
    const files = { [`${cwd}/src/main.ts`]: "export {};\n" };
    const engine = createAgentEngine({ projectDir: cwd });
    engine.use(guard({ home: "/home/user" }, createEdgeSystem({ files, isComplete: true, cwd })));
    const verdictOf = async command => (await engine.decide("bash", { command })).kind;
    return [await verdictOf("rm -rf src"), await verdictOf("rm -rf not-there")];
  },

  async "a hook of the Hook type is given its system"() {
    const engine = createHookEngine({ projectDir: "/project" });
    const system = createEdgeSystem({ files: { "/project/key": "42" }, env: { USER: "me" } });
    const hook = {
      id: "reader",
      event: "PreToolUse",
      run: (input, { files, env, text }) => ({
        context: `${input.tool.name} ${text.decode(files.read("/project/key", 10)).text} ${env.get("USER")}`,
      }),
    };
    engine.use(withSystem(hook, system));
    return (await engine.dispatch("PreToolUse", bash("ls"))).context[0].text;
  },

  async "a call waits for a person, signed, and is resumed by another engine"() {
    const approvals = { key: "0123456789abcdef0123456789abcdef" };
    const [first, second] = [1, 2].map(() => createAgentEngine({ projectDir: "/project", approvals }));
    first.beforeToolCall("*", () => ({ decision: "ask", reason: "really?" }));
    const run = ({ command }) => `ran ${command}`;
    const { status, pending } = await first.call("bash", { command: "ls" }, run);
    const stored = JSON.parse(JSON.stringify(pending));
    const changed = await second.resume({ ...stored, args: { command: "rm" } }, true, run);
    const done = await second.resume(stored, true, run);
    return [status, changed.status, done.status, done.result];
  },

  async "an argument of a class that only claims to be the language's is refused"() {
    const inherited = { command: "rm -rf /" };
    const { WeakMap: named } = { WeakMap: () => {} };
    const claims = named.bind();
    Object.defineProperty(claims, "name", { value: "WeakMap" });
    Object.defineProperty(claims, "prototype", { value: inherited });
    Object.defineProperty(inherited, "constructor", { value: claims });
    const engine = createAgentEngine({ projectDir: "/project" });
    engine.beforeToolCall("*", () => undefined);
    const statusOf = async value => (await engine.call("tool", { value }, () => 1)).status;
    return [
      await statusOf(Object.create(inherited)),
      await statusOf(new WeakMap()),
      await statusOf(new Map([["a", new Date(0)]])),
    ];
  },

  async "what the core does not have is an error"() {
    const thrown = work => {
      try {
        work();
        return "nothing";
      } catch (error) {
        return error.name;
      }
    };
    const projectDir = "/project";
    return [
      thrown(() => createHookEngine({ projectDir, sources: [] })),
      thrown(() => createHookEngine({ projectDir, telemetry: {} })),
      thrown(() => createHookEngine({ projectDir, tools: { x: { args: { type: "object" } } } })),
      thrown(() => createHookEngine({ projectDir }).use({ id: "x", event: "PreToolUse", run() {} })),
    ];
  },
};

export const EXPECTED = {
  "a typed hook refuses, rewrites and adds context": ["deny", "no", "ls -l", "c"],
  "what hooks see is frozen, and the host's own object is not": [true, true, true, false, false],
  "a hook that hangs or throws refuses the call": ["deny", "timeout", "deny", "failed"],
  "a signal of the host ends a dispatch": [true, "deny"],
  "the guard judges commands, and by name what it cannot see": ["deny", "ask", "deny", "run", "run"],
  "the guard knows the files that it was told": ["ask", "run"],
  "a hook of the Hook type is given its system": "bash 42 me",
  "a call waits for a person, signed, and is resumed by another engine": [
    "pending",
    "denied",
    "done",
    "ran ls",
  ],
  "an argument of a class that only claims to be the language's is refused": ["denied", "done", "done"],
  "what the core does not have is an error": ["TypeError", "TypeError", "TypeError", "TypeError"],
};

/** What every check came to, as text, so that realms and runtimes can be compared. */
export async function runScenario() {
  const results = {};
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      results[name] = await check();
    } catch (error) {
      results[name] = `threw ${error.stack ?? error}`;
    }
  }
  return JSON.stringify(results);
}
