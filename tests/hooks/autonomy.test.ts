import { describe, expect, it } from "vitest";
import type { Autonomy } from "../../src/config/index.ts";
import type { SeedEntry } from "../../src/system/memory.ts";
import { callProgram } from "./call-program.ts";

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;
const KNOWN = "echo hi > b.txt";
const YES = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };

interface Asked {
  readonly autonomy?: Autonomy;
  readonly host?: string;
  readonly config?: object;
  readonly command?: string;
  readonly tool?: string;
  readonly mode?: string | undefined;
  readonly files?: Readonly<Record<string, SeedEntry>>;
  readonly event?: "PreToolUse" | "PermissionRequest";
}

function ask({
  autonomy,
  host = "claude-code",
  config = {},
  files = {},
  event = "PreToolUse",
  ...more
}: Asked) {
  const { command = KNOWN, tool = "Bash", mode = "default" } = more;
  const payload = {
    session_id: "s-1",
    cwd: PROJECT,
    hook_event_name: event,
    ...("mode" in more && more.mode === undefined ? {} : { permission_mode: mode }),
    ...(host === "codex" ? { turn_id: "t", model: "m" } : {}),
    tool_name: tool,
    tool_input: tool === "Bash" ? { command } : { plan: "x" },
  };
  const settings = { ...(autonomy === undefined ? {} : { autonomy }), ...config };
  const subcommand = event === "PreToolUse" ? "pre-tool-use" : "permission-request";
  return callProgram([subcommand, "--host", host], {
    stdin: JSON.stringify(payload),
    env: { HOME },
    cwd: PROJECT,
    uid: 1000,
    files: {
      [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/x\n",
      [`${PROJECT}/a.txt`]: "x",
      [`${HOME}/.amplihack/config.jsonc`]: { content: JSON.stringify(settings), mode: 0o600, uid: 1000 },
      ...files,
    },
  });
}

const lines = (text: string | undefined) =>
  (text ?? "")
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line) as Record<string, unknown>);

describe("a call of which everything is known", () => {
  it("is answered where the person wants it, and the audit and the log of runs say so", async () => {
    const { stdout, system } = await ask({ autonomy: "understood" });
    expect(JSON.parse(stdout)).toMatchObject(YES);
    const logs = `${HOME}/.amplihack/logs`;
    expect(lines(system.peek(`${logs}/audit.jsonl`))).toMatchObject([
      { verdict: "allow", answered: "understood", command: KNOWN },
    ]);
    expect(lines(system.peek(`${logs}/runs.jsonl`))).toMatchObject([
      { decision: "allow", answered: "understood" },
    ]);
  });

  it.each<[string, Asked]>([
    ["nobody set the level", {}],
    ["it is off", { autonomy: "off" }],
    ["the level of the guard is strict", { autonomy: "understood", config: { guard: { level: "strict" } } }],
    ["the guard is off", { autonomy: "understood", config: { parts: ["history"] } }],
    ["history keeps nothing", { autonomy: "understood", config: { parts: ["guard"] } }],
    ["the person plans", { autonomy: "understood", mode: "plan" }],
    ["the person wants no question and no yes", { autonomy: "understood", mode: "dontAsk" }],
    ["nothing tells the mode", { autonomy: "understood", mode: undefined }],
    ["it is a question to the person", { autonomy: "understood", tool: "ExitPlanMode" }],
    ["the host lets a yes override a deny", { autonomy: "understood", host: "copilot-cli" }],
    ["the host is not known to keep to its person's rules", { autonomy: "understood", host: "cursor" }],
    ["the program is not known", { autonomy: "understood", command: "frobnicate b.txt" }],
    ["it reaches the network", { autonomy: "understood", command: "curl https://example.com" }],
    [
      "a project raised it",
      {
        files: { [`${PROJECT}/.amplihack/config.jsonc`]: '{"autonomy":"understood"}' },
      },
    ],
  ])("is not answered when %s", async (_, asked) => {
    const { stdout, system } = await ask(asked);
    expect(stdout).not.toContain("allow");
    expect(system.peek(`${HOME}/.amplihack/logs/audit.jsonl`) ?? "").not.toContain("answered");
  });

  it("is refused all the same where a rule refuses it", async () => {
    const { stdout } = await ask({ autonomy: "sandbox", command: "rm -rf ~" });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
});

describe("a host that hears a yes only when it asks", () => {
  const answerable = `${HOME}/.amplihack/guard/answerable.json`;
  const codex = { autonomy: "understood", host: "codex" } as const;

  it("is answered about a call that was judged a moment ago, once", async () => {
    const before = await ask(codex);
    expect(before.stdout).toBe("");
    const noted = before.system.peek(answerable) ?? "";
    expect(JSON.parse(noted)).toHaveLength(1);
    const asked = { ...codex, event: "PermissionRequest", files: { [answerable]: noted } } as const;
    const { stdout, system } = await ask(asked);
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
    });
    expect(JSON.parse(system.peek(answerable) ?? "")).toEqual([]);
    const other = await ask({ ...asked, command: "echo ho > b.txt" });
    expect(other.stdout).toBe("");
    const off = await ask({ ...asked, autonomy: "off" });
    expect(off.stdout).toBe("");
  });

  it.each([
    ["the person's", `${HOME}/.codex/rules/my.rules`],
    ["the project's", `${PROJECT}/.codex/rules/x.rules`],
    ["the machine's", "/etc/codex/rules/x.rules"],
  ])("is left alone while a rule of %s asks", async (_, path) => {
    const rule = 'prefix_rule(pattern=["echo"], decision="prompt")';
    const { system } = await ask({ ...codex, files: { [path]: rule } });
    expect(system.peek(answerable)).toBeUndefined();
    const forbidden = await ask({ ...codex, files: { [path]: rule.replace("prompt", "forbidden") } });
    expect(forbidden.system.peek(answerable)).toBeDefined();
  });
});
