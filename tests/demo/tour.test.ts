import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

/** Somebody who works on this may have installed it. */
function pathWithoutAmplihack(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.filter(folder => !existsSync(join(folder, "amplihack"))).join(delimiter);
}

describe("the tour", () => {
  it("shows guard, hosts, undo, answers, recipe and memory, keeps its word and leaves nothing behind", () => {
    const home = temporaryDirectory();
    const temporary = join(home, "tmp");
    mkdirSync(temporary);
    const { status, stdout } = spawnSync(process.execPath, [AMPLIHACK, "demo"], {
      cwd: home,
      env: { PATH: pathWithoutAmplihack(), HOME: home, TMPDIR: temporary },
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/passes {3}rm -rf node_modules dist/);
    expect(stdout).toMatch(/refused {2}D=~; sudo bash -c/);
    expect(stdout).toMatch(/refused {2}echo cm0gLXJmIC8= \| base64 -d \| sh/);
    expect(stdout).toMatch(/passes {3}git commit -m "never run rm -rf \/ again"/);
    expect(stdout).toMatch(/Gemini CLI {3}decision, reason/);
    expect(stdout).toMatch(/the agent {2}rm -rf src +src\/prices\.ts is gone/);
    expect(stdout).toMatch(/you +amplihack undo +Done: 1 file and 1 folder restored\./);
    expect(stdout).toMatch(/answered {2}git add notes\.txt/);
    expect(stdout).toMatch(/asks you {2}curl /);
    expect(stdout).toMatch(/recipe run hello {3}\d+ steps .* exit 0/);
    expect(stdout).toContain("found   The payment tests need PAYMENT_SANDBOX=1.");
    expect(stdout).toContain(`amplihack is not on your PATH yet: type node ${AMPLIHACK}\n`);
    expect(stdout).not.toContain("\u001b[");
    expect(readdirSync(home)).toEqual(["tmp"]);
    expect(readdirSync(temporary).filter(name => name.startsWith("amplihack-"))).toEqual([]);
  });
});
