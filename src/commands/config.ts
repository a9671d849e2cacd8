import { defineFamily } from "../cli/index.ts";
import { editCommand } from "./config/edit.ts";
import { getCommand } from "./config/get.ts";
import { listCommand } from "./config/list.ts";
import { pullCommand } from "./config/pull.ts";
import { setCommand } from "./config/set.ts";
import { unsetCommand } from "./config/unset.ts";

export const command = defineFamily({
  name: "config",
  summary: "see and change settings",
  group: "Set up",
  details: "Alone it lists what is not as built in. Every setting: docs/configuration.md.",
  subcommands: [listCommand, getCommand, setCommand, unsetCommand, editCommand, pullCommand],
  initial: listCommand,
  examples: {
    "amplihack config": "lists what is not as built in, and where it comes from",
    "amplihack config set guard.level strict": "changes one setting",
  },
});
