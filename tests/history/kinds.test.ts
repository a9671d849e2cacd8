import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TestProject, testProject } from "./project.ts";

// What stands at a path may become anything else. Each is made by a shell command, so that modes and links are real.
const KINDS: Readonly<Record<string, (at: string) => string>> = {
  nothing: () => ":",
  file: at => `echo ${at} > ${at} && chmod 640 ${at}`,
  "empty folder": at => `mkdir -m 750 ${at}`,
  "full folder": at =>
    `mkdir -p ${at}/deep ${at}/empty/inner && echo a > ${at}/a && echo b > ${at}/deep/b && ln -s a ${at}/link`,
  "link to a file": at => `ln -s other/file ${at}`,
  "link to a folder": at => `ln -s other ${at}`,
  "dangling link": at => `ln -s nowhere ${at}`,
};
const NAMES = Object.keys(KINDS);
/** All pairs of kinds, each at a path of its own: `file--empty-folder`. */
const PAIRS = NAMES.flatMap(from =>
  NAMES.filter(to => to !== from).map(to => ({ from, to, at: nameOf(from, to) })),
);

function nameOf(from: string, to: string): string {
  return `${from}--${to}`.replaceAll(" ", "-");
}

function makeAll(side: "from" | "to", pairs: readonly (typeof PAIRS)[number][]): string {
  return pairs.map(pair => KINDS[pair[side]]?.(pair.at)).join("\n");
}

const isFull = ({ from, to }: (typeof PAIRS)[number]) => from === "full folder" || to === "full folder";
/** What is in a folder that took the place of a file or link came with it. */
const isInReplacement = ({ from, to }: (typeof PAIRS)[number]) =>
  to === "full folder" && /file|link/.test(from);
const WAYS = {
  "named paths": {
    pairs: PAIRS,
    footprint: (p: TestProject) => ({ targets: PAIRS.map(({ at }) => p.target(at, "delete", true)) }),
  },
  "named paths without what is in them": {
    pairs: PAIRS.filter(pair => !isFull(pair) || isInReplacement(pair)),
    footprint: (p: TestProject) => ({ targets: PAIRS.map(({ at }) => p.target(at, "write")) }),
  },
  "an unknown program": { pairs: PAIRS, footprint: (p: TestProject) => ({ unknownIn: [p.root] }) },
} as const;

describe.each(["no repository", "tracked", "untracked"])("what stands at a path, %s", tree => {
  it.each(Object.entries(WAYS))(
    "comes back whatever it became, changed by %s",
    async (_, { pairs, footprint }) => {
      const p = testProject();
      p.shell(`mkdir other && echo o > other/file\n${makeAll("from", pairs)}`);
      if (tree !== "no repository") {
        p.shell(
          `git init -q -b main && git add ${tree === "tracked" ? "-A" : "other"} && git commit -qm one`,
        );
      }
      const before = p.state();
      const id = await p.call(`rm -rf ./*--*\n${makeAll("to", pairs)}`, footprint(p));
      const after = p.state();
      for (const { at } of pairs) expect([at, after[at]]).not.toEqual([at, before[at]]);
      const undo = await p.undo(id);
      expect(p.state()).toEqual(before);
      await p.redo(undo);
      expect(p.state()).toEqual(after);
      await p.undo(id);
      expect(p.state()).toEqual(before);
    },
  );
});

describe("a folder that stands where a file or link was", () => {
  it.each([
    ["file", { unknownIn: true }],
    ["link to a folder", { unknownIn: false }],
  ] as const)("stays when a person put something into it: %s", async (kind, { unknownIn }) => {
    const p = testProject();
    p.write({ "other/file": "o\n", "gone.txt": "g\n" });
    p.shell(KINDS[kind]?.("it") ?? "");
    const id = await p.call(
      "rm -rf it gone.txt; mkdir it; echo x > it/made",
      unknownIn
        ? { unknownIn: [p.root] }
        : { targets: [p.target("it", "delete", true), p.target("gone.txt")] },
    );
    p.write({ "it/mine.txt": "mine\n" });
    const before = p.state();
    await expect(p.undo(id)).rejects.toMatchObject({ kind: "conflict", exitCode: 3 });
    expect(p.state()).toEqual(before);
    const plan = await p.history.planUndo({ kind: "ids", ids: [id ?? ""] });
    const { missing } = await p.history.applyUndo(plan, { force: true });
    expect(missing).toEqual([
      { path: join(p.root, "it"), why: expect.stringContaining("folder is there now") },
    ]);
    expect([p.read("it/mine.txt"), p.read("gone.txt"), existsSync(join(p.root, "it/made"))]).toEqual([
      "mine\n",
      "g\n",
      false,
    ]);
    expect(lstatSync(join(p.root, "it")).isDirectory()).toBe(true);
  });
});
