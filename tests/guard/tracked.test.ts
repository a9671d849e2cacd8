import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import { createDisk } from "../../src/workspace/disk.ts";
import { findRepository, tracksAnything } from "../../src/workspace/repository.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const MAKE = `
set -e
git init -q --template= "$1"; cd "$1"
mkdir -p build/deep dist src/é; echo x > build/deep/x; echo y > src/é/y; echo z > dist2; echo q > dist/q
git add build src dist2; git update-index --index-version "$2"
[ "$2" = 2 ] || git update-index --skip-worktree dist2
`;

it.each([2, 3, 4])("an index of version %s tells what git tracks", version => {
  const top = join(temporaryDirectory(), "r");
  expect(spawnSync("bash", ["-c", MAKE, "make", top, String(version)], { encoding: "utf8" }).stderr).toBe("");
  const disk = createDisk(createNodeSystem());
  const repository = findRepository(disk, top);
  if (repository === undefined) throw new Error("no repository");
  const tracks = (path: string) => tracksAnything(disk, repository, path);
  for (const path of ["build", "build/deep", "build/deep/x", "dist2", "src", "src/é", "src/é/y"])
    expect(tracks(path), path).toBe(true);
  for (const path of ["dist", "dist/q", "buil", "build/dee", "src/e", "nothing"])
    expect(tracks(path), path).toBe(false);
});

it("without an index nothing is said", () => {
  const disk = createDisk(createNodeSystem());
  const gitDirectory = temporaryDirectory();
  expect(tracksAnything(disk, { top: undefined, gitDirectory, commonDirectory: gitDirectory }, "x")).toBe(
    undefined,
  );
});
