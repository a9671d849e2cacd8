import { isWanted, runHere, type UserHook, wantsOf } from "../hooks/index.ts";
import {
  DEFAULT_HOST,
  HOST_LIST,
  HOSTS,
  type HostId,
  mapEvent,
  nativeToolName,
  normalise,
  registeredEvents,
  render,
  resolveHost,
} from "../hosts/index.ts";
import {
  checkInput,
  defined,
  describeEvent,
  type Effect,
  errorText,
  FIELD_NAMES,
  fold,
  type HookInput,
  isJsonObject,
  type Json,
  type JsonObject,
  powerOf,
  readField,
} from "../protocol/index.ts";
import type { System } from "../system/index.ts";

/** One entry of `export const examples` beside a hook. */
interface HookExample {
  /** a tool's input, the text of a prompt, or a whole payload */
  readonly input: JsonObject | string;
  /** a decision, `none` for silence, `skipped` where the hook is not for it; or members that the effect must have */
  readonly expect: string | JsonObject;
  /** of a file with several hooks; all that want the input when left out */
  readonly hook?: string;
  readonly event?: string;
  readonly tool?: string;
  readonly host?: string;
}

const EXPECTED = [
  "allow",
  "ask",
  "deny",
  "none",
  "skipped",
  "rewrite",
  "context",
  "message",
  "halt",
  "output",
];

/** The examples of a file; what is wrong with one is an error that names its place. */
export function readExamples(value: unknown): readonly HookExample[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new TypeError(`"examples" must be a list`);
  return value.map((entry: unknown, index) => {
    const place = `examples[${index}]`;
    if (!isJsonObject(entry)) throw new TypeError(`${place} must be an object with "input" and "expect"`);
    const { input, expect } = entry;
    if (typeof input !== "string" && !isJsonObject(input))
      throw new TypeError(`${place}.input must be a tool's input, a payload, or the text of a prompt`);
    if (!isJsonObject(expect) && !EXPECTED.some(word => word === expect))
      throw new TypeError(`${place}.expect must be one of ${EXPECTED.join(", ")}, or members of an effect`);
    return entry as unknown as HookExample;
  });
}

/** What a hook said, in one word; the words of `expect`. */
export function describeEffect(effect: Effect | undefined): string {
  if (effect === undefined) return "skipped";
  if (effect.decision !== undefined) return effect.decision.kind;
  if (effect.halt !== undefined) return "halt";
  if (effect.input !== undefined) return "rewrite";
  if (effect.output !== undefined) return "output";
  if (effect.context !== undefined) return "context";
  return effect.message === undefined ? "none" : "message";
}

/** Whether an effect is as expected: by its word, or by the members that are named. */
export function isExpected(effect: Effect | undefined, expected: HookExample["expect"]): boolean {
  if (typeof expected === "string") return describeEffect(effect) === expected;
  return effect !== undefined && holds(effect as unknown as Json, expected);
}

function holds(value: Json | undefined, expected: Json): boolean {
  if (!isJsonObject(expected)) return JSON.stringify(value) === JSON.stringify(expected);
  return (
    isJsonObject(value) && Object.entries(expected).every(([name, member]) => holds(value[name], member))
  );
}

