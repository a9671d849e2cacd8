import { appendFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN } from "../../../src/config/settings.ts";
import { NO_FOOTPRINT } from "../../../src/guard/footprint.ts";
import { beginCall } from "../../../src/history/begin.ts";
import { completeChange } from "../../../src/history/complete.ts";
import { openContext } from "../../../src/history/context.ts";
import { findOpen } from "../../../src/history/open-changes.ts";
import { createNodeSystem } from "../../../src/system/node.ts";

// One agent that writes to a file of its own and to a new file, call by call: home, project, session, number of calls.
const [home = "", root = "", session = "", calls = "1"] = process.argv.slice(2);
const context = openContext(
  createNodeSystem(),
  { project: root, home, stateHome: join(home, ".amplihack"), temps: [], regenerable: [] },
  { ...BUILT_IN.history, budgetMs: 60_000 },
);

async function main(): Promise<void> {
  for (let call = 0; call < Number(calls); call++) {
    const own = join(root, `${session}.txt`);
    const made = join(root, session, `${call}.txt`);
    const targets = [own, made].map(path => ({ path, how: "write", isTree: false }) as const);
    const request = {
      host: "claude-code",
      session,
      tool: "Bash",
      toolUseId: `${session}-${call}`,
      command: `call ${call}`,
      verdict: "allow",
      rules: [],
    };
    // Every other call is of a program whose effects cannot be told; it changes the same two files.
    const footprint = call % 2 === 0 ? { targets } : { unknownIn: [root], targets };
    await beginCall(context, request, { ...NO_FOOTPRINT, ...footprint });
    context.system.files.makeDirectory(join(root, session), 0o755);
    appendFileSync(own, `${session} ${call}\n`);
    writeFileSync(made, `${session} ${call}\n`);
    for (const open of findOpen(context.store, session)) await completeChange(context, open, { exit: "ok" });
    writeSync(1, `${call}\n`);
  }
}

void main();
