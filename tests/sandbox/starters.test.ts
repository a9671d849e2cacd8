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

function policyOf(
  files: Readonly<Record<string, string>>,
  home: Readonly<Record<string, string>> = {},
  cwd = PROJECT,
) {
  const { system } = place(files, home);
  const workspace = survey({ cwd, home: "/home/user", system, settings: BUILT_IN.guard });
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
  const { existing, missing } = startersBelow(
    workspace,
    [PROJECT],
    [{ path: `${PROJECT}/.envrc`, isFolder: false }],
  );
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

describe("a folder of a project that a command made a repository of", () => {
  const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
    policyOf({ [`${folder}/.git/HEAD`]: "", ...files }, {}, `${PROJECT}/${folder}`);
  const isClosed = ({ readOnly, absent }: ReturnType<typeof policyOf>, name: string) =>
    [...readOnly, ...absent].some(path => `${PROJECT}/${name}`.startsWith(path));

  it.each([
    [".claude", ".claude/settings.json"],
    [".claude", ".claude/settings.local.json"],
    [".github", ".github/workflows/ci.yml"],
    [".vscode", ".vscode/tasks.json"],
    [".config", ".config/mise/config.toml"],
    [".cursor", ".cursor/mcp.json"],
  ])("%s: %s cannot be changed there", (folder, name) => {
    expect(isClosed(inFolder(folder, { [name]: "" }), name)).toBe(true);
    expect(isClosed(inFolder(folder, {}), name)).toBe(true);
    // Nor where neither is a repository.
    const system = createMemorySystem({ files: { [`/work/x/${name}`]: "" } });
    const workspace = survey({
      cwd: `/work/x/${folder}`,
      home: "/home/user",
      system,
      settings: BUILT_IN.guard,
    });
    const request = {
      settings: BUILT_IN.sandbox,
      layers: ["namespaces"] as const,
      leftovers: "kill" as const,
    };
    const { readOnly } = planPolicy(system, workspace, request).policy;
    expect(readOnly.some(path => `/work/x/${name}`.startsWith(path))).toBe(true);
  });

  it("holds what the outer repository's configuration names, and hides what is a secret there", () => {
    const files = {
      ".git/config": "[core]\n\thooksPath = tools/hooks",
      "tools/hooks/pre-push": "",
      "tools/a.txt": "",
      "deploy.key": "",
    };
    const policy = inFolder("tools", files);
    expect(policy.write).toContain(`${PROJECT}/tools`);
    expect(policy.readOnly).toContain(`${PROJECT}/tools/hooks`);
    expect(policy.hide.map(({ path }) => path)).toContain(`${PROJECT}/deploy.key`);
    expect(policy.readOnly).not.toContain(`${PROJECT}/tools`);
  });

  it("is one like others where its name only begins like that of a file", () => {
    expect(inFolder("crontab-ui", { "crontab-ui/a.txt": "" }).readOnly).not.toContain(
      `${PROJECT}/crontab-ui`,
    );
  });
});

describe("a repository from which a command took what git knows it by", () => {
  it.each([
    ["the project's", { ".git/config": "", ".git/hooks/x": "" }, ".git"],
    ["a nested one", { ".git/HEAD": "", "nested/.git/config": "", "nested/.git/hooks/x": "" }, "nested/.git"],
    [
      "a submodule's",
      { ".git/HEAD": "", ".git/modules/sub/config": "", ".git/modules/sub/hooks/x": "" },
      ".git/modules/sub",
    ],
    [
      "a submodule's below a name that is one as well",
      {
        ".git/HEAD": "",
        ".git/modules/a/config": "",
        ".git/modules/a/sub/config": "",
        ".git/modules/a/sub/hooks/x": "",
      },
      ".git/modules/a/sub",
    ],
  ])("%s keeps its hooks and configuration", (_, files, folder) => {
    const system = createMemorySystem({
      files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`${PROJECT}/${name}`, text])),
    });
    const workspace = survey({ cwd: PROJECT, home: "/home/user", system, settings: BUILT_IN.guard });
    const { readOnly } = planPolicy(system, workspace, {
      settings: BUILT_IN.sandbox,
      layers: ["namespaces"],
      leftovers: "kill",
    }).policy;
    expect(readOnly).toEqual(
      expect.arrayContaining([`${PROJECT}/${folder}/config`, `${PROJECT}/${folder}/hooks`]),
    );
  });

  it("keeps those of all submodules where there are too many to look at", () => {
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, at) => [`.git/modules/m${at}/x`, ""]));
    expect(policyOf(many).readOnly).toContain(`${PROJECT}/.git/modules`);
  });
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
