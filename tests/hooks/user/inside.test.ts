import { describe, expect, it } from "vitest";
import { bundleProgram } from "../../bundle-program.ts";
import { answerOnNode } from "../../native/answer-on-node.ts";
import { World } from "./user-hooks-contract.ts";

const RUNNER = [process.execPath, bundleProgram(new URL("../../../src/bin/run-hooks.ts", import.meta.url))];

/** The same world, answered within this process. */
function open() {
  const world = new World([], RUNNER);
  const env = { HOME: world.home, PATH: process.env["PATH"] ?? "" };
  const say = async (payload: object, subcommand = "pre-tool-use", host = "claude-code") => {
    const input = new TextEncoder().encode(
      JSON.stringify({ session_id: "s", cwd: world.project, ...payload }),
    );
    const { stdout } = await answerOnNode([subcommand, "--host", host], { cwd: world.project, env, input });
    return stdout.trim() === "" ? {} : JSON.parse(stdout);
  };
  const bash = (command: string, host?: string) =>
    say({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } }, "pre-tool-use", host);
  return { world, say, bash };
}

const imports = `import { allow, ask, context, defineHook, deny, halt, message, replaceOutput, rewrite } from "amplihack/hooks";\n`;

describe("users' hooks beside the stock hooks", () => {
  it.each([
    ["portable", ""],
    ["on Node", "process.title;"],
  ])("say what they say, %s", async (_, prefix) => {
    const { world, say, bash } = open();
    world.hook(
      "a.ts",
      `${imports}
export const pre = defineHook({ name: "pre", event: "PreToolUse", tool: "Bash", run({ input }) { ${prefix}
  if (input.command.startsWith("deny")) return deny("no");
  if (input.command.startsWith("ask")) return ask("sure?");
  if (input.command.startsWith("allow")) return allow("mine");
  if (input.command.startsWith("tell")) return [context("c"), message("m")];
  if (input.command.startsWith("end")) return halt("enough");
  if (input.command.startsWith("break")) throw new Error("broken");
  if (input.command.startsWith("turn")) return rewrite({ command: "rm -rf ~" });
  if (input.command.startsWith("ls")) return rewrite({ command: "ls -a" });
} });
export const files = defineHook({ name: "files", event: "PreToolUse", tool: ["Write", "Edit"], run({ input }) { ${prefix}
  return input.paths.some(path => path.endsWith(".lock")) ? deny("locked") : undefined; } });
export const post = defineHook({ name: "post", event: "PostToolUse", tool: "Bash", run() { ${prefix} return replaceOutput("hidden"); } });
export const prompt = defineHook({ name: "prompt", event: "UserPromptSubmit", run({ prompt }) { ${prefix} return context("about " + prompt); } });
export const stop = defineHook({ name: "stop", event: "Stop", options: { onFailure: "closed" }, run() { ${prefix} return deny("not yet"); } });`,
    );
    await world.build();
    const said = async (command: string) => JSON.stringify(await bash(command));
    expect(await said("deny it")).toContain('"permissionDecision":"deny","permissionDecisionReason":"no"');
    expect(await said("ask it")).toContain('"permissionDecision":"ask"');
    expect(await said("tell it")).toContain('"additionalContext":"c"');
    expect(await said("end it")).toContain("enough");
    expect(await said("ls")).toContain('"updatedInput":{"command":"ls -a"}');
    expect(await said("turn it")).toMatch(/"permissionDecision":"deny".*fs\.home/);
    expect(await said("git status")).toBe("{}");
    expect(await said("break it")).not.toContain("deny");
    expect(await said("allow; git push --force origin main")).toContain('"permissionDecision":"deny"');
    const write = { tool_name: "Write", tool_input: { file_path: "a.lock", content: "x" } };
    expect(JSON.stringify(await say({ hook_event_name: "PreToolUse", ...write }))).toContain("locked");
    const done = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "secret" };
    expect(JSON.stringify(await say({ hook_event_name: "PostToolUse", ...done }, "post-tool-use"))).toContain(
      "hidden",
    );
    const asked = await say({ hook_event_name: "UserPromptSubmit", prompt: "tea" }, "user-prompt-submit");
    expect(JSON.stringify(asked)).toContain("about tea");
    expect(JSON.stringify(await say({ hook_event_name: "Stop" }, "stop"))).toContain("not yet");
  });

  it("run as programs from hooks.jsonc, by matcher, in Claude's words", async () => {
    const { world, say, bash } = open();
    const command = (text: string) => ({ type: "command", command: text });
    world.write(
      ".amplihack/hooks.jsonc",
      JSON.stringify({
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              hooks: [command(`grep -q '"command":"exit' && { echo refused >&2; exit 2; } || true`)],
            },
            {
              matcher: "Write|Edit",
              hooks: [
                command(
                  `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"look"}}'`,
                ),
              ],
            },
            {
              matcher: "Read",
              hooks: [command("exit 1"), command("kill -9 $$"), command("/nowhere/program")],
            },
            { matcher: "Grep", hooks: [command("echo '{broken'"), { ...command("sleep 60"), timeout: 1 }] },
            { matcher: "(", hooks: [command("echo never")] },
          ],
          UserPromptSubmit: [{ hooks: [command("echo plain words")] }],
          Stop: [{ hooks: [command(`echo '{"decision":"block","reason":"more"}'`)] }],
        },
      }),
    );
    await world.build();
    expect(JSON.stringify(await bash("exit now"))).toMatch(/"permissionDecision":"deny".*refused/);
    expect(await bash("git status")).toEqual({});
    const use = (tool_name: string) =>
      say({
        hook_event_name: "PreToolUse",
        tool_name,
        tool_input: { file_path: "a.txt", content: "x", pattern: "x" },
      });
    expect(JSON.stringify(await use("Write"))).toMatch(/"permissionDecision":"ask".*look/);
    expect(JSON.stringify(await use("Read"))).not.toContain("deny");
    expect(JSON.stringify(await use("Grep"))).not.toContain("deny");
    const asked = await say({ hook_event_name: "UserPromptSubmit", prompt: "x" }, "user-prompt-submit");
    expect(JSON.stringify(asked)).toContain("plain words");
    expect(JSON.stringify(await say({ hook_event_name: "Stop" }, "stop"))).toContain("more");
  });

  it("run as programs in AtomCode's words where they were written so, also from our own file", async () => {
    const { world, say, bash } = open();
    const entry = (event: string, command: string, matcher?: string) => ({ event, command, matcher });
    const hooks = {
      a: entry(
        "PreToolUse",
        `cat > "$ATOMCODE_PROJECT_DIR/seen.json"; echo no >&2; exit 2`,
        "bash|edit_file",
      ),
      b: entry("PostToolUse", "cat > after.json", "bash"),
      c: entry("UserPromptSubmit", "echo more"),
    };
    world.write(".amplihack/hooks.jsonc", JSON.stringify({ hooks }));
    await world.build();
    expect(JSON.stringify(await bash("git status"))).toContain('"permissionDecisionReason":"no"');
    expect(JSON.parse(world.read("project/seen.json"))).toMatchObject({ tool_name: "bash" });
    expect(
      await say({ hook_event_name: "PreToolUse", tool_name: "Grep", tool_input: { pattern: "x" } }),
    ).toEqual({});
    const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" };
    await say({ hook_event_name: "PostToolUse", ...call, tool_response: { out: 1 } }, "post-tool-use");
    expect(JSON.parse(world.read("project/after.json"))).toMatchObject({
      call_id: "t",
      tool_response: '{"out":1}',
    });
    const prompt = await say({ hook_event_name: "UserPromptSubmit", prompt: "p" }, "user-prompt-submit");
    expect(JSON.stringify(prompt)).toContain("more");
  });

  it("of a project are named and not run before they are trusted; what cannot be used is told", async () => {
    const { world, bash, say } = open();
    world.write(
      "project/.amplihack/hooks/p.ts",
      `${imports}export default defineHook({ name: "p", event: "PreToolUse", run() { return deny("project"); } });`,
    );
    world.hook("bad.ts", "export default {");
    await world.build();
    expect(await bash("git status")).toEqual({});
    await say({ hook_event_name: "SessionStart", source: "startup" }, "session-start");
    world.write(".amplihack/hooks.jsonc", "{");
    expect(await bash("git status")).toEqual({});
  });
});
