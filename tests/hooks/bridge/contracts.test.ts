import { describe, expect, it } from "vitest";
import {
  parseBridgeReply,
  parseBridgeRequest,
  REPLY_LIMITS,
} from "../../../src/hooks/program/bridge/contracts.ts";
import type { Json } from "../../../src/protocol/index.ts";

const REPLIES = {
  reflect: { should_block: true, findings: ["a"], severity: "low" },
  get_context: { context: "c", memories: [{ key: "k", value: "v" }] },
  store: { stored: true, memories_count: 2 },
  inject_memory: { injected_context: "c", memory_keys_used: ["k"] },
  question: { answer: "yes", by: "olga" },
} as const;
const ACTIONS = Object.keys(REPLIES) as (keyof typeof REPLIES)[];

describe("a reply", () => {
  it.each(ACTIONS)("of %s is accepted with and without a version", action => {
    expect(parseBridgeReply(action, REPLIES[action])).toEqual({ ok: true, value: REPLIES[action] });
    expect(parseBridgeReply(action, { version: 1, ...REPLIES[action] })).toEqual({
      ok: true,
      value: REPLIES[action],
    });
  });

  it("of another version is parsed with a warning", () => {
    const parsed = parseBridgeReply("store", { version: 2, ...REPLIES.store });
    expect(parsed).toMatchObject({
      ok: true,
      value: REPLIES.store,
      warning: expect.stringMatching(/version/),
    });
  });

  it.each(ACTIONS.flatMap(action => Object.keys(REPLIES[action]).map(member => [action, member] as const)))(
    "of %s without %s, or with another type there, is refused by the member's name",
    (action, member) => {
      const reply: Record<string, Json> = { ...REPLIES[action] };
      for (const wrong of [undefined, null, { secret: "x" }, Number.NaN]) {
        if (wrong === undefined) delete reply[member];
        else reply[member] = wrong as Json;
        const parsed = parseBridgeReply(action, reply);
        expect(parsed).toMatchObject({ ok: false, problem: expect.stringContaining(member) });
        expect(JSON.stringify(parsed)).not.toContain("secret");
      }
    },
  );

  it.each([[[1]], ["text"], [null], [7]])("that is %j is no object", value => {
    expect(parseBridgeReply("store", value as Json)).toEqual({ ok: false, problem: "must be a JSON object" });
  });

  it("has a severity of three and a count of whole numbers", () => {
    expect(parseBridgeReply("reflect", { ...REPLIES.reflect, severity: "huge" }).ok).toBe(false);
    expect(parseBridgeReply("store", { stored: true, memories_count: 1.5 }).ok).toBe(false);
    expect(parseBridgeReply("store", { stored: true, memories_count: -1 }).ok).toBe(false);
  });

  it("is untrusted text: cut, and without control characters", () => {
    const parsed = parseBridgeReply("inject_memory", {
      injected_context: `a\u001b[2J${"x".repeat(REPLY_LIMITS.text)}`,
      memory_keys_used: Array.from({ length: 500 }, () => "k\u0000"),
    });
    if (!parsed.ok) throw new Error(parsed.problem);
    expect(parsed.value.injected_context.startsWith("a[2Jxx")).toBe(true);
    expect(parsed.value.injected_context).toHaveLength(REPLY_LIMITS.text);
    expect(parsed.value.memory_keys_used).toHaveLength(REPLY_LIMITS.items);
    expect(parsed.value.memory_keys_used[0]).toBe("k");
  });
});

describe("a request, on the child's side", () => {
  const REQUESTS: readonly Json[] = [
    { version: 1, action: "reflect", transcript_path: null, session_id: "s" },
    { version: 1, action: "reflect", transcript_path: "/t", session_id: "s", redirects_path: "/r" },
    { version: 1, action: "get_context", session_id: "s", project_path: "/p" },
    { version: 1, action: "store", session_id: "s", transcript_path: null },
    {
      version: 1,
      action: "store",
      session_id: "s",
      transcript_path: "/t",
      agent_type: "a",
      task: null,
      success: false,
      content: "c",
    },
    { version: 1, action: "inject_memory", session_id: "s", prompt: "p" },
    { version: 1, action: "inject_memory", session_id: "s", prompt: "p", agents: ["a"] },
    {
      version: 1,
      action: "question",
      session_id: "s",
      digest: "d",
      command: "c",
      cwd: "/p",
      rules: ["git.push"],
      found: [],
      host: "codex",
      project: "/p",
      wait_ms: 0,
    },
  ];

  it.each(REQUESTS.map(request => [request]))("is accepted: %j", request => {
    expect(parseBridgeRequest(request)).toEqual({ ok: true, value: request });
  });

  it.each([
    [{ action: "explode", session_id: "s" }, "action"],
    [{ session_id: "s" }, "action"],
    [{ action: "reflect", transcript_path: null }, "session_id"],
    [{ action: "get_context", session_id: "s" }, "project_path"],
    [{ action: "store", session_id: "s", transcript_path: null, success: "yes" }, "success"],
    [{ action: "inject_memory", session_id: "s", prompt: "p", agents: "a" }, "agents"],
    [[], "object"],
  ] as [Json, string][])("is refused by name: %j", (request, name) => {
    expect(parseBridgeRequest(request)).toMatchObject({ ok: false, problem: expect.stringContaining(name) });
  });
});
