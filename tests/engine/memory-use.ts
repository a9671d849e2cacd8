import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use after everything that can go has gone. */
export function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

export function residentBytes(): number {
  collect();
  return process.memoryUsage().rss;
}
