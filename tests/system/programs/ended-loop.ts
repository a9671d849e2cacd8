import { AsyncLocalStorage } from "node:async_hooks";
import { readFile } from "node:fs/promises";
import { runRealm } from "../../../src/system/node-realm.ts";

// From here on Node follows every promise of this process.
new AsyncLocalStorage().enterWith("somebody listens");
const loop = "(async function () { await undefined; for (;;); })";
runRealm(loop, "loop.js", () => () => "{}", 50)
  .catch(() => readFile(__filename))
  .then(() => console.log("went on"));
