import { describe, expect, it } from "vitest";
import { normaliseRemote, originOf } from "../../src/state/git-remote.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

describe("the name of a repository", () => {
  it.each([
    ["https://github.com/acme/pay.git", "github.com/acme/pay"],
    ["https://ann:secret@GitHub.com:443/acme/pay/", "github.com/acme/pay"],
    ["ssh://git@github.com:22/acme/pay.git", "github.com/acme/pay"],
    ["git@github.com:acme/pay.git", "github.com/acme/pay"],
    ["github.com:acme/pay", "github.com/acme/pay"],
    ["git@github.com:/acme/pay.git", "github.com/acme/pay"],
    ["https://git.acme.example/a/b/pay?x=1#y", "git.acme.example/a/b/pay"],
    ["http://[::1]:8080/acme/pay", "[::1]/acme/pay"],
    ["/srv/git/pay.git", undefined],
    ["../pay", undefined],
    ["file:///srv/git/pay.git", undefined],
    ["C:\\git\\pay", undefined],
    ["https://github.com/", undefined],
    ["", undefined],
  ])("of %s is %s", (url, name) => {
    expect(normaliseRemote(url)).toBe(name);
  });

  it.each([
    [
      "the remote origin",
      { "/p/.git/config": '[core]\n\turl = x\n[remote "origin"]\n  url = a.example:o/p\n' },
      "a.example/o/p",
    ],
    [
      "in quotation marks",
      { "/p/.git/config": '[Remote "origin"]\nURL="https://a.example/o/p" ; c\n' },
      "a.example/o/p",
    ],
    ["another remote", { "/p/.git/config": '[remote "fork"]\n\turl = a.example:o/p\n' }, undefined],
    ["no repository", {}, undefined],
    ["a folder in its place", { "/p/.git/config/x": "" }, undefined],
    [
      "a linked work tree",
      {
        "/p/.git": "gitdir: ../main/.git/worktrees/p\n",
        "/main/.git/worktrees/p/commondir": "../..\n",
        "/main/.git/config": '[remote "origin"]\n\turl = a.example:o/p\n',
      },
      "a.example/o/p",
    ],
    [
      "a submodule",
      {
        "/p/.git": "gitdir: /main/.git/modules/p\n",
        "/main/.git/modules/p/config": '[remote "origin"]\nurl = a.example:o/p',
      },
      "a.example/o/p",
    ],
  ] as const)("is found by %s", (_, files, name) => {
    expect(originOf(createMemorySystem({ files: files as Record<string, string> }), "/p")).toBe(name);
  });
});
