import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/settings.ts";
import { findProjectIdentity, normaliseRemote, projectScopes } from "../../src/memory/memory-place.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { System } from "../../src/system/system.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

describe("the address of a remote", () => {
  it.each([
    "https://github.com/acme/pay.git",
    "https://ann:secret@GitHub.com/acme/pay",
    "https://github.com:443/acme/pay/",
    "http://github.com/acme/pay.git?x=1",
    "ssh://git@github.com/acme/pay.git",
    "ssh://git@github.com:22/acme/pay.git",
    "git+ssh://git@github.com/acme/pay.git",
    "git@github.com:acme/pay.git",
    "github.com:acme/pay",
    "github.com:/acme/pay.git/",
  ])("is the same project for %s", url => {
    expect(normaliseRemote(url)).toBe("github.com/acme/pay");
  });

  it("keeps the case of the path and the whole of it", () => {
    expect(normaliseRemote("https://git.example/Group/Sub/Pay.git")).toBe("git.example/Group/Sub/Pay");
    expect(normaliseRemote("ssh://git@[2001:DB8::1]:2222/pay.git")).toBe("[2001:db8::1]/pay");
  });

  it.each([
    "/srv/git/pay.git",
    "../pay",
    "file:///srv/git/pay.git",
    "C:\\git\\pay",
    "",
    "https://github.com/",
  ])("means nothing elsewhere when it is %j", url => expect(normaliseRemote(url)).toBeUndefined());
});

const TEAM = {
  config: { memory: { ...BUILT_IN.memory, url: "postgres://db/agents" }, reflect: BUILT_IN.reflect },
};
const ALONE = { config: { memory: BUILT_IN.memory, reflect: BUILT_IN.reflect } };

function systemWith(variables: Record<string, string>): System {
  return {
    ...createNodeSystem(),
    env: { get: name => variables[name], names: () => Object.keys(variables) },
  };
}

/** As git writes it, and as people do. */
const CONFIG = `[core]
\tbare = false
[remote "upstream"]
\turl = https://github.com/else/where
[Remote "origin"]
\tfetch = +refs/heads/*:refs/remotes/origin/*
\tURL = "git@github.com:acme/pay.git" ; ours
[branch "main"]
\tremote = origin
`;

describe("the scope of a project", () => {
  function clone(): string {
    const project = join(temporaryDirectory(), "pay");
    execFileSync("git", ["init", "-q", project]);
    writeFileSync(join(project, ".git", "config"), CONFIG);
    return project;
  }

  it("is where it was cloned from in a team, and memories of its path are still found", () => {
    const project = clone();
    expect(projectScopes(systemWith({}), TEAM, project)).toEqual(["github.com/acme/pay", project]);
  });

  it("is its path without a team, and without a remote", () => {
    const project = clone();
    expect(projectScopes(systemWith({}), ALONE, project)).toEqual([project]);
    const alone = temporaryDirectory();
    expect(projectScopes(systemWith({}), TEAM, alone)).toEqual([alone]);
  });

  it("is what AMPLIHACK_PROJECT_ID says", () => {
    expect(projectScopes(systemWith({ AMPLIHACK_PROJECT_ID: "pay" }), TEAM, clone())).toEqual(["pay"]);
  });

  it("is the same in a linked work tree", () => {
    const main = join(temporaryDirectory(), "main");
    const git = (...words: string[]) => execFileSync("git", ["-C", main, ...words], { stdio: "pipe" });
    mkdirSync(main);
    git("init", "-q");
    git("remote", "add", "origin", "https://github.com/acme/pay");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", "../linked");
    expect(findProjectIdentity(createNodeSystem(), join(main, "..", "linked"))).toBe("github.com/acme/pay");
  });
});
