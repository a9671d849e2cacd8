import { describe, expect, it } from "vitest";
import { install } from "../../src/install/install.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import {
  copyMachine,
  createMemorySystem,
  type MemoryMachine,
  type MemorySystem,
  ProcessDied,
} from "../../src/system/memory.ts";
import { version } from "../../src/version.ts";
import { INSTALL, UNINSTALL } from "./sandbox.ts";

const HOME = "/home/user";
const CLAUDE = `${HOME}/.claude/settings.json`;
const CODEX = `${HOME}/.codex/hooks.json`;
const CONFIG = `${HOME}/.codex/config.toml`;
const PLUGIN = `${HOME}/.config/opencode/plugins/amplihack.js`;
const PACKAGE = { root: "/opt/amplihack", version, node: "/usr/bin/node", isEphemeral: false };
const REQUEST = { ...INSTALL, hosts: ["claude-code", "codex", "opencode"], isTrustAgreed: true } as const;

const BEFORE: Readonly<Record<string, string>> = {
  [CLAUDE]: '{\n  "theme":  "mine",\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n',
  [CODEX]: '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/bin/mine"}]}]}}\n',
  [CONFIG]: `model = "gpt"\n\n[hooks.state."${CODEX}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:mine"\n`,
};

function boot(machine?: MemoryMachine): MemorySystem {
  return createMemorySystem({
    ...(machine === undefined ? {} : { machine }),
    env: { HOME, PATH: "/usr/bin" },
    run: () => ({ stdout: `amplihack-hooks ${version}\n` }),
  });
}

function bootFirst(): MemorySystem {
  const system = boot();
  for (const [path, content] of Object.entries(BEFORE)) system.put(path, content);
  system.put("/opt/amplihack/dist/bin/amplihack-hooks.cjs", "hooks");
  system.put("/opt/amplihack/dist/bin/amplihack.cjs", "cli");
  system.put("/opt/amplihack/dist/bin/hook-entries", { kind: "directory" });
  system.put("/usr/bin/node", { content: "node", mode: 0o755 });
  return system;
}

const texts = (system: MemorySystem) =>
  Object.fromEntries([CLAUDE, CODEX, CONFIG, PLUGIN].map(path => [path, system.peek(path)]));

const READING = new Set([
  "read",
  "readRange",
  "readLink",
  "list",
  "inspect",
  "follow",
  "realPath",
  "workingDirectory",
]);

/** The operations of a whole run that change something: a death during any other one leaves what the last left. */
async function changingSteps(
  system: MemorySystem,
  action: () => Promise<unknown>,
): Promise<readonly number[]> {
  const first = system.calls.length;
  await action();
  return system.calls
    .slice(first)
    .flatMap(({ operation }, index) => (READING.has(operation) ? [] : [index + 1]));
}

/** Runs it in a process that dies during its n-th file operation. */
async function dieDuring(system: MemorySystem, n: number, action: () => Promise<unknown>): Promise<void> {
  system.faults.dieAt(n);
  await expect(action(), `death at ${n}`).rejects.toThrow(ProcessDied);
  system.processes.die();
}

describe("a process that is killed", () => {
  it("during any step of an install leaves every file old or new, and the next install finishes it", async () => {
    const model = bootFirst();
    const steps = await changingSteps(model, () => install(model, PACKAGE, REQUEST));
    const after = texts(model);
    expect(steps.length).toBeGreaterThan(50);
    expect(after[CLAUDE]).toContain("amplihack-hooks");
    expect(after[CONFIG]).toContain(`${CODEX}:pre_tool_use:1:0"]\ntrusted_hash = "sha256:mine"`);

    for (const n of steps) {
      const first = bootFirst();
      await dieDuring(first, n, () => install(first, PACKAGE, REQUEST));
      for (const [path, text] of Object.entries(texts(first)))
        expect([BEFORE[path], after[path]], `${path} after death at ${n}`).toContain(text);
      // Locks of the dead one that were still in the making are broken after a while.
      const second = boot(first.machine);
      second.advance(10_000);
      const report = await install(second, PACKAGE, REQUEST);
      expect(report.success, `install after death at ${n}`).toBe(true);
      expect(texts(second), `after death at ${n}`).toEqual(after);
      if (n % 4 !== 0) continue;
      await uninstall(second, UNINSTALL);
      expect(texts(second), `uninstall after death at ${n}`).toEqual({ ...BEFORE, [PLUGIN]: undefined });
    }
  });

  it("during any step of an uninstall leaves every file old or new, and the next uninstall finishes it", async () => {
    const whole = bootFirst();
    await install(whole, PACKAGE, REQUEST);
    const model = boot(copyMachine(whole.machine));
    const steps = await changingSteps(model, () => uninstall(model, UNINSTALL));
    expect(steps.length).toBeGreaterThan(20);
    for (const n of steps) {
      const first = boot(copyMachine(whole.machine));
      const installed = texts(first);
      await dieDuring(first, n, () => uninstall(first, UNINSTALL));
      const before: Readonly<Record<string, string | undefined>> = { ...BEFORE, [PLUGIN]: undefined };
      for (const [path, text] of Object.entries(texts(first)))
        expect([before[path], installed[path]], `${path} after death at ${n}`).toContain(text);
      const second = boot(first.machine);
      second.advance(10_000);
      await uninstall(second, UNINSTALL);
      expect(texts(second), `after death at ${n}`).toEqual(before);
    }
  });
});

describe("a file operation that fails", () => {
  it("anywhere in an install is told, and leaves every settings file old or new", async () => {
    const model = bootFirst();
    const steps = await changingSteps(model, () => install(model, PACKAGE, REQUEST));
    const after = texts(model);
    const reads = Array.from({ length: Math.floor(model.faults.count / 9) }, (_, index) => index * 9 + 4);
    for (const n of [...steps, ...reads]) {
      const system = bootFirst();
      system.faults.failAt(n, "ENOSPC");
      const told = await install(system, PACKAGE, REQUEST).then(
        report => (report.success ? "success" : "reported"),
        (error: unknown) => (error instanceof Error ? "thrown" : "lost"),
      );
      for (const [path, text] of Object.entries(texts(system)))
        expect([BEFORE[path], after[path]], `${path} after failure at ${n}`).toContain(text);
      // Success is claimed only where everything is in place.
      if (told === "success") expect(texts(system), `after failure at ${n}`).toEqual(after);
      else expect(["reported", "thrown"]).toContain(told);
    }
  });
});
