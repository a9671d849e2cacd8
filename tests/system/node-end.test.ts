import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import { afterPending } from "../../src/system/node-processes.ts";
import { bundleProgram } from "../bundle-program.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const parent = bundleProgram(new URL("./programs/parent.ts", import.meta.url));
const { processes } = createNodeSystem();

const runParent = (...words: string[]) =>
  spawnSync(process.execPath, [parent, ...words], {
    encoding: "utf8",
    timeout: 200_000,
    killSignal: "SIGKILL",
  });

/** Starts the program and waits for its first line. */
async function startParent(...words: string[]): Promise<{ child: ChildProcess; said: () => string }> {
  const child = spawn(process.execPath, [parent, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", chunk => {
    said += chunk;
  });
  await once(child.stdout, "data");
  return { child, said: () => said };
}

const untilGone = (pid: number) =>
  vi.waitFor(() => expect(processes.look(pid)).toBeUndefined(), { timeout: 200_000 });

describe("children do not outlive a parent", () => {
  it.each(["child-exit", "child-throw"])("that ends by itself (%s)", async action => {
    const pid = Number(runParent(action).stdout);
    expect(pid).toBeGreaterThan(1);
    await untilGone(pid);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "that is ended by %s, which it still dies of",
    async signal => {
      const { child, said } = await startParent("child-wait");
      expect(processes.look(Number(said()))).toBeDefined();
      child.kill(signal);
      const [code, deathSignal] = await once(child, "exit");
      expect([code, deathSignal]).toEqual([null, signal]);
      await untilGone(Number(said()));
    },
  );
});

describe("a program that is held back until it was written down", () => {
  it("never begins when its parent is killed meanwhile", async () => {
    const path = `${temporaryDirectory()}/begun`;
    const { stdout, signal } = runParent("killed-before-begin", path);
    expect(signal).toBe("SIGKILL");
    expect(Number(stdout)).toBeGreaterThan(1);
    await untilGone(Number(stdout));
    expect(existsSync(path)).toBe(false);
  });
});

describe("last words", () => {
  it("are said at a normal end, one failing not keeping the others back", () => {
    const path = `${temporaryDirectory()}/words`;
    const { status, stderr } = runParent("words-exit", path);
    expect(readFileSync(path, "utf8")).toBe("said");
    expect(status).toBe(0);
    expect(stderr).toContain("the first fails");
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("are said at %s", async signal => {
    const path = `${temporaryDirectory()}/words`;
    const { child } = await startParent("words-wait", path);
    expect(existsSync(path)).toBe(false);
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([null, signal]);
    expect(readFileSync(path, "utf8")).toBe("said");
  });

  it("wait for the real end where somebody else handles the signal", async () => {
    const { child, said } = await startParent("words-other-listener");
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([7, null]);
    expect(said()).toBe("ready\nstays\nlast words\n");
  });

  it.each(["signal-while-busy", "signal-while-busy-in-callback"])(
    "do not swallow a signal that came while the process was busy and that nobody waits for any more (%s)",
    action => {
      expect(runParent(action).signal).toBe("SIGTERM");
    },
  );

  it("leave no listeners behind once all are taken back", async () => {
    const count = () => process.listenerCount("SIGTERM") + process.listenerCount("exit");
    // Those of earlier tests go a moment later.
    await new Promise<void>(afterPending);
    const before = count();
    const registrations = [processes.onEnd(() => {}), processes.onEnd(() => {})];
    expect(count()).toBe(before + 2);
    for (const registration of registrations) registration.dispose();
    for (const registration of registrations) registration.dispose();
    await new Promise<void>(afterPending);
    expect(count()).toBe(before);
  });
});
