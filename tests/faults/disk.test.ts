import { describe, expect, it } from "vitest";
import type { FileOperation } from "../../src/system/memory.ts";
import { runs } from "../generated-inputs.ts";
import { openInMemory } from "../golden/run-in-memory.ts";
import { faultsOf, lostSince, pictureOf, scenes, temporaryFiles, visibleText } from "./scenes.ts";

/** What changes the disk; when one of these fails, something that should be there is not. */
const CHANGES: ReadonlySet<FileOperation> = new Set([
  "createExclusive",
  "append",
  "copy",
  "rename",
  "link",
  "symlink",
  "makeDirectory",
]);

const CODES = ["ENOSPC", "EACCES", "EROFS"];
/** Every operation fails once, with the codes in turn; in the long run with each of them. */
const STRIDE = runs(CODES.length, 1);

describe.each(CODES)("%s in any file operation", code => {
  it.each(scenes().map(scene => [scene.title, scene] as const))(
    "does not stop the answer: %s",
    async (_, scene) => {
      const whole = await openInMemory(scene.golden);
      await whole.run();
      const total = whole.system.faults.count;
      const picture = pictureOf(whole.system);
      const complaints: string[] = [];
      for (let step = 1 + (CODES.indexOf(code) % STRIDE); step <= total; step += STRIDE) {
        const { system, run } = await openInMemory(scene.golden);
        system.faults.failAt(step, code);
        const ended = await run();
        const failed = system.calls[step - 1];
        const where = `step ${step} (${failed?.operation} ${failed?.path})`;
        complaints.push(...faultsOf(scene, ended).map(line => `${where}: ${line}`));
        system.faults.clear();
        const isChange = failed !== undefined && CHANGES.has(failed.operation);
        const lost = isChange ? lostSince(picture, system) : [];
        if (lost.length > 0 && !visibleText(ended, system).includes(code))
          complaints.push(`${where}: nothing tells why ${lost.join(", ")} lacks something`);
        // What may not be removed stays.
        const left = temporaryFiles(system).filter(
          path => failed?.operation !== "remove" || path !== failed.path,
        );
        complaints.push(...left.map(path => `${where}: ${path} stays`));
      }
      expect(complaints).toEqual([]);
    },
  );
});

describe.each(CODES)("%s in every write", code => {
  it.each(scenes().map(scene => [scene.title, scene] as const))(
    "does not stop the answer: %s",
    async (_, scene) => {
      const { system, run } = await openInMemory(scene.golden);
      system.faults.failUnder("/", code, [...CHANGES, "remove", "removeDirectory", "changeMode"]);
      const ended = await run();
      expect(faultsOf(scene, ended)).toEqual([]);
      if (system.calls.some(call => CHANGES.has(call.operation))) expect(ended.stderr).toContain(code);
    },
  );
});
