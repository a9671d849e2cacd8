import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { buildProgram } from "../launcher/launch-machine.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const program = buildProgram();
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "look", arguments: {} } };
const ANSWER = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "seen" }] } };

/** A server whose answer is in the pipe only when its end was noticed: until then its number is taken. */
const SERVER = `read -r call
(while kill -0 $$ 2>/dev/null; do sleep 0.01; done; echo "$ANSWER") & exit 3`;

it("passes on what a guarded server said last, and ends with its exit code", async () => {
  const home = temporaryDirectory();
  const child = spawn(process.execPath, [program, "mcp", "guard", "--no-pins", "--", "sh", "-c", SERVER], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ANSWER: JSON.stringify(ANSWER) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", chunk => {
    said += String(chunk);
  });
  child.stdin.write(`${JSON.stringify(CALL)}\n`);
  expect(await once(child, "close")).toEqual([3, null]);
  expect(JSON.parse(said)).toEqual(ANSWER);
});
