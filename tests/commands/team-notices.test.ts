import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/settings.ts";
import { openTarget } from "../../src/ship/open-target.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { newUserInside } from "./run-command.ts";

/** Nobody listens there, and it is not one of the names of this machine. */
const URL = "postgres://ann@0.0.0.0:1/agents?sslmode=disable";

it.each([[["memory", "list", "--url", URL]], [["memory", "sync"]], [["dashboard", "--url", URL]]])(
  "tells who types %j that others can read along",
  async words => {
    const user = newUserInside();
    const state = join(user.home, ".amplihack");
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, "config.jsonc"), JSON.stringify({ memory: { url: URL } }));
    const { code, stderr } = await user.type(words);
    expect(code).not.toBe(0);
    expect(stderr).toContain("0.0.0.0 is reached without encryption");
  },
);

it("says that what a team shares is deleted for all of it", async () => {
  const user = newUserInside();
  const clean = () => user.type(["memory", "clean", "--pattern", "*", "--no-dry-run"]);
  await user.type(["memory", "store", "a", "b"]);
  expect((await clean()).stderr).not.toContain("team");
  mkdirSync(join(user.home, ".amplihack"), { recursive: true });
  writeFileSync(join(user.home, ".amplihack", "config.jsonc"), JSON.stringify({ memory: { url: URL } }));
  expect((await clean()).stderr).toContain(
    "deleting, shared ones for the whole team, needs your confirmation",
  );
});

it("tells who ships the same", async () => {
  const told: string[] = [];
  const target = await openTarget(createNodeSystem(), `postgres=${URL}`, {
    memory: BUILT_IN.memory,
    team: undefined,
    hasContent: false,
    timeoutMs: 1_000,
    maxRetries: 0,
    signal: new AbortController().signal,
    wait: async () => {},
    tell: message => void told.push(message),
  });
  await target.close();
  expect(told).toEqual([expect.stringContaining("0.0.0.0 is reached without encryption")]);
});
