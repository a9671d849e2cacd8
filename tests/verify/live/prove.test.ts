import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { install } from "../../../src/install/install.ts";
import { LAUNCH_TOOLS } from "../../../src/launcher/find-binary.ts";
import { DRIVERS, proveAll } from "../../../src/verify/live/live.ts";
import { createSandbox, INSTALL, PACKAGE, type Sandbox, systemIn } from "../../install/sandbox.ts";

const placesOf = ({ home, project }: Sandbox) => ({
  home,
  stateHome: join(home, ".amplihack"),
  projectRoot: project,
});

/** The proofs of a `claude` that has the given fault, for a user with the given settings. */
async function proveWith(fault: string, settings = '{ "mine": true }') {
  const sandbox = createSandbox();
  const folder = join(sandbox.root, "fake");
  mkdirSync(folder);
  copyFileSync(fileURLToPath(new URL("./fake-claude.mjs", import.meta.url)), join(folder, "claude.mjs"));
  writeFileSync(join(folder, "fault"), fault);
  sandbox.write("bin/claude", `#!/bin/sh\nexec '${process.execPath}' '${folder}/claude.mjs' "$@"\n`, 0o755);
  sandbox.write("home/.claude/settings.json", settings);
  const before = sandbox.snapshot();
  const progress: string[] = [];
  const { temporary } = sandbox;
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const [proof] = await proveAll(systemIn(sandbox.project, { ...sandbox.env, SECRET: "s" }), PACKAGE, {
    hosts: ["claude-code"],
    places: placesOf(sandbox),
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
      own_settings: [{ status: "warn", message: "claude-code is here but has no hooks" }],
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

  it("fails where the host passes over the settings that the user has", async () => {
    const sandbox = createSandbox();
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["claude-code"] });
    const settings = `// mine\n${sandbox.read("home/.claude/settings.json")}`;
    const { proof, progress } = await proveWith("", settings);
    expect(proof).toMatchObject({
      status: "failed",
      fired: true,
      deny_honoured: true,
      own_settings: [
        {
          status: "fail",
          message: expect.stringMatching(
            /no hook runs: .*settings\.json has a comment or trailing comma in line 1/,
          ),
          fix: expect.stringMatching(/take it out of .*settings\.json/),
        },
      ],
    });
    expect(progress.join("\n")).not.toContain("proved");
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
      places: placesOf(sandbox),
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
