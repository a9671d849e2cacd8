import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type OtlpOptions, otlpTarget } from "../../src/ship/open-target.ts";
import { toAttributes } from "../../src/ship/otlp.ts";
import { readBatch } from "../../src/ship/read-batch.ts";
import { shipAll } from "../../src/ship/ship.ts";
import { findHead } from "../../src/state/chained-log.ts";
import { FileLock, listRotations } from "../../src/state/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { sha256Hex } from "../../src/system/sha256.ts";
import { bundleProgram } from "../bundle-program.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { logsIn, writeLines } from "./logs.ts";
import { answer, logRecordsIn, never, type Receiver, startReceiver } from "./receiver.ts";

const system = createNodeSystem();

async function place(lines: number, limitBytes?: number) {
  const stateHome = temporaryDirectory();
  writeLines(stateHome, lines, limitBytes);
  const receiver = await startReceiver();
  const told: string[] = [];
  const waits: number[] = [];
  const ship = (more: Partial<OtlpOptions> = {}) => {
    const options = {
      url: new URL(receiver.url),
      resource: toAttributes({ "service.name": "amplihack" }),
      hasContent: false,
      headers: {},
      timeoutMs: 60_000,
      maxRetries: 3,
      signal: new AbortController().signal,
      wait: async (ms: number) => void waits.push(ms),
      tell: (message: string) => void told.push(message),
      ...more,
    };
    return shipAll(system, { ...options, stateHome, logs: logsIn(stateHome), target: otlpTarget(options) });
  };
  return { stateHome, receiver, ship, told, waits, checkpoint: () => checkpointIn(stateHome) };
}

function checkpointIn(stateHome: string): { logs: Record<string, { offset: number }> } | undefined {
  const [name] = readdirSync(join(stateHome, "ship")).filter(each => each.endsWith(".json"));
  return name === undefined ? undefined : JSON.parse(readFileSync(join(stateHome, "ship", name), "utf8"));
}

const idsOf = (receiver: Receiver) => receiver.records().map(record => String(record["log.record.uid"]));

