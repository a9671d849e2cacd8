import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { startUpdateCheck, whySkipped } from "../../../src/launcher/update/releases.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import type { System } from "../../../src/system/system.ts";
import { version } from "../../../src/version.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { ReleaseServer } from "./release-server.ts";

const HOUR_MS = 60 * 60 * 1000;
const system = createNodeSystem();

function cacheIn(stateHome: string): string {
  return join(stateHome, "cache/update_check.json");
}

function writeCache(stateHome: string, ageHours: number, more: object = {}): void {
  mkdirSync(dirname(cacheIn(stateHome)), { recursive: true });
  const record = {
    last_check: new Date(Date.now() - ageHours * HOUR_MS).toISOString(),
    latest_version: "8.0.0",
    check_interval_hours: 24,
    current_version: version,
  };
  writeFileSync(cacheIn(stateHome), JSON.stringify({ ...record, ...more }));
}

async function check(stateHome: string, server: ReleaseServer): Promise<string | undefined> {
  const started = startUpdateCheck(system, stateHome, server.source, () => {});
  await started.done;
  return started.latest();
}

describe("the check for a newer version", () => {
  it.each<[string, number, object, boolean]>([
    ["23 hours old", 23, {}, false],
    ["25 hours old", 25, {}, true],
    ["from the future", -1, {}, true],
    ["of another version", 1, { current_version: "0.0.0" }, true],
    ["of a failure half an hour ago", 0.5, { latest_version: null, check_interval_hours: 1 }, false],
    ["of a failure two hours ago", 2, { latest_version: null, check_interval_hours: 1 }, true],
    ["without a time", 1, { last_check: "soon" }, true],
  ])("with a cache %s asks the source: %#", async (_, ageHours, more, asks) => {
    const stateHome = temporaryDirectory();
    const server = await ReleaseServer.start();
    server.publish("9.0.0");
    writeCache(stateHome, ageHours, more);
    const latest = await check(stateHome, server);
    expect(server.requests).toEqual(asks ? ["/releases"] : []);
    if (asks) expect(latest).toBe("9.0.0");
  });

  it("asks without a cache or with a broken one, and remembers the answer", async () => {
    const stateHome = temporaryDirectory();
    const server = await ReleaseServer.start();
    server.publish("9.0.0");
    expect(await check(stateHome, server)).toBe("9.0.0");
    expect(await check(stateHome, server)).toBe("9.0.0");
    expect(server.requests).toHaveLength(1);
    expect(JSON.parse(readFileSync(cacheIn(stateHome), "utf8"))).toMatchObject({
      latest_version: "9.0.0",
      check_interval_hours: 24,
      current_version: version,
    });
    writeFileSync(cacheIn(stateHome), "{");
    await check(stateHome, server);
    expect(server.requests).toHaveLength(2);
  });

  it("remembers a failure for an hour", async () => {
    const stateHome = temporaryDirectory();
    const server = await ReleaseServer.start();
    server.stop();
    expect(await check(stateHome, server)).toBeUndefined();
    expect(JSON.parse(readFileSync(cacheIn(stateHome), "utf8"))).toMatchObject({
      latest_version: null,
      check_interval_hours: 1,
    });
  });

  it("is never waited for: it can be given up at any time", async () => {
    const stateHome = temporaryDirectory();
    const server = await ReleaseServer.start();
    const started = startUpdateCheck(system, stateHome, server.source, () => {});
    started.cancel();
    await started.done;
    expect(started.latest()).toBeUndefined();
  });
});

describe("no check is made", () => {
  function machine(env: Readonly<Record<string, string>>, isTerminal = true): System {
    return {
      ...system,
      env: { get: name => env[name], names: () => Object.keys(env) },
      stdio: { ...system.stdio, isTerminal: () => isTerminal },
    };
  }
  const plain = { isUnwanted: false, isDelegated: false };

  it.each<[Readonly<Record<string, string>>, boolean, typeof plain, string | undefined]>([
    [{}, true, plain, undefined],
    [{ AMPLIHACK_NO_UPDATE_CHECK: "1", CI: "true" }, true, plain, "silent"],
    [{ AMPLIHACK_NO_UPDATE_CHECK: "0" }, true, plain, undefined],
    [{}, true, { ...plain, isUnwanted: true }, "silent"],
    [{ CI: "false" }, true, plain, "told"],
    [{ AMPLIHACK_AGENT_BINARY: "claude" }, true, plain, "told"],
    [{ AMPLIHACK_NONINTERACTIVE: "0" }, true, plain, "told"],
    [{}, true, { ...plain, isDelegated: true }, "told"],
    [{}, false, plain, "told"],
  ])("with %j, a terminal %s and %j: %s", (env, isTerminal, options, expected) => {
    expect(whySkipped(machine(env, isTerminal), options)).toBe(expected);
  });
});
