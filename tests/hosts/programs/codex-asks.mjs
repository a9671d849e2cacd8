// Drives `codex app-server` as an editor does: every question is told on stdout and declined.
// `node codex-asks.mjs CODEX PROMPT CWD OPTION…`
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [codex, prompt, cwd, ...options] = process.argv.slice(2);
const server = spawn(codex, ["app-server", ...options], { stdio: ["pipe", "pipe", "inherit"] });
const send = message => server.stdin.write(`${JSON.stringify(message)}\n`);
const request = (id, method, params) => send({ id, method, params });

const START = {
  cwd,
  approvalPolicy: "untrusted",
  sandbox: process.env.TRIAL_SANDBOX ?? "workspace-write",
};

request(1, "initialize", { clientInfo: { name: "trial", title: "trial", version: "1" } });
for await (const line of createInterface({ input: server.stdout })) {
  const message = JSON.parse(line);
  if (message.error !== undefined) console.log(`ERROR ${JSON.stringify(message.error)}`);
  if (message.id === 1) {
    send({ method: "initialized" });
    request(2, "thread/start", START);
  } else if (message.id === 2 && message.method === undefined) {
    const input = [{ type: "text", text: prompt }];
    request(3, "turn/start", { threadId: message.result?.thread?.id, input });
  } else if (message.method !== undefined && message.id !== undefined) {
    console.log(`ASKED ${message.method} ${message.params?.command ?? ""}`);
    send({ id: message.id, result: { decision: "decline" } });
  } else if (message.method === "turn/completed") {
    server.stdin.end();
    server.kill();
    break;
  }
}