/** One payload of each event and tool, as real hosts sent them. Written by its test from tests/fixtures/hosts. */
export const RECORDED_PAYLOADS: readonly string[] = [
  '{"host":"claude-code","event":"MessageDisplay","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","hook_event_name":"MessageDisplay","turn_id":"2f81c96a-2802-4074-9e5a-dcdd50249663","message_id":"ebea5756-edef-4ded-9082-b723e4d7b774","index":0,"final":true,"delta":"done"}}',
  '{"host":"claude-code","event":"PostToolBatch","payload":{"session_id":"4d49461e-2597-409e-bcf7-0692b9983396","transcript_path":"/home/dev/.claude/projects/-home-dev-project/4d49461e-2597-409e-bcf7-0692b9983396.jsonl","cwd":"/home/dev/project","prompt_id":"d3373f9e-24d7-4cde-ac9d-95e331d2ce8f","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"rm -rf sub"},"tool_use_id":"toolu_01OdJsmMZISgcLhGb0MatFRS","tool_response":"(Bash completed with no output)"}]}}',
  '{"host":"claude-code","event":"PostToolUse","payload":{"session_id":"0b135871-3bf3-4c61-bef4-e4c0367d895f","transcript_path":"/home/dev/.claude/projects/-home-dev-project/0b135871-3bf3-4c61-bef4-e4c0367d895f.jsonl","cwd":"/home/dev/project","prompt_id":"d58af3b3-4155-4286-a1de-d8c9332a8060","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolUse","tool_name":"Agent","tool_input":{"description":"Carry out the next step","prompt":"Survey the working tree: report what is there","subagent_type":"general-purpose"},"tool_response":{"status":"completed","prompt":"Survey the working tree: report what is there","agentId":"accbbb4dfde22f52c","agentType":"general-purpose","content":[{"type":"text","text":"sub-agent done"}],"resolvedModel":"claude-opus-4-8[1m]","totalDurationMs":256,"totalTokens":20,"totalToolUseCount":1,"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":10,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":"","iterations":[],"speed":"standard"},"toolStats":{"readCount":0,"searchCount":0,"bashCount":1,"editFileCount":0,"linesAdded":0,"linesRemoved":0,"otherToolCount":0}},"tool_use_id":"toolu_01oBylR8IkMDaHShkUM709zY","duration_ms":257}}',
  '{"host":"claude-code","event":"PostToolUse","payload":{"session_id":"4d49461e-2597-409e-bcf7-0692b9983396","transcript_path":"/home/dev/.claude/projects/-home-dev-project/4d49461e-2597-409e-bcf7-0692b9983396.jsonl","cwd":"/home/dev/project","prompt_id":"d3373f9e-24d7-4cde-ac9d-95e331d2ce8f","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf sub"},"tool_response":{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":true},"tool_use_id":"toolu_01OdJsmMZISgcLhGb0MatFRS","duration_ms":39}}',
  '{"host":"claude-code","event":"PostToolUse","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/home/dev/project/notes.txt","old_string":"first line","new_string":"changed line","replace_all":false},"tool_response":{"filePath":"/home/dev/project/notes.txt","oldString":"first line","newString":"changed line","originalFile":"first line\\nsecond line\\n","structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":2,"lines":["-first line","+changed line"," second line"]}],"userModified":false,"replaceAll":false},"tool_use_id":"toolu_01DNcNsO7BCtZuavrSg1M8r0","duration_ms":15}}',
  '{"host":"claude-code","event":"PostToolUse","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/home/dev/project/notes.txt"},"tool_response":{"type":"text","file":{"filePath":"/home/dev/project/notes.txt","content":"first line\\nsecond line\\n","numLines":3,"startLine":1,"totalLines":3}},"tool_use_id":"toolu_01qcutdPqWqK5jsHfIbuA2UQ","duration_ms":5}}',
  '{"host":"claude-code","event":"PostToolUse","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"},"tool_response":{"type":"create","filePath":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n","structuredPatch":[],"originalFile":null,"userModified":false},"tool_use_id":"toolu_01A1l8i7KyhBbdoJKVHdgTH6","duration_ms":12}}',
  '{"host":"claude-code","event":"PostToolUseFailure","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"cat missing-file; exit 3"},"tool_use_id":"toolu_01nz3YRI71p9wkgzGbabqXCD","error":"Exit code 3\\ncat: missing-file: No such file or directory","is_interrupt":false,"duration_ms":18}}',
  '{"host":"claude-code","event":"PostToolUseFailure","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PostToolUseFailure","tool_name":"Read","tool_input":{"file_path":"/home/dev/project/no-such-file.txt"},"tool_use_id":"toolu_01vGkKYjLcmYUAzEaGpwhrVo","error":"File does not exist. Note: your current working directory is /home/dev/project.","is_interrupt":false,"duration_ms":11}}',
  '{"host":"claude-code","event":"PreToolUse","payload":{"session_id":"0b135871-3bf3-4c61-bef4-e4c0367d895f","transcript_path":"/home/dev/.claude/projects/-home-dev-project/0b135871-3bf3-4c61-bef4-e4c0367d895f.jsonl","cwd":"/home/dev/project","prompt_id":"d58af3b3-4155-4286-a1de-d8c9332a8060","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Agent","tool_input":{"description":"Carry out the next step","prompt":"Survey the working tree: report what is there","subagent_type":"general-purpose"},"tool_use_id":"toolu_01oBylR8IkMDaHShkUM709zY"}}',
  '{"host":"claude-code","event":"PreToolUse","payload":{"session_id":"4d49461e-2597-409e-bcf7-0692b9983396","transcript_path":"/home/dev/.claude/projects/-home-dev-project/4d49461e-2597-409e-bcf7-0692b9983396.jsonl","cwd":"/home/dev/project","prompt_id":"d3373f9e-24d7-4cde-ac9d-95e331d2ce8f","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf sub"},"tool_use_id":"toolu_01OdJsmMZISgcLhGb0MatFRS"}}',
  '{"host":"claude-code","event":"PreToolUse","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/home/dev/project/notes.txt","old_string":"first line","new_string":"changed line","replace_all":false},"tool_use_id":"toolu_01DNcNsO7BCtZuavrSg1M8r0"}}',
  '{"host":"claude-code","event":"PreToolUse","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/home/dev/project/notes.txt"},"tool_use_id":"toolu_01qcutdPqWqK5jsHfIbuA2UQ"}}',
  '{"host":"claude-code","event":"PreToolUse","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"},"tool_use_id":"toolu_01A1l8i7KyhBbdoJKVHdgTH6"}}',
  '{"host":"claude-code","event":"SessionEnd","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","hook_event_name":"SessionEnd","reason":"other"}}',
  '{"host":"claude-code","event":"SessionStart","payload":{"session_id":"3c498308-ac6f-490d-94e5-121fbe08c7c8","transcript_path":"/home/dev/.claude/projects/-home-dev-project/3c498308-ac6f-490d-94e5-121fbe08c7c8.jsonl","cwd":"/home/dev/project","hook_event_name":"SessionStart","source":"resume"}}',
  '{"host":"claude-code","event":"Stop","payload":{"session_id":"3c1247af-0787-4473-9dca-fafdd4718647","transcript_path":"/home/dev/.claude/projects/-home-dev-project/3c1247af-0787-4473-9dca-fafdd4718647.jsonl","cwd":"/home/dev/project","prompt_id":"3711fc23-83fb-4294-976a-bf8e9e7eba6a","permission_mode":"bypassPermissions","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done","background_tasks":[],"session_crons":[]}}',
  '{"host":"claude-code","event":"SubagentStart","payload":{"session_id":"0b135871-3bf3-4c61-bef4-e4c0367d895f","transcript_path":"/home/dev/.claude/projects/-home-dev-project/0b135871-3bf3-4c61-bef4-e4c0367d895f.jsonl","cwd":"/home/dev/project","prompt_id":"d58af3b3-4155-4286-a1de-d8c9332a8060","agent_id":"accbbb4dfde22f52c","agent_type":"general-purpose","hook_event_name":"SubagentStart"}}',
  '{"host":"claude-code","event":"SubagentStop","payload":{"session_id":"0b135871-3bf3-4c61-bef4-e4c0367d895f","transcript_path":"/home/dev/.claude/projects/-home-dev-project/0b135871-3bf3-4c61-bef4-e4c0367d895f.jsonl","cwd":"/home/dev/project","prompt_id":"d58af3b3-4155-4286-a1de-d8c9332a8060","permission_mode":"bypassPermissions","agent_id":"accbbb4dfde22f52c","agent_type":"general-purpose","effort":{"level":"high"},"hook_event_name":"SubagentStop","stop_hook_active":false,"agent_transcript_path":"/home/dev/.claude/projects/-home-dev-project/0b135871-3bf3-4c61-bef4-e4c0367d895f/subagents/agent-accbbb4dfde22f52c.jsonl","last_assistant_message":"sub-agent done","background_tasks":[],"session_crons":[]}}',
  '{"host":"claude-code","event":"UserPromptSubmit","payload":{"session_id":"702f986c-3f99-4fd4-bd2c-35e75ed4e671","transcript_path":"/home/dev/.claude/projects/-home-dev-project/702f986c-3f99-4fd4-bd2c-35e75ed4e671.jsonl","cwd":"/home/dev/project","prompt_id":"a36c0b5b-5cc8-497d-8222-5dfa64575f20","permission_mode":"bypassPermissions","hook_event_name":"UserPromptSubmit","prompt":"please carry on with the next step"}}',
  '{"host":"codex","event":"PostToolUse","payload":{"session_id":"01a1dd3f-4c08-7db2-9719-ee3ee3845902","turn_id":"01a1dd3f-4c2c-7a93-a4df-33059d4467ed","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-55-01a1dd3f-4c08-7db2-9719-ee3ee3845902.jsonl","cwd":"/home/dev/project","hook_event_name":"PostToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"collaborationspawn_agent","tool_input":{"message":"Survey the working tree: report what is there","task_name":"survey"},"tool_response":"{\\"task_name\\":\\"/root/survey\\"}","tool_use_id":"call_rFGZSrxC2lgZgC0v7KlPWHzA"}}',
  '{"host":"codex","event":"PostToolUse","payload":{"session_id":"01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e","turn_id":"01a1dd3f-3574-7b53-b565-10519ac67f9e","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-49-01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e.jsonl","cwd":"/home/dev/project","hook_event_name":"PostToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"Bash","tool_input":{"command":"echo hi > made.txt"},"tool_response":"","tool_use_id":"call_q8Pf6yrogPqCK9hEHzJ9AOjb"}}',
  '{"host":"codex","event":"PostToolUse","payload":{"session_id":"01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e","turn_id":"01a1dd3f-3574-7b53-b565-10519ac67f9e","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-49-01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e.jsonl","cwd":"/home/dev/project","hook_event_name":"PostToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\\n*** Add File: new.txt\\n+alpha\\n+beta\\n*** End Patch\\n"},"tool_response":"Exit code: 0\\nWall time: 0 seconds\\nOutput:\\nSuccess. Updated the following files:\\nA new.txt\\n","tool_use_id":"call_sej94qGK9pDgw5p9fv3EFfTO"}}',
  '{"host":"codex","event":"PostToolUse","payload":{"session_id":"01a1dd3f-4c08-7db2-9719-ee3ee3845902","turn_id":"01a1dd3f-4c2c-7a93-a4df-33059d4467ed","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-55-01a1dd3f-4c08-7db2-9719-ee3ee3845902.jsonl","cwd":"/home/dev/project","hook_event_name":"PostToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"collaborationwait_agent","tool_input":{},"tool_response":"{\\"message\\":\\"Wait completed.\\",\\"timed_out\\":false}","tool_use_id":"call_Uch6O1g4PSLN4hsR9dWY2lpN"}}',
  '{"host":"codex","event":"PreToolUse","payload":{"session_id":"01a1dd3f-4c08-7db2-9719-ee3ee3845902","turn_id":"01a1dd3f-4c2c-7a93-a4df-33059d4467ed","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-55-01a1dd3f-4c08-7db2-9719-ee3ee3845902.jsonl","cwd":"/home/dev/project","hook_event_name":"PreToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"collaborationspawn_agent","tool_input":{"message":"Survey the working tree: report what is there","task_name":"survey"},"tool_use_id":"call_rFGZSrxC2lgZgC0v7KlPWHzA"}}',
  '{"host":"codex","event":"PreToolUse","payload":{"session_id":"01a1dd3f-78c5-7902-bb7f-8880bd53bc61","turn_id":"01a1dd3f-78e6-7720-9fde-f67788337352","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-28-06-01a1dd3f-78c5-7902-bb7f-8880bd53bc61.jsonl","cwd":"/home/dev/project","hook_event_name":"PreToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"Bash","tool_input":{"command":"rm -rf sub"},"tool_use_id":"call_6KGh0n7o2uZaQlCD0flefID7"}}',
  '{"host":"codex","event":"PreToolUse","payload":{"session_id":"01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e","turn_id":"01a1dd3f-3574-7b53-b565-10519ac67f9e","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-49-01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e.jsonl","cwd":"/home/dev/project","hook_event_name":"PreToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\\n*** Add File: new.txt\\n+alpha\\n+beta\\n*** End Patch\\n"},"tool_use_id":"call_sej94qGK9pDgw5p9fv3EFfTO"}}',
  '{"host":"codex","event":"PreToolUse","payload":{"session_id":"01a1dd3f-4c08-7db2-9719-ee3ee3845902","turn_id":"01a1dd3f-4c2c-7a93-a4df-33059d4467ed","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-55-01a1dd3f-4c08-7db2-9719-ee3ee3845902.jsonl","cwd":"/home/dev/project","hook_event_name":"PreToolUse","model":"gpt-5.5","permission_mode":"bypassPermissions","tool_name":"collaborationwait_agent","tool_input":{},"tool_use_id":"call_Uch6O1g4PSLN4hsR9dWY2lpN"}}',
  '{"host":"codex","event":"SessionEnd","payload":{"session_id":"01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-49-01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e.jsonl","cwd":"/home/dev/project","hook_event_name":"SessionEnd","reason":"other"}}',
  '{"host":"codex","event":"SessionStart","payload":{"session_id":"01a1dd3f-8fc0-78a1-ad1d-ab5659117a71","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-28-12-01a1dd3f-8fc0-78a1-ad1d-ab5659117a71.jsonl","cwd":"/home/dev/project","hook_event_name":"SessionStart","model":"gpt-5.5","permission_mode":"bypassPermissions","source":"resume"}}',
  '{"host":"codex","event":"Stop","payload":{"session_id":"01a1dd3f-bbe3-7b41-9cbc-a9e9b29469a5","turn_id":"01a1dd3f-bc0f-7b23-8e7e-42a5746b23cc","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-28-24-01a1dd3f-bbe3-7b41-9cbc-a9e9b29469a5.jsonl","cwd":"/home/dev/project","hook_event_name":"Stop","model":"gpt-5.5","permission_mode":"bypassPermissions","stop_hook_active":true,"last_assistant_message":"done"}}',
  '{"host":"codex","event":"SubagentStart","payload":{"session_id":"01a1dd3f-4c08-7db2-9719-ee3ee3845902","turn_id":"01a1dd3f-4d19-7c80-a9f6-0c7ee0c0baf3","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-55-01a1dd3f-4cea-7ad1-b3d6-72a9d761af6d.jsonl","cwd":"/home/dev/project","hook_event_name":"SubagentStart","model":"gpt-5.5","permission_mode":"bypassPermissions","agent_id":"01a1dd3f-4cea-7ad1-b3d6-72a9d761af6d","agent_type":"default"}}',
  '{"host":"codex","event":"SubagentStop","payload":{"session_id":"01a1dd3f-4c08-7db2-9719-ee3ee3845902","turn_id":"01a1dd3f-4d19-7c80-a9f6-0c7ee0c0baf3","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-55-01a1dd3f-4c08-7db2-9719-ee3ee3845902.jsonl","agent_transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-55-01a1dd3f-4cea-7ad1-b3d6-72a9d761af6d.jsonl","cwd":"/home/dev/project","hook_event_name":"SubagentStop","model":"gpt-5.5","permission_mode":"bypassPermissions","stop_hook_active":false,"agent_id":"01a1dd3f-4cea-7ad1-b3d6-72a9d761af6d","agent_type":"default","last_assistant_message":"sub-agent done"}}',
  '{"host":"codex","event":"UserPromptSubmit","payload":{"session_id":"01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e","turn_id":"01a1dd3f-3574-7b53-b565-10519ac67f9e","transcript_path":"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T03-27-49-01a1dd3f-3542-7b91-95dc-5b8d8dd87a2e.jsonl","cwd":"/home/dev/project","hook_event_name":"UserPromptSubmit","model":"gpt-5.5","permission_mode":"bypassPermissions","prompt":"please carry on with the next step"}}',
  '{"host":"copilot-cli","event":"notification","payload":{"sessionId":"e42f4462-8219-41d0-a2bd-11e7bf59bf1d","timestamp":1794713320815,"cwd":"/home/dev/project","message":"Run command: echo hi > made.txt","title":"Permission needed","hook_event_name":"Notification","notification_type":"permission_prompt"}}',
  '{"host":"copilot-cli","event":"permissionRequest","payload":{"hookName":"permissionRequest","sessionId":"68252841-d3fe-4b7b-a4f3-47fca56a41c2","timestamp":1794713322563,"cwd":"/home/dev/project","toolName":"bash","toolInput":{"command":"rm -rf sub"},"permissionSuggestions":[]}}',
  '{"host":"copilot-cli","event":"permissionRequest","payload":{"hookName":"permissionRequest","sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713316759,"cwd":"/home/dev/project","toolName":"edit","toolInput":{"file_path":"/home/dev/project/new.txt","diff":"\\ndiff --git a/home/dev/project/new.txt b/home/dev/project/new.txt\\ncreate file mode 100644\\nindex 0000000..0000000\\n--- a/dev/null\\n+++ b/home/dev/project/new.txt\\n@@ -1,0 +1,2 @@\\n+alpha\\n+beta\\n"},"permissionSuggestions":[]}}',
  '{"host":"copilot-cli","event":"postToolUse","payload":{"sessionId":"affdca6d-6782-4f8d-a725-77a9c2c44a02","timestamp":1794713318978,"cwd":"/home/dev/project","toolName":"task","toolArgs":{"prompt":"Survey the working tree: report what is there","agent_type":"general-purpose","name":"survey","description":"Carry out the next step"},"toolResult":{"resultType":"success","textResultForLlm":"sub-agent done"}}}',
  '{"host":"copilot-cli","event":"postToolUse","payload":{"sessionId":"68252841-d3fe-4b7b-a4f3-47fca56a41c2","timestamp":1794713322601,"cwd":"/home/dev/project","toolName":"bash","toolArgs":{"command":"rm -rf sub","description":"Carry out the next step"},"toolResult":{"resultType":"success","textResultForLlm":"\\n<shellId: 0 completed with exit code 0>"}}}',
  '{"host":"copilot-cli","event":"postToolUse","payload":{"sessionId":"04c36eec-1c82-4e4d-8e08-ed0ed84e48a7","timestamp":1794713329308,"cwd":"/home/dev/project","toolName":"apply_patch","toolArgs":"*** Begin Patch\\n*** Add File: new.txt\\n+alpha\\n+beta\\n*** End Patch\\n","toolResult":{"resultType":"success","textResultForLlm":"Added 1 file(s): /home/dev/project/new.txt"}}}',
  '{"host":"copilot-cli","event":"postToolUse","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713316700,"cwd":"/home/dev/project","toolName":"view","toolArgs":{"path":"/home/dev/project/notes.txt"},"toolResult":{"resultType":"success","textResultForLlm":"first line\\nsecond line\\n"}}}',
  '{"host":"copilot-cli","event":"postToolUse","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713316771,"cwd":"/home/dev/project","toolName":"create","toolArgs":{"path":"/home/dev/project/new.txt","file_text":"alpha\\nbeta\\n"},"toolResult":{"resultType":"success","textResultForLlm":"Created file /home/dev/project/new.txt with 11 characters"}}}',
  '{"host":"copilot-cli","event":"postToolUseFailure","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713317028,"cwd":"/home/dev/project","toolName":"view","toolArgs":{"path":"/home/dev/project/no-such-file.txt"},"error":"Path does not exist"}}',
  '{"host":"copilot-cli","event":"preToolUse","payload":{"sessionId":"affdca6d-6782-4f8d-a725-77a9c2c44a02","timestamp":1794713318740,"cwd":"/home/dev/project","toolName":"task","toolArgs":{"prompt":"Survey the working tree: report what is there","agent_type":"general-purpose","name":"survey","description":"Carry out the next step"}}}',
  '{"host":"copilot-cli","event":"preToolUse","payload":{"sessionId":"68252841-d3fe-4b7b-a4f3-47fca56a41c2","timestamp":1794713322530,"cwd":"/home/dev/project","toolName":"bash","toolArgs":{"command":"rm -rf sub","description":"Carry out the next step"}}}',
  '{"host":"copilot-cli","event":"preToolUse","payload":{"sessionId":"04c36eec-1c82-4e4d-8e08-ed0ed84e48a7","timestamp":1794713329281,"cwd":"/home/dev/project","toolName":"apply_patch","toolArgs":"*** Begin Patch\\n*** Add File: new.txt\\n+alpha\\n+beta\\n*** End Patch\\n"}}',
  '{"host":"copilot-cli","event":"preToolUse","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713316680,"cwd":"/home/dev/project","toolName":"view","toolArgs":{"path":"/home/dev/project/notes.txt"}}}',
  '{"host":"copilot-cli","event":"preToolUse","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713316747,"cwd":"/home/dev/project","toolName":"create","toolArgs":{"path":"/home/dev/project/new.txt","file_text":"alpha\\nbeta\\n"}}}',
  '{"host":"copilot-cli","event":"sessionEnd","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713317107,"cwd":"/home/dev/project","reason":"complete"}}',
  '{"host":"copilot-cli","event":"sessionStart","payload":{"sessionId":"31bf7bc1-7e23-4c06-b830-489d431d1c44","timestamp":1794713325632,"cwd":"/home/dev/project","source":"resume","initialPrompt":"and now the one after that"}}',
  '{"host":"copilot-cli","event":"agentStop","payload":{"sessionId":"e0584d58-6369-4597-88b5-7c6d544f41c6","timestamp":1794713327563,"cwd":"/home/dev/project","transcriptPath":"/home/dev/.copilot/session-state/e0584d58-6369-4597-88b5-7c6d544f41c6/events.jsonl","stopReason":"end_turn","stop_hook_active":true}}',
  '{"host":"copilot-cli","event":"subagentStart","payload":{"sessionId":"affdca6d-6782-4f8d-a725-77a9c2c44a02","timestamp":1794713318782,"cwd":"/home/dev/project","transcriptPath":"/home/dev/.copilot/session-state/affdca6d-6782-4f8d-a725-77a9c2c44a02/events.jsonl","agentName":"general-purpose","agentId":"2400301f-1f1b-44f3-9dea-21affca76e91","agentType":"general-purpose","parentAgentId":"affdca6d-6782-4f8d-a725-77a9c2c44a02"}}',
  '{"host":"copilot-cli","event":"subagentStop","payload":{"sessionId":"affdca6d-6782-4f8d-a725-77a9c2c44a02","timestamp":1794713318968,"cwd":"/home/dev/project","transcriptPath":"/home/dev/.copilot/session-state/affdca6d-6782-4f8d-a725-77a9c2c44a02/events.jsonl","agentId":"2400301f-1f1b-44f3-9dea-21affca76e91","agentType":"general-purpose","agentName":"general-purpose","response":"sub-agent done","stopReason":"end_turn","stop_hook_active":false,"parentAgentId":"affdca6d-6782-4f8d-a725-77a9c2c44a02"}}',
  '{"host":"copilot-cli","event":"userPromptTransformed","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713316494,"cwd":"/home/dev/project","prompt":"please carry on with the next step","transformedPrompt":"<current_datetime>2026-11-15T03:28:36.494+00:00</current_datetime>\\n\\nplease carry on with the next step"}}',
  '{"host":"copilot-cli","event":"userPromptSubmitted","payload":{"sessionId":"b292fc8f-984f-4c9d-a86c-b8d74922f733","timestamp":1794713316476,"cwd":"/home/dev/project","prompt":"please carry on with the next step"}}',
  '{"host":"gemini-cli","event":"AfterTool","payload":{"session_id":"a6b92376-2574-4734-8c3a-7866e88a6d9f","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-23-a6b92376.jsonl","cwd":"/home/dev/project","hook_event_name":"AfterTool","timestamp":"2026-11-15T03:23:06.089Z","tool_name":"run_shell_command","tool_input":{"command":"rm -rf sub"},"tool_response":{"llmContent":"<untrusted_context>\\nOutput: (empty)\\nProcess Group PGID: 27097\\n</untrusted_context>","returnDisplay":""}}}',
  '{"host":"gemini-cli","event":"AfterTool","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"AfterTool","timestamp":"2026-11-15T03:22:55.702Z","tool_name":"replace","tool_input":{"file_path":"/home/dev/project/notes.txt","old_string":"first line","new_string":"changed line","instruction":"Carry out the next step"},"tool_response":{"llmContent":"Successfully modified file: /home/dev/project/notes.txt (1 replacements). Here is the updated code:\\nchanged line\\nsecond line\\n","returnDisplay":{"fileDiff":"Index: notes.txt\\n===================================================================\\n--- notes.txt\\tCurrent\\n+++ notes.txt\\tProposed\\n@@ -1,2 +1,2 @@\\n-first line\\n+changed line\\n second line\\n","fileName":"notes.txt","filePath":"/home/dev/project/notes.txt","originalContent":"first line\\nsecond line\\n","newContent":"changed line\\nsecond line\\n","diffStat":{"model_added_lines":1,"model_removed_lines":1,"model_added_chars":12,"model_removed_chars":10,"user_added_lines":0,"user_removed_lines":0,"user_added_chars":0,"user_removed_chars":0},"isNewFile":false,"isBuildFile":false}}}}',
  '{"host":"gemini-cli","event":"AfterTool","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"AfterTool","timestamp":"2026-11-15T03:22:55.294Z","tool_name":"read_file","tool_input":{"file_path":"/home/dev/project/notes.txt"},"tool_response":{"llmContent":"first line\\nsecond line\\n","returnDisplay":""}}}',
  '{"host":"gemini-cli","event":"AfterTool","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"AfterTool","timestamp":"2026-11-15T03:22:55.520Z","tool_name":"write_file","tool_input":{"file_path":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"},"tool_response":{"llmContent":"Successfully created and wrote to new file: /home/dev/project/new.txt. Here is the updated code:\\nalpha\\nbeta\\n","returnDisplay":{"fileDiff":"Index: new.txt\\n===================================================================\\n--- new.txt\\tOriginal\\n+++ new.txt\\tWritten\\n@@ -0,0 +1,2 @@\\n+alpha\\n+beta\\n","fileName":"new.txt","filePath":"/home/dev/project/new.txt","originalContent":"","newContent":"alpha\\nbeta\\n","diffStat":{"model_added_lines":2,"model_removed_lines":0,"model_added_chars":9,"model_removed_chars":0,"user_added_lines":0,"user_removed_lines":0,"user_added_chars":0,"user_removed_chars":0},"isNewFile":true,"isBuildFile":false}}}}',
  '{"host":"gemini-cli","event":"PreCompress","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"PreCompress","timestamp":"2026-11-15T03:22:54.775Z","trigger":"auto"}}',
  '{"host":"gemini-cli","event":"BeforeTool","payload":{"session_id":"cfd51775-a715-45d8-a28f-7e13b9f8acef","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-cfd51775.jsonl","cwd":"/home/dev/project","hook_event_name":"BeforeTool","timestamp":"2026-11-15T03:22:59.043Z","tool_name":"invoke_agent","tool_input":{"prompt":"Survey the working tree: report what is there","agent_name":"generalist"}}}',
  '{"host":"gemini-cli","event":"BeforeTool","payload":{"session_id":"a6b92376-2574-4734-8c3a-7866e88a6d9f","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-23-a6b92376.jsonl","cwd":"/home/dev/project","hook_event_name":"BeforeTool","timestamp":"2026-11-15T03:23:05.978Z","tool_name":"run_shell_command","tool_input":{"command":"rm -rf sub"}}}',
  '{"host":"gemini-cli","event":"BeforeTool","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"BeforeTool","timestamp":"2026-11-15T03:22:55.668Z","tool_name":"replace","tool_input":{"file_path":"/home/dev/project/notes.txt","old_string":"first line","new_string":"changed line","instruction":"Carry out the next step"}}}',
  '{"host":"gemini-cli","event":"BeforeTool","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"BeforeTool","timestamp":"2026-11-15T03:22:55.259Z","tool_name":"read_file","tool_input":{"file_path":"/home/dev/project/notes.txt"}}}',
  '{"host":"gemini-cli","event":"BeforeTool","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"BeforeTool","timestamp":"2026-11-15T03:22:55.460Z","tool_name":"write_file","tool_input":{"file_path":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"}}}',
  '{"host":"gemini-cli","event":"SessionEnd","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"SessionEnd","timestamp":"2026-11-15T03:22:56.371Z","reason":"exit"}}',
  '{"host":"gemini-cli","event":"SessionStart","payload":{"session_id":"98e2b2e7-8643-499d-bc99-c3b5796f0caa","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-23-98e2b2e7.jsonl","cwd":"/home/dev/project","hook_event_name":"SessionStart","timestamp":"2026-11-15T03:23:12.389Z","source":"resume"}}',
  '{"host":"gemini-cli","event":"AfterAgent","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"AfterAgent","timestamp":"2026-11-15T03:22:56.348Z","prompt":"please carry on with the next step","prompt_response":"done","stop_hook_active":false}}',
  '{"host":"gemini-cli","event":"BeforeAgent","payload":{"session_id":"b4a3aea9-b33b-4a4b-87ca-7783da65955d","transcript_path":"/home/dev/.gemini/tmp/project/chats/session-2026-11-15T03-22-b4a3aea9.jsonl","cwd":"/home/dev/project","hook_event_name":"BeforeAgent","timestamp":"2026-11-15T03:22:54.749Z","prompt":"please carry on with the next step"}}',
  '{"host":"opencode","event":"file.edited","payload":{"event":{"id":"evt_1dd3b7aa5001GP6gO88XdcXw3R","type":"file.edited","properties":{"file":"/home/dev/project/new.txt"}}}}',
  '{"host":"opencode","event":"permission.asked","payload":{"event":{"id":"evt_1dd3bb8ae0028TDAe3BWv7XTkg","type":"permission.asked","properties":{"id":"per_1dd3bb8ae001bGA8kGbZWb52d6","sessionID":"ses_e22c45389ffeqCbvdCo3rVb7Wr","permission":"bash","patterns":["echo hi > made.txt"],"metadata":{"command":"echo hi > made.txt"},"always":["echo *"],"tool":{"messageID":"msg_1dd3bb246001xHVTXfngGWcF9f","callID":"call_58UlSFANw1sf7v275CdmBRxA"}}}}}',
  '{"host":"opencode","event":"tool.execute.after","payload":{"input":{"tool":"task","sessionID":"ses_e22c4729fffeyf6dCW3rylF0z1","callID":"call_yBrN1OCcFhZOSFsG3I1nnVfI","args":{"prompt":"Survey the working tree: report what is there","subagent_type":"general","description":"Carry out the next step"}},"output":{"title":"Carry out the next step","metadata":{"parentSessionId":"ses_e22c4729fffeyf6dCW3rylF0z1","sessionId":"ses_e22c46715ffeZeat0t52701Rgi","model":{"modelID":"scripted-model","providerID":"scripted"},"truncated":false},"output":"<task id=\\"ses_e22c46715ffeZeat0t52701Rgi\\" state=\\"completed\\">\\n<task_result>\\nsub-agent done\\n</task_result>\\n</task>"}}}',
  '{"host":"opencode","event":"tool.execute.after","payload":{"input":{"tool":"bash","sessionID":"ses_e22c4393bffey3971epyApAjks","callID":"call_fG7a20NTsymO4RkXA5UdZtfu","args":{"command":"rm -rf sub"}},"output":{"title":"rm -rf sub","metadata":{"output":"(no output)","exit":0,"truncated":false},"output":"(no output)"}}}',
  '{"host":"opencode","event":"tool.execute.after","payload":{"input":{"tool":"edit","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","callID":"call_jgzsOO4pUpz2ydUtPA7FX5La","args":{"filePath":"/home/dev/project/notes.txt","oldString":"first line","newString":"changed line"}},"output":{"metadata":{"diagnostics":{},"diff":"Index: /home/dev/project/notes.txt\\n===================================================================\\n--- /home/dev/project/notes.txt\\n+++ /home/dev/project/notes.txt\\n@@ -1,2 +1,2 @@\\n-first line\\n+changed line\\n second line\\n","filediff":{"file":"/home/dev/project/notes.txt","patch":"Index: /home/dev/project/notes.txt\\n===================================================================\\n--- /home/dev/project/notes.txt\\n+++ /home/dev/project/notes.txt\\n@@ -1,2 +1,2 @@\\n-first line\\n+changed line\\n second line\\n","additions":1,"deletions":1},"truncated":false},"title":"notes.txt","output":"Edit applied successfully."}}}',
  '{"host":"opencode","event":"tool.execute.after","payload":{"input":{"tool":"read","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","callID":"call_GKSVHKxbj4ckcqt6pGaC7Qrd","args":{"filePath":"/home/dev/project/notes.txt"}},"output":{"title":"notes.txt","output":"<path>/home/dev/project/notes.txt</path>\\n<type>file</type>\\n<content>\\n1: first line\\n2: second line\\n\\n(End of file - total 2 lines)\\n</content>","metadata":{"preview":"first line\\nsecond line","truncated":false,"loaded":[],"display":{"type":"file","path":"/home/dev/project/notes.txt","text":"first line\\nsecond line","lineStart":1,"lineEnd":2,"totalLines":2,"truncated":false}}}}}',
  '{"host":"opencode","event":"tool.execute.after","payload":{"input":{"tool":"write","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","callID":"call_1NOcceY1N7NlAM1adTRWhzHI","args":{"filePath":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"}},"output":{"title":"new.txt","metadata":{"diagnostics":{},"filepath":"/home/dev/project/new.txt","exists":false,"truncated":false},"output":"Wrote file successfully."}}}',
  '{"host":"opencode","event":"tool.execute.before","payload":{"input":{"tool":"task","sessionID":"ses_e22c4729fffeyf6dCW3rylF0z1","callID":"call_yBrN1OCcFhZOSFsG3I1nnVfI"},"output":{"args":{"prompt":"Survey the working tree: report what is there","subagent_type":"general","description":"Carry out the next step"}}}}',
  '{"host":"opencode","event":"tool.execute.before","payload":{"input":{"tool":"bash","sessionID":"ses_e22c4393bffey3971epyApAjks","callID":"call_fG7a20NTsymO4RkXA5UdZtfu"},"output":{"args":{"command":"rm -rf sub"}}}}',
  '{"host":"opencode","event":"tool.execute.before","payload":{"input":{"tool":"edit","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","callID":"call_jgzsOO4pUpz2ydUtPA7FX5La"},"output":{"args":{"filePath":"/home/dev/project/notes.txt","oldString":"first line","newString":"changed line"}}}}',
  '{"host":"opencode","event":"tool.execute.before","payload":{"input":{"tool":"read","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","callID":"call_GKSVHKxbj4ckcqt6pGaC7Qrd"},"output":{"args":{"filePath":"/home/dev/project/notes.txt"}}}}',
  '{"host":"opencode","event":"tool.execute.before","payload":{"input":{"tool":"write","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","callID":"call_1NOcceY1N7NlAM1adTRWhzHI"},"output":{"args":{"filePath":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"}}}}',
  '{"host":"opencode","event":"session.created","payload":{"event":{"id":"evt_1dd3b6be80012aMH1MlZ6um945","type":"session.created","properties":{"sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","info":{"id":"ses_e22c49418ffek2btvKh1rdkMXe","slug":"mighty-wizard","version":"1.18.33","projectID":"global","directory":"/home/dev/project","path":"","title":"next step","permission":[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}],"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"time":{"created":1794713021415,"updated":1794713021415}}}}}}',
  '{"host":"opencode","event":"session.idle","payload":{"event":{"id":"evt_1dd3b810f002mCySmdXoq9SE2u","type":"session.idle","properties":{"sessionID":"ses_e22c49418ffek2btvKh1rdkMXe"}}}}',
  '{"host":"opencode","event":"chat.message","payload":{"input":{"sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","model":{"providerID":"scripted","modelID":"scripted-model"}},"output":{"message":{"id":"msg_1dd3b6c520010T5XvES2FWhGZl","role":"user","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","time":{"created":1794713021522},"agent":"build","model":{"providerID":"scripted","modelID":"scripted-model"}},"parts":[{"type":"text","text":"\\"please carry on with the next step\\"","messageID":"msg_1dd3b6c520010T5XvES2FWhGZl","sessionID":"ses_e22c49418ffek2btvKh1rdkMXe","id":"prt_1dd3b6c5d001PfBfRV1Hljk7cy"}]}}}',
  '{"host":"pi","event":"tool_result","payload":{"type":"tool_result","toolName":"bash","toolCallId":"call_RDCOQoMXzWMEOs2pvOvFoj9h","input":{"command":"rm -rf sub"},"content":[{"type":"text","text":"(no output)"}],"isError":false}}',
  '{"host":"pi","event":"tool_result","payload":{"type":"tool_result","toolName":"edit","toolCallId":"call_FIn5oaZij57CAqGiZt9XqhT4","input":{"path":"/home/dev/project/notes.txt","edits":[{"oldText":"first line","newText":"changed line"}]},"content":[{"type":"text","text":"Successfully replaced 1 block(s) in /home/dev/project/notes.txt."}],"details":{"diff":"-1 first line\\n+1 changed line\\n 2 second line","firstChangedLine":1},"isError":false}}',
  '{"host":"pi","event":"tool_result","payload":{"type":"tool_result","toolName":"read","toolCallId":"call_zj6GKe4gvvcXrb4JTsXfPtjq","input":{"path":"/home/dev/project/notes.txt"},"content":[{"type":"text","text":"first line\\nsecond line\\n"}],"isError":false}}',
  '{"host":"pi","event":"tool_result","payload":{"type":"tool_result","toolName":"write","toolCallId":"call_8coyU6nf2m97zdTlg9EGLgu9","input":{"path":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"},"content":[{"type":"text","text":"Successfully wrote 11 bytes to /home/dev/project/new.txt"}],"isError":false}}',
  '{"host":"pi","event":"tool_call","payload":{"type":"tool_call","toolName":"bash","toolCallId":"call_RDCOQoMXzWMEOs2pvOvFoj9h","input":{"command":"rm -rf sub"}}}',
  '{"host":"pi","event":"tool_call","payload":{"type":"tool_call","toolName":"edit","toolCallId":"call_FIn5oaZij57CAqGiZt9XqhT4","input":{"path":"/home/dev/project/notes.txt","edits":[{"oldText":"first line","newText":"changed line"}]}}}',
  '{"host":"pi","event":"tool_call","payload":{"type":"tool_call","toolName":"read","toolCallId":"call_zj6GKe4gvvcXrb4JTsXfPtjq","input":{"path":"/home/dev/project/notes.txt"}}}',
  '{"host":"pi","event":"tool_call","payload":{"type":"tool_call","toolName":"write","toolCallId":"call_8coyU6nf2m97zdTlg9EGLgu9","input":{"path":"/home/dev/project/new.txt","content":"alpha\\nbeta\\n"}}}',
  '{"host":"pi","event":"session_shutdown","payload":{"type":"session_shutdown","reason":"quit"}}',
  '{"host":"pi","event":"session_start","payload":{"type":"session_start","reason":"startup"}}',
  '{"host":"pi","event":"input","payload":{"type":"input","text":"please carry on with the next step","source":"interactive"}}',
];

