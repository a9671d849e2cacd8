import { describe, expect, it } from "vitest";
import { isRegenerablePattern } from "../../src/programs/records/regenerable.ts";
import { globMatches } from "../../src/system/glob.ts";
import { isIgnored, matchesAnyPattern, parseIgnoreFile } from "../../src/workspace/ignore.ts";
import { componentCouldBe } from "../../src/workspace/target.ts";
import { survey } from "../../src/workspace/workspace.ts";
import { classifyPath, secretAt } from "../../src/workspace/zones.ts";
import { contextFor, HOME, judge, machine, PROJECT } from "./scene.ts";

const around = survey(contextFor());

describe("zones", () => {
  it.each([
    ["/", "root"],
    ["/etc", "root"],
    ["/usr/bin", "root"],
    ["/usr/lib/x/y", "system"],
    ["/var/lib/mysql", "system"],
    ["/var/cache/apt/x", "regenerable"],
    ["/usr/local/go", "local-software"],
    ["/home", "root"],
    ["/home/other", "home"],
    ["/home/other/x", "outside"],
    [HOME, "home"],
    [`${HOME}/Documents`, "home"],
    [`${HOME}/.config/app`, "home"],
    [`${HOME}/.cache/pip`, "regenerable"],
    [`${HOME}/node_modules`, "regenerable"],
    [`${HOME}/other/src`, "outside"],
    [`${HOME}/other/node_modules`, "regenerable"],
    [PROJECT, "project"],
    [`${PROJECT}/.git`, "history"],
    [`${PROJECT}/.git/refs/heads`, "history"],
    [`${PROJECT}/.git/index.lock`, "regenerable"],
    [`${PROJECT}/src`, "source"],
    [`${PROJECT}/packages/a/dist/x`, "regenerable"],
    [`${PROJECT}/generated-reports/x`, "regenerable"],
    [`${PROJECT}/vendor/bundle`, "regenerable"],
    [`${PROJECT}/vendor/lib`, "source"],
    ["/tmp", "temp-root"],
    ["/tmp/x", "temp"],
    ["/var/folders/ab/T/x", "temp"],
    ["/srv/www", "outside"],
    ["/mnt/c", "root"],
    ["/mnt/c/Users/me", "home"],
  ])("%s is %s", (path, zone) => expect(classifyPath(around, path)).toBe(zone));

  it("prefer the nearest of project, home and temp", () => {
    const system = machine({ "/tmp/a/project/.git/HEAD": "ref: refs/heads/x\n" });
    const inTemp = survey(contextFor({ cwd: "/tmp/a/project", home: "/tmp/home", system }));
    expect(classifyPath(inTemp, "/tmp/home")).toBe("home");
    expect(classifyPath(inTemp, "/tmp/home/x")).toBe("home");
    expect(classifyPath(inTemp, "/tmp/a/project/src")).toBe("source");
    expect(classifyPath(inTemp, "/tmp/a/other")).toBe("temp");
  });

  it("take a temporary directory for a project only when it is a repository", () => {
    const inTemp = survey(contextFor({ cwd: "/tmp/a/notes", system: machine() }));
    expect(inTemp.project).toBeUndefined();
    expect(classifyPath(inTemp, "/tmp/a/notes/src")).toBe("temp");
  });

  it("protect a home on a disk in memory as any other, where other writes are free", () => {
    const inMemory = { cwd: "/dev/shm/a/project", home: "/dev/shm/home", system: machine() };
    const rulesOn = (command: string) => judge(command, inMemory).findings.map(({ rule }) => rule);
    expect(rulesOn("cat x > ~/.bashrc")).toEqual(["fs.rcfile"]);
    expect(rulesOn("cat x > /dev/shm/scratch/file")).toEqual([]);
    expect(rulesOn("cat x > /dev/null")).toEqual([]);
  });

  it("take neither home nor a system directory for a project", () => {
    expect(survey(contextFor({ cwd: HOME })).project).toBeUndefined();
    expect(survey(contextFor({ cwd: "/" })).project).toBeUndefined();
    expect(survey(contextFor({ cwd: "/usr" })).project).toBeUndefined();
    expect(survey(contextFor({ cwd: `${PROJECT}/src/guard` })).project).toBe(PROJECT);
  });
});

describe("paths through links", () => {
  it("are judged by where they lead, as the kernel goes", () => {
    const system = machine({
      "/tmp/etc": { kind: "symlink", target: "/etc" },
      "/tmp/up": { kind: "symlink", target: `${PROJECT}/src/guard` },
    });
    expect(judge("rm -rf /tmp/etc/nginx", { system }).verdict).toBe("deny");
    expect(judge("rm -rf /tmp/up/..", { system }).findings[0]?.target).toBe(`${PROJECT}/src`);
    expect(judge("rm -rf /tmp/etc", { system }).verdict).toBe("allow");
    expect(judge("echo x > /tmp/etc/hosts", { system }).verdict).toBe("deny");
  });

  it("that go round in circles end", () => {
    const system = machine({
      "/tmp/a": { kind: "symlink", target: "b" },
      "/tmp/b": { kind: "symlink", target: "a" },
    });
    expect(judge("rm -rf /tmp/a/x", { system }).verdict).toBe("allow");
  });
});

