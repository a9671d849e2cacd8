// The pages' only program; the build joins it with what it imports. Pages are complete without it: it keeps them
// up to date, fetches diffs, asks before it undoes, and listens to keys.

import { listenForActions } from "./actions.js";
import { listenForDiffs } from "./diffs.js";
import { listenForKeys } from "./keys.js";
import { followLogs, sendChoices } from "./live.js";
import { listenForPasskeys } from "./passkeys.js";
import { showReport } from "./report.js";

listenForKeys();
if (document.documentElement.dataset.kind === "report") showReport();
else if (document.documentElement.dataset.kind === "server") {
  sendChoices();
  listenForPasskeys();
} else {
  listenForDiffs();
  listenForActions();
  sendChoices();
  followLogs();
}