/** A call that a real host made. */
interface RecordedInput {
  readonly host: HostId;
  readonly input: HookInput;
}

/** Where the hosts were recorded. */
const RECORDED_IN = "/home/dev/project";

interface RecordedCall {
  readonly host: HostId;
  readonly event: string;
  readonly payload: JsonObject;
}

/** What hosts sent, as if they had run in `cwd`. */
export function readRecordedCalls(cwd: string): readonly RecordedCall[] {
  const here = JSON.stringify(cwd).slice(1, -1);
  return RECORDED_PAYLOADS.map(line => JSON.parse(line.replaceAll(RECORDED_IN, () => here)) as RecordedCall);
}

/** The recorded calls of all hosts, normalised. */
export function readRecorded(cwd: string): readonly RecordedInput[] {
  return readRecordedCalls(cwd).flatMap(({ host, event, payload }) => {
    const read = normalise(JSON.stringify(payload), { host, event, env: { get: () => undefined } });
    const checked = read.ok ? checkInput(read.value) : undefined;
    return checked?.ok === true ? [{ host, input: checked.input }] : [];
  });
}

/** Those that a hook is for by event, tool and host; whether it wants their text is for the table to tell. */
function recordedFor(hook: UserHook, recorded: readonly RecordedInput[]): readonly RecordedInput[] {
  const wants = { ...wantsOf(hook), when: undefined };
  return recorded.filter(({ input }) => isWanted(wants, input));
}

