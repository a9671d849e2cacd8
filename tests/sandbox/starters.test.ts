import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { HOST_LIST } from "../../src/hosts/index.ts";
import { planPolicy } from "../../src/sandbox/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { startersBelow, startsLater, survey } from "../../src/workspace/index.ts";

const PROJECT = "/home/user/project";

function place(files: Readonly<Record<string, string>>, home: Readonly<Record<string, string>> = {}) {
  const system = createMemorySystem({
    files: {
      [`${PROJECT}/.git/HEAD`]: "",
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${PROJECT}/${name}`, text])),
      ...Object.fromEntries(Object.entries(home).map(([name, text]) => [`/home/user/${name}`, text])),
    },
  });
  return {
    system,
    workspace: survey({ cwd: PROJECT, home: "/home/user", system, settings: BUILT_IN.guard }),
  };
}

function policyOf(files: Readonly<Record<string, string>>, home: Readonly<Record<string, string>> = {}) {
  const { system, workspace } = place(files, home);
  return planPolicy(system, workspace, {
    settings: { ...BUILT_IN.sandbox, network: "off" },
    layers: ["namespaces", "landlock", "seccomp"],
    leftovers: "kill",
  }).policy;
}

it.each([
  [".husky", "the folder itself can be replaced"],
  [".husky/pre-commit", "below it"],
  [".GitHub/Workflows/ci.yml", "in another case"],
  ["Jenkinsfile.release", "by its beginning"],
  [".vscode/extensions.json", "a folder of which a part starts something"],
  ["infra/.gitmodules", "in any folder"],
])("%s starts something later: %s", name => {
  const { workspace } = place({});
  expect(startsLater(workspace, `${PROJECT}/${name}`)).toBe(true);
  expect(startsLater(workspace, `${PROJECT}/src/${name.replaceAll(".", "")}`)).toBe(false);
});

it("every name that the sandbox protects is one that starts something later", () => {
  const { workspace } = place({ ".envrc": "" });
  const { existing, missing } = startersBelow(workspace, [{ path: `${PROJECT}/.envrc`, isFolder: false }]);
  expect(existing).toEqual([`${PROJECT}/.envrc`]);
  expect(missing).toContain(`${PROJECT}/.husky`);
  const isUnknown = (path: string) =>
    !startsLater(workspace, path) && !startsLater(workspace, `${path}/file`);
  expect([...existing, ...missing].filter(isUnknown)).toEqual([]);
});

it.each(HOST_LIST.flatMap(({ setup }) => setup?.().mcp?.project ?? []).map(name => [name] as const))(
  "%s, which names servers that a host starts, is protected where it is and where it is not",
  name => {
    const path = `${PROJECT}/${name}`;
    expect(policyOf({ [name]: "" }).readOnly.some(one => path.startsWith(one))).toBe(true);
    expect(policyOf({}).absent.some(one => path.startsWith(one))).toBe(true);
  },
);

describe("what starts something later is protected in the sandbox", () => {
  it.each([
    "packages/a/.envrc",
    "packages/a/.vscode/tasks.json",
    ".gitlab-ci.yaml",
    ".drone.yaml",
    "lefthook-local.yml",
    "vercel.json",
    "tools/run.service",
    "work.code-workspace",
  ])("%s, which is there", name => {
    const { readOnly } = policyOf({ [name]: "" });
    const path = `${PROJECT}/${name}`;
    expect(readOnly.some(one => path === one || path.startsWith(`${one}/`))).toBe(true);
  });

  it.each(["cron.ts", "user.service.ts", "src/vercel.json", "docs/husky/a.md"])(
    "but not %s, which is a file like others",
    name => {
      expect(policyOf({ [name]: "" }).readOnly).not.toContain(`${PROJECT}/${name}`);
    },
  );
});

it("homes of Windows are hidden where its drives are", () => {
  const { system } = place({});
  const other = createMemorySystem({
    files: {
      [`${PROJECT}/.git/HEAD`]: "",
      "/mnt/c/Users/me/.ssh/id_rsa": "",
      "/mnt/data/Users/file": "",
    },
  });
  const hidden = (on: typeof system) =>
    planPolicy(on, survey({ cwd: PROJECT, home: "/home/user", system: on, settings: BUILT_IN.guard }), {
      settings: BUILT_IN.sandbox,
      layers: ["namespaces", "landlock", "seccomp"],
      leftovers: "kill",
    }).policy.hide.map(({ path }) => path);
  expect(hidden(other)).toContain("/mnt/c/Users/me");
  expect(hidden(other).filter(path => path.startsWith("/mnt/data"))).toEqual([]);
  expect(hidden(system).filter(path => path.startsWith("/mnt"))).toEqual([]);
});

describe("files that git's configuration names are protected in the sandbox", () => {
  const CONFIG = ".git/config";
  it.each([
    [
      "included by what is included",
      { [CONFIG]: "[include]\npath = ../one", one: "[include]\npath = two", two: "" },
      "two",
    ],
    [
      "hooks named by what is included",
      { [CONFIG]: "[include]\npath = ../one", one: "[core]\nhooksPath = myhooks", "myhooks/pre-push": "" },
      "myhooks",
    ],
    [
      "a value that goes on in the next line",
      { [CONFIG]: "[core]\n  fsmonitor = \\\ntools/watch.sh", "tools/watch.sh": "" },
      "tools/watch.sh",
    ],
    [
      "a value between quotation marks",
      { [CONFIG]: '[core]\n  fsmonitor = "tools/watch.sh"', "tools/watch.sh": "" },
      "tools/watch.sh",
    ],
    [
      "an alias that runs a script",
      { [CONFIG]: "[alias]\n st = !tools/st.sh", "tools/st.sh": "" },
      "tools/st.sh",
    ],
    ["a pager of one command", { [CONFIG]: "[pager]\n log = sh tools/p.sh", "tools/p.sh": "" }, "tools/p.sh"],
    [
      "a filter of differences",
      { [CONFIG]: "[interactive]\n diffFilter = tools/d.sh", "tools/d.sh": "" },
      "tools/d.sh",
    ],
  ])("%s", (_, files, name) => {
    expect(policyOf(files).readOnly).toContain(`${PROJECT}/${name}`);
  });

  it("also by the user's configuration, through what that includes", () => {
    const home = { ".gitconfig": "[include]\npath = work", work: "[core]\nhooksPath = myhooks" };
    expect(policyOf({ [CONFIG]: "", "myhooks/pre-push": "" }, home).readOnly).toContain(`${PROJECT}/myhooks`);
    expect(policyOf({ [CONFIG]: "" }, home).absent).toContain(`${PROJECT}/myhooks`);
  });

  it("also where they lie in a cache, which a command may change", () => {
    const config = (path: string) => ({ [CONFIG]: `[core]\n  hooksPath = ${path}` });
    const { readOnly } = policyOf(config("~/.cache/hooks"), { ".cache/hooks/pre-push": "" });
    expect(readOnly).toContain("/home/user/.cache/hooks");
    expect(policyOf(config("~/.cache/hooks"), { ".cache/x": "" }).absent).toContain(
      "/home/user/.cache/hooks",
    );
    // Nobody may write there.
    expect(policyOf(config("~/hooks")).absent).not.toContain("/home/user/hooks");
    expect(policyOf(config("~/hooks"), { "hooks/pre-push": "" }).readOnly).not.toContain("/home/user/hooks");
  });

  it("and by that of a submodule, from its own work tree", () => {
    const files = {
      [CONFIG]: "",
      ".git/modules/sub/HEAD": "",
      ".git/modules/sub/config": "[core]\nworktree = ../../../sub\nhooksPath = hooks",
      "sub/hooks/pre-push": "",
    };
    expect(policyOf(files).readOnly).toContain(`${PROJECT}/sub/hooks`);
  });
});
