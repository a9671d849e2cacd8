import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Activity } from "../../src/dashboard/activity.ts";
import { type EntryBatch, LogReader } from "../../src/dashboard/entries.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

function newLog() {
  const folder = temporaryDirectory();
  const path = join(folder, "runs.jsonl");
  const reader = new LogReader(createNodeSystem(), path);
  return {
    path,
    putAway: join(folder, "runs.20260301_100000.jsonl"),
    read() {
      const chunks = [...reader.read()];
      return {
        lines: chunks.flatMap(chunk => chunk.lines),
        skipped: chunks.reduce((sum, chunk) => sum + chunk.skipped, 0),
      };
    },
  };
}

describe("reading a log that others write to", () => {
  it("reads put-away files first, and nothing twice", () => {
    const log = newLog();
    writeFileSync(log.putAway, "one\ntwo\n");
    writeFileSync(log.path, "three\n");
    expect(log.read().lines).toEqual(["one", "two", "three"]);
    expect(log.read().lines).toEqual([]);
    appendFileSync(log.path, "four\n");
    expect(log.read().lines).toEqual(["four"]);
  });

  it("waits for the end of a line", () => {
    const log = newLog();
    writeFileSync(log.path, "one\ntw");
    expect(log.read().lines).toEqual(["one"]);
    appendFileSync(log.path, "o\n");
    expect(log.read().lines).toEqual(["two"]);
  });

  it("loses nothing when the log is put away between two looks", () => {
    const log = newLog();
    writeFileSync(log.path, "one\n");
    log.read();
    appendFileSync(log.path, "two\n");
    renameSync(log.path, log.putAway);
    writeFileSync(log.path, "three\n");
    expect(log.read().lines).toEqual(["two", "three"]);
  });

  it("starts again when the file was emptied", () => {
    const log = newLog();
    writeFileSync(log.path, "one\ntwo\n");
    log.read();
    writeFileSync(log.path, "new\n");
    expect(log.read().lines).toEqual(["new"]);
  });

  it("passes over a line that is too long to hold, says so, and goes on after it", () => {
    const log = newLog();
    writeFileSync(log.path, `one\n${"x".repeat(900_000)}\ntwo\n`);
    expect(log.read()).toEqual({ lines: ["one", "two"], skipped: 1 });
  });

  it("finds nothing where there is no log", () => {
    expect(newLog().read()).toEqual({ lines: [], skipped: 0 });
  });
});

describe("a dashboard that is closed", () => {
  it("leaves off reading, however much there is", async () => {
    const batch = { runs: [], judgements: [], unreadable: 1 };
    const endless = function* (): Generator<EntryBatch> {
      for (;;) yield batch;
    };
    const nothing = function* (): Generator<EntryBatch> {};
    for (const source of [{ read: endless }, { read: nothing, readBack: endless }]) {
      const activity = new Activity(source);
      const reading = activity.catchUp();
      activity.stop();
      await reading;
      expect(activity.isRead).toBe(false);
    }
  });
});