/** One hook on one payload of one host. */
export interface Trial {
  readonly hook: string;
  readonly host: string;
  /** `recorded`: a real host sent it */
  readonly source: "recorded" | "example";
  readonly payload: string;
  /** in one word; `skipped` when the hook is not for it, `failed` when it broke */
  readonly said: string;
  /** what the host would hear, or why the hook broke */
  readonly words: string;
  readonly ms: number;
}

export interface ExampleResult {
  readonly place: string;
  readonly hook: string;
  readonly expected: HookExample["expect"];
  readonly said: string;
  readonly isMet: boolean;
  /** what it said, or why it broke */
  readonly detail: string;
}

/** Inputs to try a hook with that brings no examples, by tool. */
const SAMPLES: Readonly<Record<string, JsonObject>> = {
  Bash: { command: "echo hello" },
  Read: { file_path: "README.md" },
  Write: { file_path: "notes.txt", content: "hello" },
  Edit: { file_path: "notes.txt", old_string: "hello", new_string: "goodbye" },
  NotebookEdit: { notebook_path: "a.ipynb", new_source: "1" },
  Glob: { pattern: "**/*.ts" },
  Grep: { pattern: "TODO" },
  WebFetch: { url: "https://example.org", prompt: "what is it?" },
  WebSearch: { query: "weather" },
  Agent: { prompt: "look into it", description: "look" },
};

