import { defineFamily } from "../cli/command.ts";
import { captureCommand } from "./hooks/capture.ts";
import { compareCommand } from "./hooks/compare.ts";
import { inspectCommand } from "./hooks/inspect.ts";
import { replayCommand } from "./hooks/replay.ts";

export const command = defineFamily({
  name: "hooks",
  summary: "look into hook calls: inspect a payload, compare programs, replay sessions, record answers",
  group: "Look",
  subcommands: [inspectCommand, compareCommand, replayCommand, captureCommand],
  examples: [
    {
      command: "amplihack hooks inspect --answer deny < payload.json",
      does: "shows what was understood and the exact bytes of a refusal",
    },
  ],
});
