import { describe, expect, it } from "vitest";
import { restoreLatestConversation } from "../../../src/hooks/stock/pre-compact/export.ts";
import { preCompact } from "../../../src/hooks/stock/pre-compact/pre-compact.ts";
import type { JsonObject } from "../../../src/protocol/index.ts";
import type { MemorySystem, SeedEntry } from "../../../src/system/memory.ts";
import { entryText } from "../../../src/transcripts/entry.ts";
import { readExport } from "../../../src/transcripts/export-form.ts";
import {
  assistant,
  claudeSession,
  codexSession,
  copilotSession,
  result,
  type Said,
  use,
  user,
} from "../recorded.ts";
import { jsonAt, metricsOf, projectSystem, ROOT, RUNTIME, runHook } from "../run-hook.ts";

const LOGS = `${RUNTIME}/logs`;
const SESSION = `${LOGS}/s1`;
const MARKDOWN = `${SESSION}/CONVERSATION_TRANSCRIPT.md`;
const RECORD = `${SESSION}/conversation_transcript.jsonl`;
const TRANSCRIPT = "/home/user/.claude/projects/p/s1.jsonl";
const REQUEST = "Please implement the parser for all of the dialects we support.";
const SAID: readonly Said[] = [
  user(REQUEST),
  assistant("on it"),
  use("Bash", { command: "npm test" }),
  result("3 passed"),
];

const project = (files: Record<string, SeedEntry> = {}) => projectSystem({ files });
const compact = (system: MemorySystem, payload: JsonObject = {}) =>
  runHook(preCompact(), system, { session_id: "s1", trigger: "auto", ...payload });
const answer = async (system: MemorySystem, payload: JsonObject = {}) =>
  (await compact(system, payload))?.extras?.["claude"] as JsonObject;
const exported = (system: MemorySystem) =>
  (system.peek(RECORD) ?? "")
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line));