interface TrialPlace {
  readonly system: System;
  readonly cwd: string;
}

/**
 * Runs hooks on payloads of every host that calls hooks: on what real hosts sent, and on their examples, else on a
 * sample; with `payloads` on these alone.
 */
export async function runTrials(
  hooks: readonly UserHook[],
  examples: readonly HookExample[],
  payloads: readonly JsonObject[],
  place: TrialPlace,
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  const recorded = payloads.length > 0 ? [] : readRecorded(place.cwd);
  for (const hook of hooks) {
    for (const { host, input } of recordedFor(hook, recorded))
      trials.push(
        await runTrial(
          hook,
          host,
          place.system,
          { source: "recorded", payload: describeInput(input) },
          () => input,
        ),
      );
    for (const { id, registration } of HOST_LIST) {
      const isMeant = hook.options.hosts === undefined || hook.options.hosts.includes(id);
      if (registration === undefined || !isMeant) continue;
      for (const example of inputsFor(hook, examples, payloads))
        if (nativeEventOf(id, hook, example) !== undefined)
          trials.push(
            await runTrial(
              hook,
              id,
              place.system,
              { source: "example", payload: summary(example.input) },
              () => toHookInput(hook, id, example, place),
            ),
          );
    }
  }
  return trials;
}

function inputsFor(
  hook: UserHook,
  examples: readonly HookExample[],
  payloads: readonly JsonObject[],
): readonly TrialInput[] {
  if (payloads.length > 0) return payloads.map(input => ({ input }));
  const own = examples.filter(
    ({ hook: name, host }) => (name ?? hook.name) === hook.name && host === undefined,
  );
  if (own.length > 0) return own;
  const tool = hook.tools[0] ?? "Bash";
  return [
    { input: hook.events.some(event => describeEvent(event).requiresTool) ? (SAMPLES[tool] ?? {}) : "hello" },
  ];
}

