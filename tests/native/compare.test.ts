import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";
import { describeNative } from "./program.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

describeNative("hooks compare without a reference", () => {
  it("finds that Node and the native program answer the calls of real hosts alike", () => {
    const home = temporaryDirectory();
    const { status, stdout } = spawnSync(process.execPath, [AMPLIHACK, "hooks", "compare", "--json"], {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    });
    const report = JSON.parse(stdout);
    expect(report.cases.filter((one: { status: string }) => one.status !== "match")).toEqual([]);
    expect([status, report.total >= 90, report.matched]).toEqual([0, true, report.total]);
  });
});