describe("shipping", () => {
  it("sends both logs with ids and without content, then only what is new", async () => {
    const { stateHome, receiver, ship, checkpoint } = await place(3);
    expect(await ship()).toBe(6);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/v1/logs", "/v1/metrics"]);
    expect(JSON.stringify(receiver.received)).not.toContain("secret");
    expect(new Set(idsOf(receiver)).size).toBe(6);
    expect(receiver.records()[0]).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "Bash",
      "gen_ai.agent.name": "claude-code",
      "gen_ai.conversation.id": "s-1",
      "amplihack.decision": "deny",
      "amplihack.rules": ["fs.home"],
      "amplihack.audit.seq": 1,
    });
    const [record] = logRecordsIn(receiver.received[0]?.document ?? {});
    expect(record).toMatchObject({
      timeUnixNano: expect.stringMatching(/^17935272\d{11}$/),
      severityNumber: 13,
      severityText: "WARN",
      eventName: "amplihack.guard.verdict",
    });
    expect(await ship()).toBe(0);
    writeLines(stateHome, 1);
    expect(await ship()).toBe(2);
    expect(new Set(idsOf(receiver)).size).toBe(8);
    expect(checkpoint()?.logs["audit"]?.offset).toBeGreaterThan(100);
  });

  it("sends the head of the audit log, and sums since the beginning", async () => {
    const { stateHome, receiver, ship } = await place(3);
    await ship();
    writeLines(stateHome, 1);
    await ship();
    const head = findHead(system, logsIn(stateHome).audit);
    expect(receiver.metric("amplihack.audit.head")).toMatchObject({
      gauge: { dataPoints: [{ asInt: "4", attributes: [{ value: { stringValue: head?.hash } }] }] },
    });
    expect(receiver.metric("amplihack.guard.verdicts")).toMatchObject({
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ asInt: "3" }, { asInt: "1" }] },
    });
    const durations = receiver.metric("amplihack.hook.duration");
    expect(durations).toMatchObject({
      histogram: { dataPoints: [{ count: "4", sum: expect.closeTo(0.016) }] },
    });
  });

  it("sends commands and paths when asked to", async () => {
    const { receiver, ship } = await place(1);
    await ship({ hasContent: true });
    expect(receiver.records()[0]).toMatchObject({
      "gen_ai.tool.call.arguments": "rm -rf secret-0",
      "amplihack.project": "/secret/project",
    });
  });

  it("goes on over rotation, more than one batch long, and waits for the end of a line", async () => {
    const { stateHome, receiver, ship } = await place(5, 400);
    await ship();
    writeLines(stateHome, 10, 400);
    await ship();
    expect(listRotations(system, logsIn(stateHome).audit).length).toBeGreaterThan(3);
    writeLines(stateHome, 600);
    appendFileSync(logsIn(stateHome).audit, '{"ts":"20');
    expect(await ship()).toBe(1_200);
    const seqs = receiver.records().flatMap(record => record["amplihack.audit.seq"] ?? []);
    expect(seqs).toEqual(Array.from({ length: 615 }, (_, index) => index + 1));
    expect(new Set(idsOf(receiver)).size).toBe(1_230);
  });

  it("tells when lines were rotated away before they were sent", async () => {
    const { stateHome, ship, told } = await place(2);
    await ship();
    rmSync(logsIn(stateHome).audit);
    writeLines(stateHome, 1);
    expect(await ship()).toBe(2);
    expect(told.join()).toContain("may have been rotated away");
  });

  it("sends a file again that was rewritten, and not one that was rotated while it was looked at", async () => {
    const { stateHome, receiver, ship, told } = await place(3);
    await ship();
    const { audit } = logsIn(stateHome);
    writeFileSync(audit, readFileSync(audit, "utf8").replace('"ask"', '"allow"'));
    expect(await ship()).toBe(3);
    expect(told).toEqual([`${audit} is not as it was when it was sent: it is sent again where it differs`]);
    // The first line is known by its id; the second has another text, the third another place.
    expect(new Set(idsOf(receiver)).size).toBe(8);
    const [line = ""] = readFileSync(audit, "utf8").split("\n");
    const position = { first: sha256Hex(system.text.encode(line)), offset: statSync(audit).size };
    const files: typeof system.files = Object.create(system.files, {
      readRange: {
        value: (path: string, from: number, length: number) => {
          if (length === 1) {
            renameSync(audit, join(stateHome, "logs", "audit.20261101_100000.jsonl"));
            writeFileSync(audit, '{"seq":4}\n');
          }
          return system.files.readRange(path, from, length);
        },
      },
    });
    const batch = readBatch({ ...system, files }, "audit", audit, position, 10);
    expect(batch).toEqual({ lines: [], position, isGap: false, isRewritten: false });
  });

  it("ships a line that cannot be read as such", async () => {
    const { stateHome, receiver, ship } = await place(1);
    writeFileSync(logsIn(stateHome).runs, "\u0000\u0000 broken\n");
    await ship();
    expect(receiver.records()).toHaveLength(2);
    expect(JSON.stringify(receiver.received)).toContain("a line that cannot be read");
  });
});

