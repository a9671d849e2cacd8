import { defineFamily } from "../cli/command.ts";
import { inspectCommand } from "./hooks/inspect.ts";

export const command = defineFamily({
  name: "hooks",
  summary: "look into hook calls: what a payload means and what a host would be told",
  group: "Look",
  subcommands: [inspectCommand],
  examples: [
    {
      command: "amplihack hooks inspect --answer deny < payload.json",
      does: "shows what was understood and the exact bytes of a refusal",
    },
  ],
});
