import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/settings.ts";
import { NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { beginCall } from "../../src/history/begin.ts";
import { openContext } from "../../src/history/context.ts";
import { Keeper, keeperLimits } from "../../src/history/keeper.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";

const HOME = "/home/u";
const PROJECT = `${HOME}/p`;
const HOST_WAITS_MS = 3_000;
const REQUEST = {
  host: "claude-code",
  session: "s",
  tool: "Bash",
  toolUseId: "u",
  command: "rm -rf work",
  verdict: "allow",
  rules: [],
};

function open(count: number, msPerLook: number, other: Readonly<Record<string, string>> = {}) {
  const names = Array.from({ length: count }, (_, at) => `${PROJECT}/work/${at}.txt`);
  const files = { ...Object.fromEntries(names.map(name => [name, name])), ...other };
  const { files: disk, ...rest } = createMemorySystem({ cwd: PROJECT, files, env: { HOME } });
  let left = HOST_WAITS_MS + msPerLook;
  const clock = {
    ...rest.clock,
    answerInMs() {
      left -= msPerLook;
      return left;
    },
  };
  const system: System = { ...rest, files: disk, clock };
  const places = {
    project: PROJECT,
    home: HOME,
    stateHome: `${HOME}/.amplihack`,
    temps: [],
    regenerable: [],
  };
  return openContext(system, places, BUILT_IN.history);
}

function capture(count: number, msPerLook: number) {
  const target = { path: `${PROJECT}/work`, how: "delete", isTree: true } as const;
  return beginCall(open(count, msPerLook), REQUEST, { ...NO_FOOTPRINT, targets: [target] });
}

describe("the time before a call", () => {
  it("keeps a small tree on a machine on which everything takes long", async () => {
    expect(await capture(20, 40)).toMatchObject({ files: 20, isComplete: true, lost: [] });
  });

  it("ends before the host gives up, whatever there is left", async () => {
    const { isComplete, lost, files } = await capture(200, 40);
    expect(isComplete).toBe(false);
    expect(files).toBeGreaterThan(20);
    expect(lost.at(-1)?.why).toContain("history.budgetMs");
  });

  it("is an amount of work: a quick machine and a busy one keep the same files", async () => {
    const [quick, busy] = [await capture(5_000, 0.001), await capture(5_000, 0.3)];
    expect(quick.isComplete).toBe(false);
    expect(quick.files).toBeLessThan(5_000);
    expect(busy.files).toBe(quick.files);
  });

  it("does not read a file with holes that is too long, however little of it is on the disk", () => {
    const context = open(0, 0, { [`${PROJECT}/holes`]: "x" });
    const { files } = context.system;
    const sparse = { ...files.exactFacts(`${PROJECT}/holes`), size: 2.5e9, allocatedBytes: 4096 };
    const keeper = new Keeper(context.store, context.rules, keeperLimits(context.settings));
    keeper.capture(`${PROJECT}/holes`, sparse as never);
    expect(keeper.lost[0]?.why).toContain("too long to read");
  });

  it("allows git what the size of its index says, and nothing where that is too much", () => {
    const large = "x".repeat(64 * 1024 * 1024);
    const files = { [`${PROJECT}/small/index`]: "x", [`${PROJECT}/large/index`]: large };
    const context = open(0, 0, files);
    const keeper = new Keeper(context.store, context.rules, keeperLimits(context.settings));
    expect(keeper.msForGit(`${PROJECT}/small`)).toBe(HOST_WAITS_MS);
    expect(keeper.msForGit(`${PROJECT}/large`)).toBe(0);
  });
});