describe("a compaction", () => {
  it("exports the host's file and tells where it is", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    const event = {
      timestamp: "2026-01-02T03:04:05.000000",
      session_id: "s1",
      messages_exported: 4,
      transcript_path: MARKDOWN,
      original_request_preserved: true,
      compaction_trigger: "auto",
    };
    expect(await compact(system, { transcript_path: TRANSCRIPT })).toEqual({
      extras: {
        claude: {
          status: "success",
          message: "4 messages were kept before the compaction",
          transcript_path: MARKDOWN,
          metadata: event,
        },
      },
    });
    expect(jsonAt(system, `${SESSION}/compaction_events.json`)).toEqual([event]);
    expect(metricsOf(system, "pre_compact")).toEqual([
      "messages_exported=4",
      "compaction_events=1",
      "transcript_exported=true",
    ]);
    expect(system.stderr()).toBe("");
  });

  it("writes Markdown with numbered messages, in which tools are summarised", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    await compact(system, { transcript_path: TRANSCRIPT });
    expect(system.peek(MARKDOWN)).toBe(
      [
        "# Conversation Transcript - Session s1",
        "",
        "**Exported**: 2026-01-02T03:04:05.000000",
        "**Messages**: 4",
        "",
        "---",
        "",
        "## 1. USER",
        "**Timestamp**: 2026-01-02T03:04:05.000Z",
        "",
        REQUEST,
        "",
        "---",
        "",
        "## 2. ASSISTANT",
        "**Timestamp**: 2026-01-02T03:04:05.000Z",
        "",
        "on it",
        "",
        "---",
        "",
        "## 3. ASSISTANT",
        "**Timestamp**: 2026-01-02T03:04:05.000Z",
        "",
        "[Tool: Bash]",
        "",
        "---",
        "",
        "## 4. USER",
        "**Timestamp**: 2026-01-02T03:04:05.000Z",
        "",
        "[Tool result]",
        "",
        "---",
        "",
        "",
      ].join("\n"),
    );
    expect(system.peek(`${SESSION}/transcripts/conversation_20260102_030405.md`)).toBe(system.peek(MARKDOWN));
    expect(system.files.inspect(MARKDOWN)?.mode).toBe(0o600);
  });

  it("writes one message per line for programs, with the tools", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    await compact(system, { transcript_path: TRANSCRIPT });
    const timestamp = "2026-01-02T03:04:05.000Z";
    expect(exported(system)).toEqual([
      { role: "user", content: REQUEST, timestamp },
      { role: "assistant", content: "on it", timestamp },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_2", name: "Bash", input: { command: "npm test" } }],
        timestamp,
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_2", content: "3 passed" }],
        timestamp,
      },
    ]);
  });

  it.each([
    ["Copilot", copilotSession],
    ["Codex", codexSession],
  ])("reads the form of %s", async (_, record) => {
    const system = project({ [TRANSCRIPT]: record(SAID) });
    expect(await answer(system, { transcript_path: TRANSCRIPT })).toMatchObject({ status: "success" });
    expect(exported(system)).toHaveLength(4);
  });

  it("can be read back from both forms", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    await compact(system, { transcript_path: TRANSCRIPT });
    const read = (path: string) => [...readExport(system, path, name => name)];
    expect(read(MARKDOWN).map(entry => [entry.role, entryText(entry)])).toEqual([
      ["user", REQUEST],
      ["assistant", "on it"],
      ["assistant", "[Tool: Bash]"],
      ["user", "[Tool result]"],
    ]);
    expect(read(RECORD)).toHaveLength(4);
  });

  it("keeps the original request", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession([user("short"), user("x".repeat(50)), ...SAID]) });
    await compact(system, { transcript_path: TRANSCRIPT });
    expect(jsonAt(system, `${SESSION}/original_request.json`)).toMatchObject({ raw_prompt: REQUEST });
    expect(system.peek(`${SESSION}/ORIGINAL_REQUEST.md`)).toContain(REQUEST);
  });

  it("replaces the export of the one before and adds to the list", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    await compact(system, { transcript_path: TRANSCRIPT });
    system.advance(60_000);
    system.put(TRANSCRIPT, claudeSession([user("only this")]));
    await compact(system, { transcript_path: TRANSCRIPT, trigger: "manual" });
    expect(jsonAt(system, `${SESSION}/compaction_events.json`)).toMatchObject([
      { messages_exported: 4, compaction_trigger: "auto" },
      { messages_exported: 1, compaction_trigger: "manual", original_request_preserved: false },
    ]);
    expect(system.peek(MARKDOWN)).not.toContain(REQUEST);
    expect(system.files.list(`${SESSION}/transcripts`)).toHaveLength(2);
  });

  it("keeps the newest twenty copies", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    for (let count = 0; count < 23; count++) {
      await compact(system, { transcript_path: TRANSCRIPT });
      system.advance(1000);
    }
    const copies = system.files.list(`${SESSION}/transcripts`);
    expect(copies).toHaveLength(20);
    expect([...copies].sort()[0]).toBe("conversation_20260102_030408.md");
  });
});

