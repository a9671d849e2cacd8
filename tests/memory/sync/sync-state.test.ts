import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  describeSync,
  isSyncDue,
  readSyncState,
  type SyncState,
  updateSyncState,
} from "../../../src/memory/sync/sync-state.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 5, 15, 12);
const system = createNodeSystem();

const fresh: SyncState = {
  attemptMs: NOW_MS - MINUTE_MS,
  finishedMs: NOW_MS - MINUTE_MS,
  successMs: NOW_MS - MINUTE_MS,
  failures: 0,
  problem: "",
  waiting: 0,
  refused: 0,
};
const failed = (failures: number, minutesAgo: number): SyncState => ({
  ...fresh,
  successMs: 0,
  finishedMs: NOW_MS - minutesAgo * MINUTE_MS,
  attemptMs: NOW_MS - minutesAgo * MINUTE_MS,
  failures,
  waiting: 3,
  problem: "the database does not answer",
});

describe("a sync in the background", () => {
  it.each<[string, SyncState, boolean, boolean]>([
    ["nothing changed and the last one was just now", fresh, false, false],
    ["something changed", fresh, true, true],
    ["something waits", { ...fresh, waiting: 1 }, false, true],
    ["only what is refused waits", { ...fresh, waiting: 2, refused: 2 }, false, false],
    ["nothing was fetched for a while", { ...fresh, successMs: NOW_MS - 6 * MINUTE_MS }, false, true],
    ["there was none yet", { ...fresh, attemptMs: 0, finishedMs: 0, successMs: 0 }, false, true],
    ["one is under way", { ...fresh, attemptMs: NOW_MS - 1_000 }, true, false],
    [
      "one began long ago and never ended",
      { ...fresh, attemptMs: NOW_MS - 3 * MINUTE_MS, finishedMs: 0 },
      true,
      true,
    ],
    ["the last one just failed", failed(1, 0.5), true, false],
    ["the last one failed a while ago", failed(1, 2), true, true],
    ["many failed", failed(5, 10), true, false],
    ["many failed and the longest pause is over", failed(50, 16), true, true],
    ["the clock was set back", { ...failed(5, -60), waiting: 1 }, false, true],
  ])("when %s", (_, state, hasChanged, isDue) => {
    expect(isSyncDue(state, hasChanged, NOW_MS)).toBe(isDue);
  });
});

describe("what is told about it", () => {
  it.each<[SyncState, string | undefined]>([
    [fresh, undefined],
    [failed(1, 0), "3 changes wait for the team's database; not synced yet: the database does not answer"],
    [
      { ...failed(1, 0), waiting: 1, successMs: NOW_MS - 150 * MINUTE_MS },
      "1 change waits for the team's database; last sync 2 h ago: the database does not answer",
    ],
    [
      { ...fresh, waiting: 2, successMs: NOW_MS - 3 * 24 * 60 * MINUTE_MS },
      "2 changes wait for the team's database; last sync 3 days ago",
    ],
    [
      { ...failed(1, 0), waiting: 0, successMs: NOW_MS - MINUTE_MS },
      "changes of the team are not fetched; last sync 1 min ago: the database does not answer",
    ],
    [{ ...fresh, waiting: 2 }, "2 changes wait for the team's database; last sync 1 min ago"],
  ])("%#", (state, text) => {
    expect(describeSync(state, NOW_MS)).toBe(text);
  });
});

describe("the file that keeps it", () => {
  it("gives back what was written, and counts as missing when it is damaged", () => {
    const database = join(temporaryDirectory(), "memory.db");
    expect(readSyncState(system, database)).toMatchObject({ successMs: 0, waiting: 0 });
    updateSyncState(system, database, ({ failures }) => ({ failures: failures + 1, problem: "x" }));
    updateSyncState(system, database, ({ failures }) => ({ failures: failures + 1, waiting: 4 }));
    expect(readSyncState(system, database)).toMatchObject({ failures: 2, problem: "x", waiting: 4 });
    for (const damage of ["{", "[]"]) {
      writeFileSync(join(database, "..", "memory-sync.json"), damage);
      expect(readSyncState(system, database)).toMatchObject({ failures: 0 });
      updateSyncState(system, database, () => ({ waiting: 1 }));
      expect(readSyncState(system, database)).toMatchObject({ waiting: 1 });
    }
  });
});