describe("secrets by path", () => {
  it.each([
    [`${PROJECT}/.env`, "secret"],
    [`${PROJECT}/.env.production`, "secret"],
    [`${PROJECT}/.env.test`, "secret"],
    [`${PROJECT}/a/server.key`, "key"],
    [`${PROJECT}/a/server.pem`, "secret"],
    [`${HOME}/.ssh/id_ed25519`, "key"],
    [`${HOME}/.ssh/anything`, "key"],
    [`${HOME}/.ssh/authorized_keys`, "entry"],
    [`${HOME}/.aws/sso/cache/x.json`, "secret"],
    [`${HOME}/.npmrc`, "secret"],
    ["/root/.ssh/id_rsa", "key"],
    ["/home/other/.aws/credentials", "secret"],
    ["/etc/shadow", "secret"],
    [`${PROJECT}/terraform.tfstate`, "secret"],
    [`${PROJECT}/config/secrets.yml`, "secret"],
    [`${PROJECT}/ca.key`, "key"],
    [`${PROJECT}/chain.private.pem`, "secret"],
    [`${PROJECT}/infra/prod.tfvars`, "secret"],
    [`${PROJECT}/AuthKey_1.p8`, "key"],
    [`${HOME}/.sometool/auth.json`, "secret"],
    ["/etc/ssh/ssh_host_rsa_key", "key"],
  ])("%s is a %s", (path, kind) => expect(secretAt(around, path)).toBe(kind));

  it.each([
    `${PROJECT}/.env.example`,
    `${PROJECT}/.env.sample`,
    `${PROJECT}/.env.template`,
    `${PROJECT}/.npmrc`,
    `${HOME}/.ssh/config`,
    `${HOME}/.ssh/known_hosts`,
    `${HOME}/.ssh/id_rsa.pub`,
    `${PROJECT}/src/secrets.ts`,
    `${PROJECT}/docs/secrets.md`,
    `${PROJECT}/environment.ts`,
    `${PROJECT}/keyboard.ts`,
    "/etc/passwd",
    `${PROJECT}/.envrc`,
    `${PROJECT}/ca.pem`,
    `${PROJECT}/fullchain.pem`,
    `${PROJECT}/jwt.public.key`,
    `${PROJECT}/docs/kubeconfig.md`,
    `${HOME}/.aws/config`,
    `${HOME}/.kube/cache/discovery`,
  ])("%s is none", path => expect(secretAt(around, path)).toBeUndefined());
});

describe("ignore files", () => {
  const ignores = (content: string, path: string) =>
    matchesAnyPattern(parseIgnoreFile("", content), path.split("/"));

  it.each([
    ["*.log", "a/b.log", true],
    ["/dist", "dist", true],
    ["/dist", "a/dist", false],
    ["dist/", "a/dist/x", true],
    ["a/b", "a/b", true],
    ["a/b", "x/a/b", false],
    ["**/b", "x/a/b", true],
    ["a/**", "a/x/y", true],
    ["a/**", "a", false],
    ["a/**/z", "a/z", true],
    ["a/**/z", "a/b/c/z", true],
    ["*.log\n!keep.log", "keep.log", false],
    ["*.log\n!keep.log", "x.log", true],
    ["build\n!build/keep", "build/keep", true],
    ["# comment\n\n  \n", "comment", false],
    ["\\#x", "#x", true],
    ["a[0-9]", "a5", true],
    ["?.txt", "ab.txt", false],
    ["trailing   ", "trailing", true],
  ])("%j on %s: %s", (content, path, expected) => expect(ignores(content, path)).toBe(expected));

  it("of deeper directories speak for what is below them only", () => {
    const files = [
      { depth: 0, file: parseIgnoreFile("/p", "*.log") },
      { depth: 1, file: parseIgnoreFile("/p/a", "/local\n!x.log") },
    ];
    expect(isIgnored(files, ["a", "local"])).toBe(true);
    expect(isIgnored(files, ["local"])).toBe(false);
    expect(isIgnored(files, ["a", "x.log"])).toBe(false);
  });

  it("make what git ignores free to delete", () => {
    const system = machine({
      [`${PROJECT}/packages/a/.gitignore`]: "scratch/\n",
      [`${PROJECT}/.git/info/exclude`]: "mine/\n",
    });
    expect(judge("rm -rf packages/a/scratch", { system }).verdict).toBe("allow");
    expect(judge("rm -rf mine", { system }).verdict).toBe("allow");
    expect(judge("rm -rf scratch", { system }).verdict).toBe("ask");
  });
});

describe("patterns", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["a?c", "abc", true],
    ["[a-c]x", "bx", true],
    ["[!a]x", "ax", false],
    ["*", "anything", true],
    ["a*b*c", "axxbyyc", true],
    ["", "", true],
  ])("%s matches %s: %s", (pattern, name, expected) => expect(globMatches(pattern, name)).toBe(expected));

  it("do not take a leading dot by surprise", () => {
    expect(componentCouldBe([{ kind: "glob", pattern: "*" }], ".git")).toBe(false);
    expect(
      componentCouldBe(
        [
          { kind: "text", text: "." },
          { kind: "glob", pattern: "*" },
        ],
        ".git",
      ),
    ).toBe(true);
  });

  it("stay fast on hostile input", () => {
    expect(globMatches("*a".repeat(200), "a".repeat(500))).toBe(true);
    expect(globMatches("*a".repeat(200) + "b", "a".repeat(500))).toBe(false);
  });

  it.each([
    ["*.pyc", true],
    ["*.py[co]", true],
    ["node_modules", true],
    ["*.py", false],
    ["*", false],
    ["*.*", false],
    ["*.egg-info", true],
    ["src", false],
    [".DS_Store", true],
  ])("that name only what can be made again: %s %s", (pattern, expected) =>
    expect(isRegenerablePattern(pattern)).toBe(expected),
  );
});
