import { describe, expect, it } from "vitest";
import { wantedPrograms } from "../../src/install/stage.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const PLACES = { home: "/home/user", stateHome: "/home/user/.amplihack", projectRoot: "/home/user/project" };

function programsOf(files: Readonly<Record<string, string>>): readonly string[] {
  const system = createMemorySystem({ files: { "/pkg/hooks": "hooks", ...files } });
  const source = { version: "1.2.3", node: "/usr/bin/node", root: "/pkg", isEphemeral: false };
  const engine = { kind: "given", program: "/pkg/hooks" } as const;
  return wantedPrograms(system, PLACES, source, engine, () => "open").map(({ path }) => path);
}

describe("the program that enforces the sandbox", () => {
  const path = "/home/user/.amplihack/.claude/bin/amplihack-sandbox";

  it.each([
    "/pkg/dist/native/amplihack-sandbox",
    `/pkg/node_modules/amplihack-${process.platform}-${process.arch}/amplihack-sandbox`,
    `/amplihack-${process.platform}-${process.arch}/amplihack-sandbox`,
  ])("is installed from %s", place => {
    expect(programsOf({ [place]: "program" })).toContain(path);
  });

  it("is not installed where the package has none for this machine", () => {
    expect(programsOf({})).toHaveLength(2);
  });
});
