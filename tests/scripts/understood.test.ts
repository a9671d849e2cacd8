import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/measure-understood.mjs", import.meta.url));

describe("npm run understood", () => {
  it("finds that most questions of the recorded sessions are answered, in every host", () => {
    const { stdout, stderr } = spawnSync(process.execPath, [SCRIPT, "recorded"], { encoding: "utf8" });
    const [, answered = 0, asked = 0] =
      /(\d+) of (\d+) that a host would ask about/.exec(stdout)?.map(Number) ?? [];
    expect(asked, stderr).toBeGreaterThan(30);
    expect(answered / asked).toBeGreaterThanOrEqual(0.8);
    const hosts = [...stdout.matchAll(/^ {2}([\w-]+): \d+ of \d+ understood, (\d+) of (\d+) questions/gm)];
    expect(hosts.map(([, host]) => host).sort()).toEqual(
      ["claude-code", "codex", "copilot-cli", "gemini-cli", "opencode", "pi"].sort(),
    );
    for (const [, , part, whole] of hosts) expect(Number(part) / Number(whole)).toBeGreaterThanOrEqual(0.8);
  });
});
