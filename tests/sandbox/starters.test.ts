import { expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { startersBelow, startsLater, survey } from "../../src/workspace/index.ts";

const project = "/home/user/project";

it.each([
  [".husky", "the folder itself can be replaced"],
  [".husky/pre-commit", "below it"],
  [".GitHub/Workflows/ci.yml", "in another case"],
  ["Jenkinsfile.release", "by its beginning"],
  [".vscode/extensions.json", "a folder of which a part starts something"],
  ["infra/.gitmodules", "in any folder"],
])("%s starts something later: %s", name => {
  const workspace = survey({
    cwd: project,
    home: "/home/user",
    system: createMemorySystem({ files: { [`${project}/.git/HEAD`]: "" } }),
    settings: BUILT_IN.guard,
  });
  expect(startsLater(workspace, `${project}/${name}`)).toBe(true);
  expect(startsLater(workspace, `${project}/src/${name.replaceAll(".", "")}`)).toBe(false);
});

it("every name that the sandbox protects is one that starts something later", () => {
  const system = createMemorySystem({ files: { [`${project}/.git/HEAD`]: "", [`${project}/.envrc`]: "" } });
  const workspace = survey({ cwd: project, home: "/home/user", system, settings: BUILT_IN.guard });
  const { existing, missing } = startersBelow(workspace.disk, project);
  expect(existing).toEqual([`${project}/.envrc`]);
  const isUnknown = (path: string) =>
    !startsLater(workspace, path) && !startsLater(workspace, `${path}/file`);
  expect([...existing, ...missing].filter(isUnknown)).toEqual([]);
});
