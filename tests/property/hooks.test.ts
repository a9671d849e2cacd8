import fc from "fast-check";
import * as hooks from "../../src/exports/hooks.ts";
import { BRIDGE_ACTIONS, REPLY_LIMITS } from "../../src/exports/hooks.ts";
import { type Effect, findEvent, fold, type Hook } from "../../src/protocol/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";
import { type Claim, describePublicFunctions, forAll, forBoth } from "./public-functions.ts";
import { environments, json, keys, paths, texts } from "./values.ts";

const options: fc.Arbitrary<hooks.HookOptions> = fc.record(
  { budgetMs: fc.nat(10_000), program: fc.array(texts, { minLength: 1, maxLength: 2 }) },
  { requiredKeys: [] },
);
const bridgeMembers = fc.constantFrom(
  "version",
  "action",
  "session_id",
  "transcript_path",
  "project_path",
  "prompt",
  "agents",
  "severity",
  "findings",
  "should_block",
  "context",
  "memories",
  "stored",
  "memories_count",
  "injected_context",
  "memory_keys_used",
);
const messages = fc.oneof(json, fc.dictionary(bridgeMembers, fc.oneof(json, texts), { maxKeys: 6 }));

/** Hooks are records: what they do with payloads is in hook-payloads.test.ts, ten thousand for each. */
function isHook(make: (given: hooks.HookOptions) => Hook<System>): Claim {
  return forAll(options, given => {
    const hook = make(given);
    return hook.id !== "" && findEvent(hook.event)?.name === hook.event && make(given).id === hook.id;
  });
}

function machineWith(env: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
  return createMemorySystem({
    env: { HOME: "/home/user", ...env },
    cwd: "/work",
    files: { "/work/.claude/x": "", ...files },
  });
}

describePublicFunctions("hooks", hooks, {
  openHookContext: forBoth(environments(["HOME", "AMPLIHACK_SESSION_ID"]), paths, (env, cwd) => {
    const input = { event: "Stop", kind: "stop", cwd, sessionId: undefined } as never;
    const context = hooks.openHookContext(input, machineWith(env), "stop");
    return (
      context.projectRoot.startsWith("/") &&
      context.sessionId === hooks.openHookContext(input, machineWith(env), "stop").sessionId
    );
  }),
  restoreLatestConversation: forBoth(fc.array(keys, { maxLength: 4 }), paths, (names, root) => {
    const sessions = names.filter(name => /^\w+$/.test(name));
    const files = sessions.map(
      name => [`/work/.claude/runtime/logs/${name}/CONVERSATION_TRANSCRIPT.md`, "x"] as const,
    );
    const found = hooks.restoreLatestConversation(machineWith({}, Object.fromEntries(files)), "/work");
    const elsewhere = hooks.restoreLatestConversation(machineWith({}), root);
    return found.length === Math.min(1, sessions.length) && elsewhere.length === 0;
  }),
  lock: forAll(fc.option(texts, { nil: undefined }), message => {
    const system = machineWith({});
    const outcome = hooks.lock(system, message);
    const isRefused = message !== undefined && message.trim() === "";
    return (outcome.kind === "bad-message") === isRefused && hooks.lockStatus(system).locked === !isRefused;
  }),
  lockStatus: forAll(texts, content => {
    const system = machineWith({}, { "/work/.claude/runtime/locks/.lock_active": content });
    const status = hooks.lockStatus(system);
    return status.locked && (status.iterations ?? 0) >= 0;
  }),
  unlock: forAll(fc.boolean(), isLocked => {
    const system = machineWith({});
    if (isLocked) hooks.lock(system);
    const { wasLocked, failures } = hooks.unlock(system);
    return wasLocked === isLocked && failures.length === 0 && !hooks.lockStatus(system).locked;
  }),
  parseBridgeRequest: forAll(messages, value => {
    const parsed = hooks.parseBridgeRequest(value);
    return parsed.ok ? BRIDGE_ACTIONS.includes(parsed.value.action) : parsed.problem !== "";
  }),
  parseBridgeReply: forBoth(fc.constantFrom(...BRIDGE_ACTIONS), messages, (action, value) => {
    const parsed = hooks.parseBridgeReply(action, value);
    if (!parsed.ok) return parsed.problem !== "";
    return Object.values(parsed.value).every(
      one => typeof one !== "string" || one.length <= REPLY_LIMITS.text + 1,
    );
  }),
  routeIntent: forAll(fc.oneof(json, texts, fc.constantFrom("fix the bug", "what is this?")), prompt => {
    const input = { event: "UserPromptSubmit", kind: "prompt", cwd: "/work", sessionId: "s" } as never;
    const context = hooks.openHookContext(input, machineWith({}), "user_prompt_submit");
    const { inject, text, reason } = hooks.routeIntent(prompt, context, "/work");
    return inject === (text !== "") && inject === (reason === "inject");
  }),
  permissionRequest: isHook(hooks.permissionRequest),
  postToolUse: isHook(hooks.postToolUse),
  postToolUseFailure: isHook(hooks.postToolUseFailure),
  preCompact: isHook(hooks.preCompact),
  preToolUse: isHook(hooks.preToolUse),
  sessionStart: isHook(hooks.sessionStart),
  sessionStop: isHook(hooks.sessionStop),
  stop: isHook(hooks.stop),
  userPromptSubmit: isHook(hooks.userPromptSubmit),
  workflowClassificationReminder: isHook(hooks.workflowClassificationReminder),
  allow: forAll(texts, reason => foldsTo(hooks.allow(reason), "allow")),
  ask: forAll(texts, reason => foldsTo(hooks.ask(reason), "ask")),
  deny: forAll(texts, reason => foldsTo(hooks.deny(reason), "deny")),
  context: forAll(texts, text => hooks.context(text).context === text),
  message: forAll(texts, text => hooks.message(text).message?.text === text),
  halt: forAll(texts, reason => hooks.halt(reason).halt?.reason === reason),
  rewrite: forAll(fc.dictionary(fc.string(), json), input => hooks.rewrite(input).input === input),
  replaceOutput: forAll(json, output => hooks.replaceOutput(output).output === output),
  defineHook: forAll(texts, name => {
    const isName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
    try {
      return hooks.defineHook({ name, event: "PreToolUse", run: () => undefined }).name === name;
    } catch (error) {
      return !isName && error instanceof TypeError;
    }
  }),
  stockHooks: forAll(options, given => {
    const all = hooks.stockHooks(given);
    return new Set(all.map(hook => hook.id)).size === all.length && all.length >= 9;
  }),
});

/** A decision comes out of the fold as it was said. */
function foldsTo(effect: Effect, verdict: string): boolean {
  return fold([{ hook: "own", effect }], { power: "veto" }).decision.kind === verdict;
}
