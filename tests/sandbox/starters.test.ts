import { expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { startersBelow, startsLater, survey } from "../../src/workspace/index.ts";

it("every name that the sandbox protects is one that starts something later", () => {
  const project = "/home/user/project";
  const system = createMemorySystem({ files: { [`${project}/.git/HEAD`]: "", [`${project}/.envrc`]: "" } });
  const workspace = survey({ cwd: project, home: "/home/user", system, settings: BUILT_IN.guard });
  const { existing, missing } = startersBelow(workspace.disk, project);
  expect(existing).toEqual([`${project}/.envrc`]);
  const isUnknown = (path: string) =>
    !startsLater(workspace, path) && !startsLater(workspace, `${path}/file`);
  expect([...existing, ...missing].filter(isUnknown)).toEqual([]);
});
