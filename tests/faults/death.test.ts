import { describe, expect, it } from "vitest";
import { openInMemory } from "../golden/run-in-memory.ts";
import { brokenState, faultsOf, scenes } from "./scenes.ts";

/** The shortest time in which a host gives up on one of our hooks. */
const HOST_PATIENCE_MS = 10_000;

describe("a process that dies in the middle of any file operation", () => {
  it.each(scenes().map(scene => [scene.title, scene] as const))(
    "leaves nothing that stops the next: %s",
    async (_, scene) => {
      const whole = await openInMemory(scene.golden);
      await whole.run();
      const total = whole.system.faults.count;
      expect(total).toBeGreaterThan(3);
      const complaints: string[] = [];
      for (let step = 1; step <= total; step += 1) {
        const first = await openInMemory(scene.golden);
        first.system.faults.dieAt(step);
        await first.run();
        first.system.processes.die();
        const next = await openInMemory(scene.golden, first.system.machine);
        const beganMs = next.system.clock.nowMs();
        const found = faultsOf(scene, await next.run());
        const passedMs = next.system.clock.nowMs() - beganMs;
        if (passedMs >= HOST_PATIENCE_MS) complaints.push(`step ${step}: the next run waited ${passedMs} ms`);
        complaints.push(...[...found, ...brokenState(next.system)].map(line => `step ${step}: ${line}`));
      }
      expect(complaints).toEqual([]);
    },
  );
});