describe("a receiver that fails", () => {
  it("is asked again, later each time, or when it says; nothing is there twice by its id", async () => {
    const { receiver, ship, waits } = await place(2);
    receiver.answers.push(answer(503), answer(429, "{}", { "retry-after": "7" }), answer(502));
    expect(await ship()).toBe(4);
    expect(waits).toEqual([1_000, 7_000, 4_000]);
    expect(idsOf(receiver)).toHaveLength(16);
    expect(new Set(idsOf(receiver)).size).toBe(4);
  });

  it.each([
    ["answers 503 for ever", () => answer(503), "answered 503", 4],
    ["answers 400", () => answer(400), "answered 400", 1],
    ["redirects", () => answer(302, "", { location: "http://127.0.0.1:1/" }), "redirect", 4],
  ])("%s: that is an error, and everything is sent the next time", async (_, make, cause, attempts) => {
    const { receiver, ship, checkpoint } = await place(2);
    receiver.answers.push(...Array.from({ length: attempts }, make));
    const error = await ship().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining("nothing was acknowledged") });
    expect(JSON.stringify(error)).toContain(cause);
    expect(receiver.received).toHaveLength(attempts);
    expect(checkpoint()).toBeUndefined();
    expect(await ship()).toBe(4);
    expect(new Set(idsOf(receiver)).size).toBe(4);
  });

  it("does not answer in time, or is gone", async () => {
    const { receiver, ship } = await place(1);
    receiver.answers.push(never);
    await expect(ship({ timeoutMs: 50, maxRetries: 0 })).rejects.toThrow("nothing was acknowledged");
    // A busy machine may end the request before it arrives.
    receiver.answers.length = 0;
    await expect(ship({ url: new URL("http://127.0.0.1:1"), maxRetries: 0 })).rejects.toThrow();
    expect(await ship()).toBe(2);
    expect(new Set(idsOf(receiver)).size).toBe(2);
  });

  it("takes the logs and not the sums: both are sent again, with the same ids and sums", async () => {
    const { receiver, ship } = await place(2);
    receiver.answers.push(answer(200), answer(400));
    await expect(ship()).rejects.toThrow();
    expect(await ship()).toBe(4);
    expect(new Set(idsOf(receiver)).size).toBe(4);
    expect(receiver.metric("amplihack.guard.verdicts")).toMatchObject({
      sum: { dataPoints: [{ asInt: "1" }, { asInt: "1" }] },
    });
  });

  it("leaves out a part: that is told and not sent again", async () => {
    const { receiver, ship, told } = await place(1);
    const partial = JSON.stringify({ partialSuccess: { rejectedLogRecords: "1", errorMessage: "too old" } });
    receiver.answers.push(answer(200, partial));
    expect(await ship()).toBe(2);
    expect(told.join()).toContain("left out 1 of it: too old");
    expect(await ship()).toBe(0);
  });
});

describe("a shipper", () => {
  it("that is killed before the acknowledgement leaves everything to the next one", async () => {
    const { stateHome, receiver, ship } = await place(3);
    const program = bundleProgram(new URL("./programs/shipper.ts", import.meta.url), [
      "pg",
      "@dbos-inc/dbos-sdk",
    ]);
    const child = spawn(process.execPath, [program, stateHome, `otlp=${receiver.url}`], { stdio: "inherit" });
    receiver.answers.push(() => child.kill("SIGKILL"));
    await once(child, "close");
    expect(child.signalCode).toBe("SIGKILL");
    expect(await ship()).toBe(6);
    expect(idsOf(receiver)).toHaveLength(12);
    expect(new Set(idsOf(receiver)).size).toBe(6);
  });

  it("does not run twice for one target, and stops when it is told to", async () => {
    const { stateHome, receiver, ship } = await place(1);
    await ship();
    const [name = ""] = readdirSync(join(stateHome, "ship"));
    const lock = new FileLock(join(stateHome, "ship", `${name}.shipping`), { system });
    lock.acquire();
    await expect(ship()).rejects.toThrow("another amplihack ship");
    lock.release();
    writeLines(stateHome, 600);
    const stopped = new AbortController();
    receiver.answers.push(answer(200), (_, response) => {
      stopped.abort();
      response.writeHead(200).end("{}");
    });
    await ship({ signal: stopped.signal }).catch(() => {});
    expect(await ship()).toBeGreaterThan(0);
    expect(new Set(idsOf(receiver)).size).toBe(1_202);
  });
});
