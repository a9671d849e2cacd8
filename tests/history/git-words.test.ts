import { describe, expect, it } from "vitest";
import type { GitChange } from "../../src/history/change.ts";
import { gitLines } from "../../src/history/words.ts";

const ID = "3f2a91c0".padEnd(40, "0");
const OTHER = "77e0d12f".padEnd(40, "0");
const NOTHING: GitChange = {
  gitDirectory: "/p/.git",
  commonDirectory: "/p/.git",
  top: "/p",
  refs: [],
  files: [],
};
const file = {
  path: "/p/.git/MERGE_HEAD",
  what: "deleted",
  before: { kind: "other" },
  after: { kind: "absent" },
} as const;

describe("what a change did to git's own state, in words", () => {
  it.each<[Partial<GitChange>, readonly string[]]>([
    [{ refs: [{ name: "refs/heads/main", before: ID, after: OTHER }] }, ["branch main: 3f2a91c → 77e0d12"]],
    [{ refs: [{ name: "refs/tags/v1", before: ID, after: undefined }] }, ["tag v1: 3f2a91c → none"]],
    [
      { refs: [{ name: "refs/remotes/origin/main", before: undefined, after: ID }] },
      ["origin/main: none → 3f2a91c"],
    ],
    [{ refs: [{ name: "refs/notes/x", before: ID, after: OTHER }] }, ["refs/notes/x: 3f2a91c → 77e0d12"]],
    [{ head: { before: "ref: refs/heads/main", after: ID } }, ["HEAD: branch main → 3f2a91c"]],
    [{ stashes: { before: [{ id: ID, message: "wip" }], after: [] } }, ["stashes: 1 → 0"]],
    [{ index: { before: ID, after: undefined } }, ["what is staged changed"]],
    [{ files: [file] }, ["1 file inside .git"]],
    [{}, []],
    [
      { refs: [{ name: "refs/heads/a\u001b[31m", before: ID, after: ID }] },
      ["branch a\\u001b[31m: 3f2a91c → 3f2a91c"],
    ],
  ])("tells %o", (change, lines) => {
    expect(gitLines({ git: [{ ...NOTHING, ...change }] })).toEqual(lines);
  });
});
