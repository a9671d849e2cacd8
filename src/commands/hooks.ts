import { defineFamily } from "../cli/index.ts";
import { captureCommand } from "./hooks/capture.ts";
import { compareCommand } from "./hooks/compare.ts";
import { inspectCommand } from "./hooks/inspect.ts";
import { listCommand } from "./hooks/list.ts";
import { replayCommand } from "./hooks/replay.ts";
import { testCommand } from "./hooks/test.ts";
import { trustCommand } from "./hooks/trust.ts";
import { addCommand, buildCommand, importCommand, newCommand, removeCommand } from "./hooks/user-hooks.ts";

export const command = defineFamily({
  name: "hooks",
  summary: "your own hooks, and all others: write, build, test, list; inspect payloads, compare and replay",
  group: "Look",
  subcommands: [
    newCommand,
    addCommand,
    buildCommand,
    listCommand,
    testCommand,
    trustCommand,
    removeCommand,
    importCommand,
    inspectCommand,
    compareCommand,
    replayCommand,
    captureCommand,
  ],
  examples: {
    "amplihack hooks new no-friday-deploys": "writes a hook of your own that runs in every agent",
    "amplihack hooks list": "shows every hook, and which hosts call it",
    "amplihack hooks inspect --answer deny < payload.json":
      "shows what was understood and the exact bytes of a refusal",
  },
});
