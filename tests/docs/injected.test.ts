import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { postToolUse } from "../../src/hooks/stock/post-tool-use.ts";
import { sessionStart } from "../../src/hooks/stock/session-start.ts";
import { userPromptSubmit } from "../../src/hooks/stock/user-prompt-submit.ts";
import { workflowClassificationReminder } from "../../src/hooks/stock/workflow-classification-reminder.ts";
import type { Hook, JsonObject } from "../../src/protocol/index.ts";
import type { MemorySystemOptions } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";
import { projectSystem, ROOT, runHook } from "../hooks/run-hook.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/what-is-injected.md", import.meta.url)), "utf8");
const TEXTS = [...PAGE.matchAll(/^```text\n([\s\S]*?)\n```$/gm)].map(([, text = ""]) => text);

const AT_HOME = "/home/user/.amplihack";
const PREFERENCES = `${AT_HOME}/.claude/context/USER_PREFERENCES.md`;
const WORKFLOW = { [`${AT_HOME}/config.jsonc`]: '{ "parts": ["guard", "workflow"] }' };

async function injected(hook: Hook<System>, payload: JsonObject, files: MemorySystemOptions["files"] = {}) {
  const system = projectSystem({ files: { ...WORKFLOW, ...files } });
  return (await runHook(hook, system, { cwd: ROOT, session_id: "s-1", ...payload }))?.context;
}

describe("the page on what is put into a session", () => {
  const prompt = "Fix the login page and add tests";

  it("shows the start of a session as it is", async () => {
    expect(TEXTS).toContain(await injected(sessionStart(), {}));
  });

  it("shows preferences as they are told at a prompt", async () => {
    const files = { [PREFERENCES]: "### Verbosity\n\nshort\n" };
    expect(TEXTS).toContain(await injected(userPromptSubmit(), { prompt }, files));
  });

  it("shows the reminder at a new topic as it is", async () => {
    expect(TEXTS).toContain(await injected(workflowClassificationReminder(), { prompt }));
  });

  it("shows the warning after a failed write as it is", async () => {
    const call = { tool_name: "Write", tool_input: { file_path: "a" }, tool_response: { error: "no room" } };
    expect(TEXTS).toContain(await injected(postToolUse(), call));
  });
});