type TrialInput = Pick<HookExample, "input" | "event" | "tool">;

/** The host's own event for a call; some have one for each kind of tool. Undefined where a host has none. */
function nativeEventOf(host: HostId, hook: UserHook, example: TrialInput): string | undefined {
  const event = example.event ?? hook.events[0] ?? "PreToolUse";
  const { events } = HOSTS[host];
  const tool = example.tool ?? hook.tools[0] ?? "Bash";
  const special = Object.keys(events).find(native => events[native] === `${event}:${tool}`);
  if (special !== undefined) return special;
  return registeredEvents(HOSTS[host], event).find(
    native => mapEvent(HOSTS[host], native)?.tool === undefined,
  );
}

async function runTrial(
  hook: UserHook,
  host: HostId,
  system: System,
  shown: Pick<Trial, "source" | "payload">,
  open: () => HookInput,
): Promise<Trial> {
  const { clock } = system;
  const base = { hook: hook.name, host, ...shown };
  const beganMs = clock.monotonicMs();
  try {
    const input = open();
    const effect = await ask(hook, input, system);
    const ms = clock.monotonicMs() - beganMs;
    return {
      ...base,
      said: describeEffect(effect),
      words: effect === undefined ? "" : wordsFor(host, input, hook, effect),
      ms,
    };
  } catch (error) {
    return { ...base, said: "failed", words: errorText(error), ms: clock.monotonicMs() - beganMs };
  }
}