describe("a payload that brings its own messages", () => {
  const conversation = [
    { role: "user", content: "hello", timestamp: "t1" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
        { type: "tool_use", name: "Bash" },
      ],
    },
    { role: "assistant", content: null },
    "just text",
    { role: "user", text: "preferred", content: "ignored" },
    { content: "of nobody" },
  ];

  it("is exported message by message, whatever their form", async () => {
    const system = project();
    expect(await answer(system, { conversation })).toMatchObject({
      status: "success",
      metadata: { messages_exported: 6 },
    });
    const text = system.peek(MARKDOWN) ?? "";
    expect(text).toContain("## 1. USER\n**Timestamp**: t1\n\nhello\n");
    expect(text).toContain("## 2. ASSISTANT\n**Timestamp**: Unknown\n\na\nb\n[Tool: Bash]\n");
    expect(text).toContain("## 3. ASSISTANT\n**Timestamp**: Unknown\n\n\n");
    expect(text).toContain("## 4. UNKNOWN\n**Timestamp**: Unknown\n\njust text\n");
    expect(text).toContain("preferred");
    expect(text).not.toContain("ignored");
    expect(text).toContain("## 6. UNKNOWN\n**Timestamp**: Unknown\n\nof nobody\n");
  });

  it.each<[string, JsonObject, number]>([
    ["messages when the conversation is empty", { conversation: [], messages: ["a", "b"] }, 2],
    ["messages when there is no conversation", { messages: ["a"] }, 1],
    ["nothing when there is neither", {}, 0],
    ["nothing when they are of another type", { conversation: "text", messages: { a: 1 } }, 0],
    [
      "the conversation when the host's file is missing",
      { transcript_path: "/nowhere.jsonl", conversation: ["a"] },
      1,
    ],
  ])("counts %s", async (_, payload, count) => {
    expect(await answer(project(), payload)).toMatchObject({
      status: "success",
      metadata: { messages_exported: count },
    });
  });

  it("is not used when the host's file has messages", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    await compact(system, { transcript_path: TRANSCRIPT, conversation });
    expect(exported(system)).toHaveLength(4);
  });
});

describe("the session of an export", () => {
  it.each([
    ["s1", "s1"],
    ["7c1e0f52-0000-4000-8000-000000000000", "7c1e0f52-0000-4000-8000-000000000000"],
    ["../../etc/passwd", "______etc_passwd"],
    ["a/b\u0000c", "a_b_c"],
  ])("%j has the folder %j", async (id, folder) => {
    const system = project();
    await compact(system, { session_id: id });
    expect(system.files.list(`${LOGS}/${folder}`)).toContain("CONVERSATION_TRANSCRIPT.md");
  });

  it("has a folder in clock form when nobody names it, and no empty one besides", async () => {
    const system = project();
    await compact(system, { session_id: "" });
    const folders = system.files.list(LOGS).filter(name => !name.endsWith(".log"));
    expect(folders).toEqual(["20260102_030405_000000"]);
  });
});

describe("an export that fails", () => {
  it("leaves nothing behind and says so", async () => {
    const system = project({ [SESSION]: "a file in the way" });
    const effect = await compact(system, { conversation: ["x"] });
    expect(effect?.extras?.["claude"]).toMatchObject({ status: "error", error: expect.any(String) });
    expect(effect?.diagnostics?.[0]?.detail).toContain("was not exported");
    expect(metricsOf(system, "pre_compact")).toEqual(["transcript_exported=false"]);
  });

  it("keeps the former export whole", async () => {
    const system = project({ [MARKDOWN]: "old", [RECORD]: "old", [TRANSCRIPT]: claudeSession(SAID) });
    const append = system.files.append.bind(system.files);
    system.files.append = (path, bytes, mode) => {
      if (path.includes("CONVERSATION_TRANSCRIPT.md.body")) throw new Error("disk full");
      append(path, bytes, mode);
    };
    expect(await answer(system, { transcript_path: TRANSCRIPT })).toMatchObject({ status: "error" });
    expect(system.peek(MARKDOWN)).toBe("old");
    expect(system.peek(RECORD)).toBe("old");
    expect(system.files.list(SESSION)).toEqual([
      "CONVERSATION_TRANSCRIPT.md",
      "conversation_transcript.jsonl",
    ]);
  });

  it("loses only the copy when the copy fails", async () => {
    const system = project({ [`${SESSION}/transcripts`]: "in the way" });
    expect(await answer(system, { conversation: ["x"] })).toMatchObject({ status: "success" });
  });

  it("sets a malformed list of compactions aside", async () => {
    const path = `${SESSION}/compaction_events.json`;
    const system = project({ [path]: "{" });
    expect(await answer(system)).toMatchObject({ status: "success" });
    expect(jsonAt(system, path)).toHaveLength(1);
    expect(system.peek(`${path}.corrupt-1767323045`)).toBe("{");
    expect(system.stderr()).toContain("set aside");
  });
});

