import { describe, expect, it, onTestFinished } from "vitest";
import { PROMPT, type ScriptStep, startModel } from "../../../src/verify/live/scripted-model.ts";

const STEPS: readonly ScriptStep[] = [
  { kind: "command", command: "touch one" },
  { kind: "text", text: "goodbye" },
];

async function start() {
  const model = await startModel(STEPS);
  onTestFinished(() => model.close());
  const post = async (path: string, body: unknown) => {
    const response = await fetch(model.url + path, { method: "POST", body: JSON.stringify(body) });
    return { type: response.headers.get("content-type"), text: await response.text() };
  };
  return { model, post };
}

/** The data of server-sent events. */
const dataOf = (text: string) =>
  [...text.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, data]) => JSON.parse(data ?? "") as Record<string, unknown>,
  );

const parameters = { properties: { command: {}, description: {} } };

describe("the scripted model", () => {
  it("speaks Anthropic's messages, whole and streamed", async () => {
    const { model, post } = await start();
    const tools = [
      { name: "Read", input_schema: {} },
      { name: "Bash", input_schema: parameters },
    ];
    const first = await post("/v1/messages?beta=true", {
      model: "m",
      tools,
      messages: [{ role: "user", content: "go" }],
    });
    expect(JSON.parse(first.text)).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "Bash", input: { command: "touch one" } }],
    });
    const result = { type: "tool_result", tool_use_id: "call_1", content: "refused, because" };
    const body = { model: "m", stream: true, tools, messages: [{ role: "user", content: [result] }] };
    const second = await post("/v1/messages", body);
    expect(second.type).toBe("text/event-stream");
    expect(dataOf(second.text).map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(second.text).toContain("goodbye");
    expect(model.requests.map(({ results }) => results)).toEqual([[], ["refused, because"]]);
  });

  it("speaks OpenAI's responses, also with tools in the input", async () => {
    const { model, post } = await start();
    const tools = [{ type: "function", name: "exec_command", parameters: { properties: { cmd: {} } } }];
    const first = await post("/v1/responses", { input: [{ type: "additional_tools", tools }] });
    const call = dataOf(first.text).find(({ type }) => type === "response.output_item.done");
    expect(call).toMatchObject({
      item: { type: "function_call", name: "exec_command", arguments: '{"cmd":"touch one"}' },
    });
    const output = { type: "function_call_output", call_id: "call_1", output: "refused, because" };
    const second = await post("/v1/responses", { tools, input: [output] });
    expect(dataOf(second.text).at(-1)).toMatchObject({
      type: "response.completed",
      response: { output: [{ content: [{ text: "goodbye" }] }] },
    });
    expect(model.requests.at(-1)?.results).toEqual(["refused, because"]);
  });

  it("speaks chat completions, whole and streamed", async () => {
    const { model, post } = await start();
    const tools = [{ type: "function", function: { name: "bash", parameters } }];
    const first = await post("/v1/chat/completions", { tools, stream: true, messages: [] });
    expect(first.text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(dataOf(first.text)[0]).toMatchObject({
      choices: [{ delta: { tool_calls: [{ index: 0, function: { name: "bash" } }] } }],
    });
    const second = await post("/v1/chat/completions", {
      tools,
      messages: [{ role: "tool", content: "refused" }],
    });
    expect(JSON.parse(second.text)).toMatchObject({
      choices: [{ finish_reason: "stop", message: { content: "goodbye" } }],
    });
    expect(model.requests.at(-1)?.results).toEqual(["refused"]);
  });

  it("speaks Gemini's generateContent, whole and streamed", async () => {
    const { model, post } = await start();
    const tools = [
      { functionDeclarations: [{ name: "run_shell_command", parametersJsonSchema: parameters }] },
    ];
    const first = await post("/v1beta/models/g:streamGenerateContent?alt=sse", { tools, contents: [] });
    expect(dataOf(first.text)).toMatchObject([
      {
        candidates: [
          {
            content: {
              parts: [{ functionCall: { name: "run_shell_command", args: { command: "touch one" } } }],
            },
          },
        ],
      },
    ]);
    const response = { functionResponse: { name: "run_shell_command", response: { error: "refused" } } };
    const second = await post("/v1beta/models/g:generateContent", {
      tools,
      contents: [{ parts: [response] }],
    });
    expect(JSON.parse(second.text)).toMatchObject({
      candidates: [{ content: { parts: [{ text: "goodbye" }] } }],
    });
    expect(model.requests.at(-1)?.results[0]).toContain("refused");
  });

  it("calls any tool, and speaks to an agent that the host started by a script of its own", async () => {
    const input = { message: "MARK look around" };
    const spawn = { kind: "call", call: { name: "spawn", namespace: "agents", input } } as const;
    const model = await startModel([spawn, { kind: "text", text: "main" }], {
      mark: "MARK",
      steps: [{ kind: "text", text: "helper" }],
    });
    onTestFinished(() => model.close());
    const post = async (texts: readonly string[], results: number) => {
      const said = texts.map(text => ({ type: "message", role: "user", content: [{ text }] }));
      const outputs = Array.from({ length: results }, () => ({ type: "function_call_output", output: "ok" }));
      const body = JSON.stringify({ input: [...said, ...outputs], tools: [{ name: "spawn" }] });
      return (await fetch(`${model.url}/v1/responses`, { method: "POST", body })).text();
    };
    const first = dataOf(await post([PROMPT], 0)).find(({ type }) => type === "response.output_item.done");
    expect(first).toMatchObject({ item: { type: "function_call", name: "spawn", namespace: "agents" } });
    expect(await post([input.message], 0)).toContain('"text":"helper"');
    expect(await post([PROMPT, input.message], 1)).toContain('"text":"main"');
  });

  it("answers side questions without going on in the script", async () => {
    const { model, post } = await start();
    const title = await post("/v1/chat/completions", { messages: [{ role: "user", content: "a title?" }] });
    expect(JSON.parse(title.text)).toMatchObject({ choices: [{ message: { content: "done" } }] });
    expect(JSON.parse((await post("/v1/messages/count_tokens", {})).text)).toEqual({
      input_tokens: 1,
      totalTokens: 1,
    });
    expect((await post("/whatever", "x")).text).toBe("{}");
    expect(model.requests).toEqual([]);
    expect(model.paths).toEqual([
      "POST /v1/chat/completions",
      "POST /v1/messages/count_tokens",
      "POST /whatever",
    ]);
  });

  it("can be reached from this machine only", async () => {
    const { model } = await start();
    expect(model.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});
