import { defineFamily } from "../cli/index.ts";
import { clearCommand } from "./history/clear.ts";
import { listCommand } from "./history/list.ts";
import { pruneCommand } from "./history/prune.ts";
import { showCommand } from "./history/show.ts";
import { verifyCommand } from "./history/verify.ts";

export const command = defineFamily({
  name: "history",
  summary: "see what agents changed, and what can be taken back",
  group: "Protect",
  details: "Alone it lists the last changes of this project. amplihack undo takes them back.",
  subcommands: [listCommand, showCommand, pruneCommand, verifyCommand, clearCommand],
  initial: listCommand,
  examples: {
    "amplihack history": "lists the last changes of this project, newest first",
    "amplihack history --path src/app.ts": "only those that changed this file",
    "amplihack history show 1i8x4q": "what one of them did, as a diff",
  },
});
