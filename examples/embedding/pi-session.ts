import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider, Type } from "@earendil-works/pi-ai";
import {
  AuthStorage,
  createAgentSession,
  DefaultResourceLoader,
  defineTool,
  type ExtensionUIContext,
  SessionManager,
} from "@earendil-works/pi-coding-agent";
import { ask, DELETE, modelReads, PUSH, pretendShell } from "./agent.ts";

const bash = defineTool({
  name: "bash",
  label: "Bash",
  description: "Runs a shell command.",
  parameters: Type.Object({ command: Type.String() }),
  execute: async (_id, { command }) => ({
    content: [{ type: "text", text: await pretendShell(command) }],
    details: {},
  }),
});
const provider = registerFauxProvider();
provider.setResponses([
  fauxAssistantMessage(fauxToolCall("bash", { command: DELETE }), { stopReason: "toolUse" }),
  fauxAssistantMessage(fauxToolCall("bash", { command: PUSH }), { stopReason: "toolUse" }),
  fauxAssistantMessage("All done."),
]);
const model = provider.getModel();

// Pi loads the extension from its file, as it does in a terminal.
const cwd = process.cwd();
const agentDir = mkdtempSync(join(tmpdir(), "pi-"));
let ui: ExtensionUIContext | undefined;
const resourceLoader = new DefaultResourceLoader({
  cwd,
  agentDir,
  additionalExtensionPaths: [fileURLToPath(new URL("pi-extension.js", import.meta.url))],
  extensionFactories: [
    pi =>
      pi.on("session_start", (_event, context) => {
        ui = context.ui;
      }),
  ],
  noContextFiles: true,
});
await resourceLoader.reload();
const { session, extensionsResult } = await createAgentSession({
  cwd,
  agentDir,
  model,
  resourceLoader,
  noTools: "builtin",
  customTools: [bash],
  authStorage: AuthStorage.inMemory({ [model.provider]: { type: "api_key", key: "none" } }),
  sessionManager: SessionManager.inMemory(),
});
for (const { path, error } of extensionsResult.errors) throw new Error(`${path}: ${error}`);
// Pi shows questions in its own dialog. Nobody sits at a terminal here, so that the dialog answers by itself.
await session.bindExtensions({});
if (ui !== undefined)
  await session.bindExtensions({ uiContext: { ...ui, confirm: async (_title, reason) => ask(reason) } });
await session.prompt("Clean up and push.");

for (const message of session.messages)
  if (message.role === "toolResult")
    for (const part of message.content) if (part.type === "text") modelReads(part.text);
session.dispose();
rmSync(agentDir, { recursive: true });
