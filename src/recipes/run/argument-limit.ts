import { readText } from "../../state/index.ts";
import type { System } from "../../system/system.ts";

const LINUX_LEAST = 128 * 1024;
const LINUX_MOST = 6 * 1024 * 1024;
const MAC_LIMIT = 1024 * 1024;
const CAUTIOUS_LIMIT = 256 * 1024;

/** How many bytes of arguments and environment this machine gives to a program. */
export function argumentLimit(system: System): number {
  if (process.platform === "darwin") return MAC_LIMIT;
  const limits = readLimits(system);
  const stack = limits === undefined ? undefined : /^Max stack size\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (stack === undefined) return CAUTIOUS_LIMIT;
  // Linux gives a quarter of the stack, within bounds.
  return stack === "unlimited" ? LINUX_MOST : Math.min(LINUX_MOST, Math.max(LINUX_LEAST, Number(stack) / 4));
}

function readLimits(system: System): string | undefined {
  try {
    return readText(system, "/proc/self/limits", 64 * 1024);
  } catch {
    return undefined;
  }
}
