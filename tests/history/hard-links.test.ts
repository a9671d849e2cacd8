import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FileState } from "../../src/history/change.ts";
import type { HistoryContext } from "../../src/history/context.ts";
import { linkSteps } from "../../src/history/hard-links.ts";
import type { PathStep } from "../../src/history/interface.ts";
import { factsAt } from "../../src/history/path-state.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { testProject } from "./project.ts";

it("links names to one of them, not to another file that has been given their number since", () => {
  const project = temporaryDirectory();
  const system = createNodeSystem();
  const other = join(project, "other");
  writeFileSync(other, "other\n");
  const inode = factsAt(system.files, other)?.identity ?? "";
  const file: FileState = {
    kind: "file",
    mode: 0o644,
    size: 2,
    modifiedNs: "0",
    content: { in: "nowhere", why: "" },
  };
  const names = ["one", "two"].map(name => join(project, name));
  const steps: readonly PathStep[] = [
    { path: other, action: "restore", present: file, target: file },
    ...names.map(
      (path): PathStep => ({
        path,
        action: "restore",
        present: { kind: "absent" },
        target: { ...file, names: { inode, count: 2 } },
      }),
    ),
  ];
  const context = { system, places: { project, home: project } } as unknown as HistoryContext;
  expect(linkSteps(context, steps).map(({ linkTo }) => linkTo)).toEqual([undefined, undefined, names[0]]);
});

it("links a name to one that stays, not to one that becomes a name of another file again", async () => {
  const p = testProject();
  p.shell("echo z > z1; ln z1 z2; echo b > b1; ln b1 b2");
  const inodes = () => ["z1", "z2", "b1", "b2"].map(name => statSync(join(p.root, name)).ino);
  const before = [p.state(), inodes()];
  await p.call("mv z1 b1", { targets: [p.target("z1", "move"), p.target("b1", "write")] });
  await p.undo();
  expect([p.state(), inodes()]).toEqual(before);
});
