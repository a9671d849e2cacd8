import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";

const commandsFolder = fileURLToPath(new URL("../../src/commands/", import.meta.url));

async function run(argv: readonly string[], result: ReturnType<System["stdio"]["writeOutput"]>) {
  let said = "";
  const system = createMemorySystem({ env: { HOME: "/home/user" }, cwd: "/home/user" });
  const stdio: System["stdio"] = {
    ...system.stdio,
    isTerminal: () => false,
    writeOutput: () => result,
    writeError: text => {
      said += text;
    },
  };
  return { code: await main({ system: { ...system, stdio }, argv, commandsFolder }), said };
}

describe("output that cannot be written", () => {
  it.each([
    [["guard", "log", "--json"]],
    [["config", "list"]],
    [["recipe", "runs", "--json"]],
    [["--help"]],
    [["nope", "--json"]],
  ])("is told on standard error, also where JSON was asked for: %s", async argv => {
    const { code, said } = await run(argv, { code: "ENOSPC" });
    expect(code).toBeGreaterThan(0);
    expect(said).toMatch(
      argv[0] === "nope" ? /unknown command 'nope'/ : /cannot write to standard output: ENOSPC/,
    );
    expect(said).not.toContain("AMPLIHACK_DEBUG");
  });

  it("is no failure when the reader has gone", async () => {
    expect(await run(["config", "list"], "gone")).toEqual({ code: 0, said: "" });
  });
});
