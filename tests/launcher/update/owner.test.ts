import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findOwner } from "../../../src/launcher/update/releases.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

const PROGRAM = "dist/bin/amplihack.cjs";

function commandOf(self: string): string | undefined {
  const owner = findOwner(self, "/home/u/.amplihack");
  return "command" in owner ? owner.command("9.0.0") : undefined;
}

function project(kind: string, lock: string | undefined, folder = temporaryDirectory()): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ [kind]: { amplihack: "0.1.0" } }));
  if (lock !== undefined) writeFileSync(join(folder, lock), "");
  return folder;
}

describe("a project's own copy", () => {
  it.each([
    ["devDependencies", undefined, "npm --prefix HERE install --save-dev amplihack@9.0.0"],
    ["dependencies", "package-lock.json", "npm --prefix HERE install amplihack@9.0.0"],
    ["devDependencies", "yarn.lock", "yarn --cwd HERE add --dev amplihack@9.0.0"],
    ["devDependencies", "bun.lock", "bun add --cwd HERE --dev amplihack@9.0.0"],
    ["dependencies", "pnpm-lock.yaml", "pnpm --dir HERE add amplihack@9.0.0"],
  ])("among its %s with %s is replaced by: %s", (kind, lock, command) => {
    const here = project(kind, lock);
    expect(commandOf(join(here, "node_modules/amplihack", PROGRAM))).toBe(command.replace("HERE", here));
  });

  it("is found behind pnpm's links, and its folder is quoted", () => {
    const here = project("devDependencies", "pnpm-lock.yaml", join(temporaryDirectory(), "my shop"));
    const self = join(here, "node_modules/.pnpm/amplihack@0.1.0/node_modules/amplihack", PROGRAM);
    expect(commandOf(self)).toBe(`pnpm --dir '${here}' add --save-dev amplihack@9.0.0`);
  });

  it.each(["{", "{}"])("is not one beside a package.json that does not name it: %s", text => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "package.json"), text);
    expect(commandOf(join(folder, "node_modules/amplihack", PROGRAM))).toBe("npm install -g amplihack@9.0.0");
  });
});
