/** Ships once to the address given, in a process that a test can kill. */
import { shipAll } from "../../../src/ship/ship.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { logsIn } from "../logs.ts";

const [stateHome = "", url = ""] = process.argv.slice(2);
void shipAll(createNodeSystem(), {
  stateHome,
  logs: logsIn(stateHome),
  target: new URL(url),
  resource: [],
  hasContent: false,
  headers: {},
  timeoutMs: 60_000,
  maxRetries: 0,
  signal: new AbortController().signal,
  wait: async () => {},
  tell: () => {},
});
