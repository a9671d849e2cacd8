// The Claude Agent SDK has no mock model, so this stands in for its API on this machine: it calls the tools it is told
// to, one after the other, and ends the turn.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

const Request = z.object({
  model: z.string().default(""),
  messages: z.array(
    z.object({ content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]) }),
  ),
});

export async function startScriptedClaude(
  calls: readonly ToolUse[],
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const read = Request.safeParse(JSON.parse((await text(request)) || "{}"));
    if (!request.url?.includes("/messages") || !read.success) {
      response.writeHead(404).end("{}");
      return;
    }
    const { messages, model } = read.data;
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const done = blocks.filter(({ type }) => type === "tool_result").length;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(model, done, calls[done]))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  const port = await new Promise<number>(resolve => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "string" || address === null ? 0 : address.port);
    });
  });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

function eventsOf(model: string, turn: number, call: ToolUse | undefined) {
  const message = { id: `msg_${turn}`, type: "message", role: "assistant", model, content: [] };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const block =
    call === undefined
      ? { type: "text", text: "" }
      : { type: "tool_use", id: `toolu_${turn}`, name: call.name, input: {} };
  const delta =
    call === undefined
      ? { type: "text_delta", text: "All done." }
      : { type: "input_json_delta", partial_json: JSON.stringify(call.input) };
  const stop_reason = call === undefined ? "end_turn" : "tool_use";
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}
