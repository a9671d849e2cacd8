import { createNodeSystem } from "../src/system/node.ts";
import type { Files, System } from "../src/system/system.ts";

/** What changes the disk. */
const CHANGING: readonly (keyof Files)[] = [
  "createExclusive",
  "append",
  "copy",
  "rename",
  "link",
  "symlink",
  "remove",
  "removeDirectory",
  "makeDirectory",
  "changeMode",
  "setModified",
];

/** The real system in a process that ends itself without a word before or after its n-th change of a file. */
export function createDyingSystem(when: number, at: string): { system: System; changes: () => number } {
  const system = createNodeSystem();
  let count = 0;
  const files = Object.create(system.files) as Files;
  for (const name of CHANGING) {
    const original = system.files[name] as (...words: readonly unknown[]) => unknown;
    Reflect.set(files, name, (...words: readonly unknown[]) => {
      const isLast = ++count === when;
      if (isLast && at === "before") process.kill(process.pid, "SIGKILL");
      try {
        return original.apply(system.files, [...words]);
      } finally {
        if (isLast) process.kill(process.pid, "SIGKILL");
      }
    });
  }
  return { system: { ...system, files, processes: system.processes }, changes: () => count };
}
