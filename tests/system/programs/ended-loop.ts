import { AsyncLocalStorage } from "node:async_hooks";
import { readFile } from "node:fs/promises";
import { runBounded } from "../../../src/system/node-bounded.ts";

// From here on Node follows every promise of this process.
new AsyncLocalStorage().enterWith("somebody listens");
const loop = "(async function () { await undefined; for (;;); })";
runBounded(loop, "loop.js", [], 50)
  .catch(() => readFile(__filename))
  .then(() => console.log("went on"));
