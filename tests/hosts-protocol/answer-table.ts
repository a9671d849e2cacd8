import {
  HOSTS,
  type HostId,
  type HostResponse,
  nativeEventName,
  render,
  renderFailure,
} from "../../src/exports/hosts.ts";
import {
  describeEvent,
  type Effect,
  fold,
  type JsonObject,
  type Outcome,
  powerOf,
} from "../../src/protocol/index.ts";

/** A moment to answer: a native event of a host with the payload it would come with. */
export interface Moment {
  readonly label: string;
  readonly event: string;
  readonly nativeEvent: string;
  readonly payload: JsonObject;
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  none: {},
  allow: { decision: { kind: "allow" } },
  ask: { decision: { kind: "ask", reason: "R" }, extras: { allowOnce: "ABC123" } },
  defer: { decision: { kind: "defer", reason: "R" } },
  deny: { decision: { kind: "deny", reason: "R" } },
  "deny+context": { decision: { kind: "deny", reason: "R" }, context: "C" },
  rewrite: { input: { command: "ls", timeout: 5 } },
  "rewrite-less": { input: { command: "ls" } },
  "rewrite+allow": { decision: { kind: "allow" }, input: { command: "ls", timeout: 5 } },
  "rewrite+ask": { decision: { kind: "ask", reason: "R" }, input: { command: "ls", timeout: 5 } },
  output: { output: "O" },
  context: { context: "C" },
  message: { message: { text: "M", level: "warn" } },
  halt: { halt: { reason: "H" } },
};

const TOOL_CASES = new Set(["rewrite", "rewrite-less", "rewrite+allow", "rewrite+ask"]);

export function outcomeOf(moment: Moment, effect: Effect): Outcome {
  const power = powerOf(describeEvent(moment.event), { source: moment.payload["source"] });
  return fold([{ hook: "h", effect }], { power });
}

/** Every event a host has, in every dialect, as text: one line per kind of effect. */
export function answerTable(host: HostId): string {
  return `${momentsOf(host)
    .map(moment => [`## ${moment.label}`, ...linesOf(host, moment)].join("\n"))
    .join("\n\n")}\n`;
}

function linesOf(host: HostId, moment: Moment): string[] {
  const { rewrites } = describeEvent(moment.event);
  const answers = Object.entries(EFFECTS)
    .filter(([name]) => !TOOL_CASES.has(name) || rewrites.includes("input"))
    .filter(([name]) => name !== "output" || rewrites.includes("output") || rewrites.includes("display"))
    .map(
      ([name, effect]) => [name, render(host, { ...moment, outcome: outcomeOf(moment, effect) })] as const,
    );
  const failures = (["open", "ask", "closed"] as const).map(
    policy => [`fail-${policy}`, renderFailure(host, { ...moment, policy, reason: "F" })] as const,
  );
  return [...answers, ...failures].map(([name, answer]) => `${name.padEnd(14)}${describeAnswer(answer)}`);
}

function describeAnswer({ stdout, stderr, exitCode, degraded, unsupported }: HostResponse): string {
  const shown = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return [
    stdout === "" ? "(nothing)" : shown(stdout.replace(/\n$/, "")),
    ...(exitCode === 0 ? [] : [`exit ${exitCode}`]),
    ...(stderr === "" ? [] : [`stderr: ${shown(stderr.replace(/\n$/, ""))}`]),
    ...(degraded === undefined ? [] : [`degraded: ${degraded.join("; ")}`]),
    ...(unsupported === undefined ? [] : [`unsupported: ${unsupported.join("; ")}`]),
  ].join("  |  ");
}

const TOOL_INPUT = { command: "rm -rf build", timeout: 5 };

/** Payloads that select a dialect or a special form, by native event; the plain payload otherwise. */
export function momentsOf(host: HostId): readonly Moment[] {
  const descriptor = HOSTS[host];
  const plain = { tool_name: "Bash", tool_input: TOOL_INPUT };
  const moment = (nativeEvent: string, event: string, payload: JsonObject = plain, note = ""): Moment => ({
    label: nativeEvent + (nativeEvent === event ? "" : ` (${event})`) + note,
    event,
    nativeEvent,
    payload,
  });
  const natives = Object.entries(descriptor.events).flatMap(([native, target]) =>
    target === null ? [] : [[native, target.split(":")[0] ?? target] as const],
  );
  switch (host) {
    case "copilot-cli": {
      const camel = { sessionId: "s", timestamp: 1, toolName: "bash", toolArgs: TOOL_INPUT };
      const claude = { session_id: "s", timestamp: "2026-11-15T03:28:51.368Z", ...plain };
      const names = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop"];
      return [
        ...natives.map(([native, event]) => moment(native, event, camel)),
        ...names.map(name => moment(name, name, claude, " with Claude's names")),
      ];
    }
    case "cursor":
      return [
        ...natives.map(([native, event]) => moment(native, event)),
        moment("postToolUse", "PostToolUse", { tool_name: "MCP:search", tool_input: {} }, " of an MCP tool"),
        ...["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"].map(name =>
          moment(name, name, plain, " from Claude's settings"),
        ),
      ];
    case "atomcode": {
      const older = { event: "x", tool_name: "bash", tool_args: TOOL_INPUT, working_dir: "/w" };
      const present = { session_id: "s", hook_event_name: "x", call_id: "c", ...plain };
      const names = Object.keys(descriptor.responses(NO_CONTEXT)).filter(name => name !== "Notification");
      return [
        ...natives
          .filter(([native]) => !/^stop|failure$/.test(native))
          .map(([native, event]) => moment(native, event, older)),
        ...names.map(name => moment(name, name, present)),
      ];
    }
    case "antigravity":
      return natives.map(([native, event]) =>
        moment(native, event, { conversationId: "c", toolCall: { name: "run_command", args: TOOL_INPUT } }),
      );
    case "windsurf":
    case "cline":
    case "opencode":
    case "pi":
    case "amp":
    case "amplifier":
    case "gemini-cli":
      return natives.map(([native, event]) => moment(native, event));
    default: {
      const table = Object.keys(descriptor.responses(NO_CONTEXT));
      return [
        ...table.map(event => moment(nativeEventName(descriptor, event), event)),
        ...natives
          .filter(([native, event]) => nativeEventName(descriptor, event) !== native)
          .map(([native, event]) => moment(native, event)),
      ];
    }
  }
}

const NO_CONTEXT = { event: "", eventName: "", nativeEvent: "", payload: {}, extras: {}, isHeadless: false };