describe("a long session", () => {
  it("is never held in memory: every read is one piece, every write one batch", async () => {
    const many = Array.from({ length: 3000 }, (_, index) => assistant(`${index} ${"x".repeat(400)}`));
    const system = project({ [TRANSCRIPT]: claudeSession(many) });
    const pieces: number[] = [];
    const { files } = system;
    const watch = {
      readRange: files.readRange.bind(files),
      append: files.append.bind(files),
      read: files.read.bind(files),
    };
    files.readRange = (path, offset, length) => {
      pieces.push(length);
      return watch.readRange(path, offset, length);
    };
    files.append = (path, bytes, mode) => {
      pieces.push(bytes.length);
      watch.append(path, bytes, mode);
    };
    files.read = (path, limit) => {
      const bytes = watch.read(path, limit);
      pieces.push(bytes.length);
      return bytes;
    };
    await compact(system, { transcript_path: TRANSCRIPT });
    expect(Math.max(...pieces)).toBeLessThanOrEqual(600 * 1024);
    expect(exported(system)).toHaveLength(3000);
  });

  it("has long tool texts cut in the middle of its record", async () => {
    const said = [
      use("Write", { file_path: "a", content: "y".repeat(9000) }),
      result(`start ${"z".repeat(9000)} end`),
    ];
    const system = project({ [TRANSCRIPT]: claudeSession(said) });
    await compact(system, { transcript_path: TRANSCRIPT });
    const [written, output] = exported(system);
    expect(written.content[0].input.content).toHaveLength(4005);
    expect(output.content[0].content).toMatch(/^start z+\n\[…\]\nz+ end$/);
  });
});

describe("a transcript that cannot be read", () => {
  it("is told, and the payload's own messages are kept instead", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession(SAID) });
    system.faults.failUnder(TRANSCRIPT, "EACCES", ["readRange"]);
    const conversation = [{ role: "user", content: "from the payload" }];
    expect(await answer(system, { transcript_path: TRANSCRIPT, conversation })).toMatchObject({
      status: "success",
      metadata: { messages_exported: 1 },
    });
    expect(system.peek(MARKDOWN)).toContain("from the payload");
    expect(system.stderr()).toContain("EACCES");
  });

  it.each(["relative.jsonl", "/nowhere/s1.jsonl", "/home/user"])("is logged when it is %s", async path => {
    const system = project();
    await compact(system, { transcript_path: path, messages: ["hello"] });
    expect(exported(system)).toHaveLength(1);
    expect(system.peek(`${LOGS}/pre_compact.log`)).toContain("transcript_path names no file");
  });
});

describe("no word of a session is in a log", () => {
  it("after an export", async () => {
    const system = project({ [TRANSCRIPT]: claudeSession([user("SECRETWORD ".repeat(9))]) });
    await compact(system, { transcript_path: TRANSCRIPT });
    expect(system.peek(`${LOGS}/pre_compact.log`) ?? "").not.toContain("SECRETWORD");
    expect(system.peek(`${RUNTIME}/metrics/pre_compact_metrics.jsonl`)).not.toContain("SECRETWORD");
  });
});

describe("restoring the latest conversation", () => {
  it("finds the newest export, whatever its session is called", async () => {
    const system = project({
      [`${LOGS}/20990101_000000/empty`]: "",
      [`${LOGS}/aaaa/CONVERSATION_TRANSCRIPT.md`]: { content: "x", modifiedMs: 2000 },
      [`${LOGS}/zzzz/CONVERSATION_TRANSCRIPT.md`]: { content: "x", modifiedMs: 1000 },
      [`${LOGS}/stop.log`]: "",
    });
    expect(restoreLatestConversation(system, ROOT)).toEqual([
      { source: "transcript", path: `${LOGS}/aaaa/CONVERSATION_TRANSCRIPT.md`, session: "aaaa" },
    ]);
  });

  it("finds nothing where nothing was exported", () => {
    expect(restoreLatestConversation(project(), ROOT)).toEqual([]);
    expect(restoreLatestConversation(project({ [LOGS]: "a file" }), ROOT)).toEqual([]);
  });
});
