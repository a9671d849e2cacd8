import { defineFamily } from "../cli/command.ts";
import { captureCommand } from "./hooks/capture.ts";
import { compareCommand } from "./hooks/compare.ts";
import { inspectCommand } from "./hooks/inspect.ts";
import { listCommand } from "./hooks/list.ts";
import { replayCommand } from "./hooks/replay.ts";

export const command = defineFamily({
  name: "hooks",
  summary: "look into hooks: list them, inspect a payload, compare programs, replay sessions, record answers",
  group: "Look",
  subcommands: [listCommand, inspectCommand, compareCommand, replayCommand, captureCommand],
  examples: {
    "amplihack hooks list": "shows every hook, and which hosts call it",
    "amplihack hooks inspect --answer deny < payload.json":
      "shows what was understood and the exact bytes of a refusal",
  },
});
