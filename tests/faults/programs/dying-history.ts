/** One step of the history on the real disk, by a process that ends itself without a word at its n-th change of a file. */
import { createNodeSystem } from "../../../src/system/node.ts";
import type { Files } from "../../../src/system/system.ts";
import { begin, CHANGING, complete, type SceneKind, undo } from "../history-scene.ts";

const [home = "", phase = "", kind = "unknown", when = "0", at = "before"] = process.argv.slice(2);
const system = createNodeSystem();
let count = 0;
const files = Object.create(system.files) as Files;
for (const name of CHANGING) {
  const original = system.files[name] as (...words: readonly unknown[]) => unknown;
  Reflect.set(files, name, (...words: readonly unknown[]) => {
    const isLast = ++count === Number(when);
    if (isLast && at === "before") process.kill(process.pid, "SIGKILL");
    try {
      return original.apply(system.files, [...words]);
    } finally {
      if (isLast) process.kill(process.pid, "SIGKILL");
    }
  });
}

const scene = {
  system: { ...system, files, processes: system.processes },
  home,
  project: `${home}/project`,
};
const work = {
  begin: () => begin(scene, kind as SceneKind),
  complete: () => complete(scene),
  undo: () => undo(scene),
};
void work[phase as keyof typeof work]().then(() => system.stdio.writeOutput(String(count)));
