import { defineFamily } from "../cli/index.ts";
import { cleanCommand } from "./memory/clean.ts";
import { deleteCommand } from "./memory/delete.ts";
import { editCommand } from "./memory/edit.ts";
import { exportCommand } from "./memory/export.ts";
import { forgetCommand } from "./memory/forget.ts";
import { getCommand } from "./memory/get.ts";
import { historyCommand } from "./memory/history.ts";
import { importCommand } from "./memory/import.ts";
import { listCommand } from "./memory/list.ts";
import { moveCommand } from "./memory/move.ts";
import { pinCommand } from "./memory/pin.ts";
import { searchCommand } from "./memory/search.ts";
import { storeCommand } from "./memory/store.ts";
import { syncCommand } from "./memory/sync.ts";
import { treeCommand } from "./memory/tree.ts";
import { unpinCommand } from "./memory/unpin.ts";

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
