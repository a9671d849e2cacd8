import { defineFamily } from "../cli/index.ts";
import { historyCommand } from "./memory/history.ts";
import { getCommand, listCommand, searchCommand, treeCommand } from "./memory/read.ts";
import { syncCommand } from "./memory/sync.ts";
import { exportCommand, importCommand, moveCommand } from "./memory/transfer.ts";
import {
  cleanCommand,
  deleteCommand,
  editCommand,
  forgetCommand,
  pinCommand,
  storeCommand,
  unpinCommand,
} from "./memory/write.ts";

export const command = defineFamily({
  name: "memory",
  summary: "see and change what agents remember",
  group: "Work",
  subcommands: [
    treeCommand,
    listCommand,
    getCommand,
    storeCommand,
    editCommand,
    historyCommand,
    deleteCommand,
    searchCommand,
    forgetCommand,
    pinCommand,
    unpinCommand,
    exportCommand,
    importCommand,
    cleanCommand,
    moveCommand,
    syncCommand,
  ],
  examples: {
    "amplihack memory tree": "shows everything that is remembered",
    "amplihack memory search database timeout": "finds memories by words",
  },
});