async function ask(hook: UserHook, input: HookInput, system: System): Promise<Effect | undefined> {
  if (!isWanted(wantsOf(hook), input)) return undefined;
  const result = await runHere(hook, input, system);
  if (!result.ok) throw new Error(result.problem);
  return result.effect;
}

/** An input as a payload of a host, and back as hooks see it. */
function toHookInput(
  hook: UserHook,
  host: HostId,
  { input, event = hook.events[0] ?? "PreToolUse", tool = hook.tools[0] ?? hook.hostTools[0] }: TrialInput,
  { system, cwd }: TrialPlace,
): HookInput {
  const nativeEvent = nativeEventOf(host, hook, { input, event, ...defined({ tool }) }) ?? event;
  const payload = payloadOf(
    input,
    { hook_event_name: nativeEvent, session_id: "trial", cwd },
    host,
    event,
    tool,
  );
  const read = normalise(JSON.stringify(payload), { host, event: nativeEvent, env: system.env });
  if (!read.ok) throw new Error(`the payload is not understood: ${read.message}`);
  const checked = checkInput(read.value);
  if (!checked.ok) throw new Error(checked.problem);
  return checked.input;
}

function payloadOf(
  input: JsonObject | string,
  base: JsonObject,
  host: HostId,
  event: string,
  tool: string | undefined,
): JsonObject {
  if (typeof input === "string") return { ...base, prompt: input };
  if (readField(input, [...FIELD_NAMES.event, ...FIELD_NAMES.toolName]) !== undefined)
    return { ...base, ...input };
  if (!describeEvent(event).requiresTool) return { ...base, ...input };
  return { ...base, tool_name: nativeToolName(HOSTS[host], tool ?? "Bash"), tool_input: input };
}

