// The guard of one tree in a process of its own, for against.mjs: for every line with a kind of commands it decides a
// fixed number of times and prints the microseconds of one decision. Processor time, so that neighbours count little.
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { loadSource } from "../../scripts/load-source.mjs";
import { KINDS, mixedCommands } from "./guard.mjs";

const CALLS = 300;
/** All of these at each turn. */
const MIXED = mixedCommands();
const [tree] = process.argv.slice(2);
// Each tree knows where its own guard is.
const { openGuard } = await import(pathToFileURL(join(tree, "tests/bench/guard.mjs")).href);
const judge = await openGuard(names => loadSource(names, tree));

for await (const kind of createInterface({ input: process.stdin })) {
  const commands = kind === "mixed" ? MIXED : KINDS[kind];
  const calls = Math.max(CALLS, commands.length);
  const start = process.cpuUsage();
  for (let call = 0; call < calls; call++) judge(commands[call % commands.length]);
  const { user, system } = process.cpuUsage(start);
  console.log((user + system) / calls);
}
