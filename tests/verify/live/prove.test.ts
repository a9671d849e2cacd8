import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LAUNCH_TOOLS } from "../../../src/launcher/tools.ts";
import { DRIVERS } from "../../../src/verify/live/driver.ts";
import { proveAll } from "../../../src/verify/live/live.ts";
import { createSandbox, PACKAGE, systemIn } from "../../install/sandbox.ts";

/** The proofs of a `claude` that has the given fault. */
async function proveWith(fault: string) {
  const sandbox = createSandbox();
  const folder = join(sandbox.root, "fake");
  mkdirSync(folder);
  copyFileSync(fileURLToPath(new URL("./fake-claude.mjs", import.meta.url)), join(folder, "claude.mjs"));
  writeFileSync(join(folder, "fault"), fault);
  sandbox.write("bin/claude", `#!/bin/sh\nexec '${process.execPath}' '${folder}/claude.mjs' "$@"\n`, 0o755);
  sandbox.write("home/.claude/settings.json", '{ "mine": true }');
  const before = sandbox.snapshot();
  const progress: string[] = [];
  const { temporary } = sandbox;
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const [proof] = await proveAll(systemIn(sandbox.project, { ...sandbox.env, SECRET: "s" }), PACKAGE, {
    hosts: ["claude-code"],
    home: sandbox.home,
    self: "/nowhere",
    timeoutMs: 200_000,
    onProgress: text => progress.push(text),
  });
  expect(sandbox.snapshot(), "the user's own files").toEqual(before);
  return { proof, progress, temporary };
}

describe("the proof in a live host", () => {
  it("succeeds where the host honours hooks, and leaves nothing behind", async () => {
    const { proof, progress, temporary } = await proveWith("");
    expect(proof).toMatchObject({
      host: "claude-code",
      version: "9.9.9",
      status: "proved",
      fired: true,
      deny_honoured: true,
      allow_honoured: true,
      reason_reached_model: true,
      hooks: ["pre_tool_use", "pre_tool_use"],
      detail: null,
    });
    expect(progress).toEqual([
      expect.stringMatching(/^claude-code 9\.9\.9: starting/),
      expect.stringMatching(/proved after/),
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each([
    ["ignores hooks", { status: "failed", fired: true, deny_honoured: false, allow_honoured: true }],
    ["runs no hooks", { status: "failed", fired: false, deny_honoured: false, allow_honoured: true }],
    ["loses the reason", { status: "failed", fired: true, deny_honoured: true, reason_reached_model: false }],
    ["refuses everything", { status: "failed", fired: true, deny_honoured: true, allow_honoured: false }],
    [
      "crashes",
      {
        status: "not-driven",
        fired: false,
        detail: expect.stringMatching(/ended with code 41: fake: cannot log in; the model was never asked/),
      },
    ],
  ])("fails where the host %s", async (fault, expected) => {
    const { proof } = await proveWith(fault);
    expect(proof).toMatchObject(expected);
  });

  it("can be had of the hosts that the launcher starts, but for Amplifier", () => {
    const hosts = Object.values(LAUNCH_TOOLS).map(({ host }) => host);
    const driven = hosts.filter(host => host !== "amplifier-shell");
    expect(DRIVERS.map(({ host }) => host)).toEqual(driven.toSorted());
  });

  it("says why a host was not tried", async () => {
    const sandbox = createSandbox();
    const proofs = await proveAll(sandbox.system, PACKAGE, {
      hosts: ["cursor", "codex"],
      home: sandbox.home,
      self: "/nowhere",
      timeoutMs: 1_000,
      onProgress() {},
    });
    expect(proofs).toMatchObject([
      { host: "cursor", status: "not-driven", detail: expect.stringMatching(/needs its editor/) },
      { host: "codex", status: "not-driven", detail: expect.stringMatching(/'codex' was not found/) },
    ]);
  });
});
