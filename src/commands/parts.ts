import { defineFamily } from "../cli/index.ts";
import { listCommand } from "./parts/list.ts";
import { offCommand } from "./parts/off.ts";
import { onCommand } from "./parts/on.ts";

export const command = defineFamily({
  name: "parts",
  summary: "show or choose what amplihack does: guard, history, memory, transcripts, workflow, mcp",
  group: "Set up",
  details: `
The choice is the member parts of ~/.amplihack/config.jsonc and counts from the next call of a hook on. Without it every
part is on but mcp, which also needs amplihack install: hosts start the server by themselves.`,
  subcommands: [listCommand, onCommand, offCommand],
  initial: listCommand,
  examples: {
    "amplihack parts": "shows what is on",
    "amplihack parts off workflow": "switches reminders and checks off",
    "amplihack parts --profile guard": "leaves only the guard on",
  },
});