/** Exactly what the host would read. */
function wordsFor(host: HostId, input: HookInput, hook: UserHook, effect: Effect): string {
  const { event, nativeEvent, raw: payload } = input;
  const outcome = fold([{ hook: hook.name, effect }], { power: powerOf(describeEvent(event), payload) });
  const answer = render(host, { event, nativeEvent, outcome, payload });
  const lost = answer.unsupported === undefined ? "" : `  (cannot say: ${answer.unsupported.join(", ")})`;
  return `${answer.stdout.trim() || `exit ${answer.exitCode}`}${lost}`;
}

/** Checks the examples beside a hook: in the host that they name, else in Claude Code. */
export async function checkExamples(
  hooks: readonly UserHook[],
  examples: readonly HookExample[],
  place: TrialPlace,
): Promise<readonly ExampleResult[]> {
  const results: ExampleResult[] = [];
  for (const [index, example] of examples.entries()) {
    const host = (example.host === undefined ? undefined : resolveHost(example.host)) ?? DEFAULT_HOST;
    const asked = hooks.filter(hook => example.hook === undefined || example.hook === hook.name);
    for (const hook of asked) {
      const base = { place: `examples[${index}]`, hook: hook.name, expected: example.expect };
      try {
        const effect = await ask(hook, toHookInput(hook, host, example, place), place.system);
        const said = describeEffect(effect);
        // A hook that its words keep from running says nothing.
        const isSilence = said === "skipped" && example.expect === "none";
        const isMet = isSilence || isExpected(effect, example.expect);
        results.push({ ...base, said, isMet, detail: JSON.stringify(effect ?? null) });
      } catch (error) {
        results.push({ ...base, said: "failed", isMet: false, detail: errorText(error) });
      }
    }
    if (asked.length === 0)
      results.push({
        place: `examples[${index}]`,
        hook: example.hook ?? "",
        expected: example.expect,
        said: "failed",
        isMet: false,
        detail: "there is no such hook in the file",
      });
  }
  return results;
}

const SUMMARY_LENGTH = 40;

function describeInput(input: HookInput): string {
  if (input.kind !== "tool") return input.kind === "prompt" ? summary(input.prompt ?? "") : input.event;
  const { command, paths } = input.facts;
  return summary(`${input.tool.name} ${command ?? paths.join(" ")}`);
}

function summary(input: JsonObject | string): string {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH - 1)}…` : text;
}
