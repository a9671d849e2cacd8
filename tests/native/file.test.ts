import { spawnSync } from "node:child_process";
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../src/version.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("the version of the native program", () => {
  it("is the package's", () => {
    const { stdout } = spawnSync(NATIVE_FILE, ["--version"], { encoding: "utf8" });
    expect(stdout).toBe(`amplihack-hooks ${version}\n`);
  });
});

const DANGEROUS = JSON.stringify({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /" },
});
const OWN_ROOT = ["--map-root-user", "chroot"];
const STRIPPERS = ["strip", "aarch64-linux-gnu-strip"];
const describeLinux = process.platform === "linux" ? describeNative : describe.skip;

describeLinux("the native program as a file", () => {
  it("is at most 6 MB long", () => {
    expect(statSync(NATIVE_FILE).size).toBeLessThanOrEqual(6_400_000);
  });

  it("bears being stripped, its memory image included", () => {
    const place = temporaryDirectory();
    const copy = join(place, "amplihack-hooks");
    // The one of this machine refuses the files of others.
    const isStripped = STRIPPERS.some(program => spawnSync(program, ["-o", copy, NATIVE_FILE]).status === 0);
    if (!isStripped) copyFileSync(NATIVE_FILE, copy);
    const { status, stdout } = spawnSync(copy, ["pre-tool-use"], {
      cwd: place,
      env: { HOME: place },
      input: DANGEROUS,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout).toContain('"permissionDecision":"deny"');
  });

  it.skipIf(spawnSync("unshare", [...OWN_ROOT, "/", "true"]).status !== 0)(
    "needs nothing of the system, neither a C library nor /proc",
    () => {
      const root = temporaryDirectory();
      copyFileSync(NATIVE_FILE, join(root, "amplihack-hooks"));
      const { status, stdout } = spawnSync(
        "unshare",
        [...OWN_ROOT, root, "/amplihack-hooks", "pre-tool-use"],
        {
          env: { PATH: process.env["PATH"], HOME: "/home" },
          input: DANGEROUS,
          encoding: "utf8",
        },
      );
      expect(status).toBe(0);
      expect(stdout).toContain('"permissionDecision":"deny"');
    },
  );
});
