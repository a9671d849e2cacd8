/** Ships once to the address given, in a process that a test can kill. */
import { BUILT_IN } from "../../../src/config/settings.ts";
import { openTarget } from "../../../src/ship/open-target.ts";
import { shipAll } from "../../../src/ship/ship.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { logsIn } from "../logs.ts";

const [stateHome = "", to = ""] = process.argv.slice(2);
const system = createNodeSystem();
const options = {
  memory: BUILT_IN.memory,
  team: undefined,
  hasContent: false,
  timeoutMs: 60_000,
  maxRetries: 0,
  signal: new AbortController().signal,
  wait: async () => {},
  tell: () => {},
};

async function main(): Promise<void> {
  const target = await openTarget(system, to, options);
  await shipAll(system, { ...options, stateHome, logs: logsIn(stateHome), target });
  await target.close();
}

void main();
