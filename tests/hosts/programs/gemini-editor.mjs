// Drives `gemini --acp` as an editor does: every question is told on stdout and answered with yes.
// `node gemini-editor.mjs GEMINI PROMPT CWD OPTION…`
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [gemini, prompt, cwd, ...options] = process.argv.slice(2);
const agent = spawn(gemini, ["--acp", ...options], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
const send = message => agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

send({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
for await (const line of createInterface({ input: agent.stdout })) {
  const message = JSON.parse(line);
  if (message.error !== undefined) console.log(`ERROR ${JSON.stringify(message.error)}`);
  if (message.method === "session/request_permission") {
    console.log(`ASKED ${message.params.toolCall.title}`);
    const { optionId } = message.params.options.find(({ kind }) => kind === "allow_once");
    send({ id: message.id, result: { outcome: { outcome: "selected", optionId } } });
  } else if (message.id === 1) send({ id: 2, method: "session/new", params: { cwd, mcpServers: [] } });
  else if (message.id === 2) {
    const { sessionId } = message.result;
    send({
      id: 3,
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text: prompt }] },
    });
  } else if (message.id === 3) {
    console.log("DONE");
    break;
  }
}
process.kill(-agent.pid, "SIGKILL");
