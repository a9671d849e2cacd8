/** One step of the history on the real disk, by a process that ends itself without a word at its n-th change of a file. */
import { createDyingSystem } from "../../dying-files.ts";
import { begin, complete, finishLeft, type SceneKind, undo } from "../history-scene.ts";

const [home = "", phase = "", kind = "unknown", when = "0", at = "before"] = process.argv.slice(2);
const { system, changes } = createDyingSystem(Number(when), at);
const scene = { system, home, project: `${home}/project` };
const work = {
  begin: () => begin(scene, kind as SceneKind),
  complete: () => complete(scene),
  ended: () => finishLeft(scene),
  // The scene was copied, so that its folders are others than the history saw.
  undo: () => undo(scene, { force: true }),
};
void work[phase as keyof typeof work]().then(() => system.stdio.writeOutput(String(changes())));
