import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunDetail, ShownRun } from "../../src/dashboard/sources.ts";
import type { Session } from "../../src/dashboard/timeline/timeline.ts";
import { reportSite, type Site } from "../../src/dashboard/views/layout.ts";
import { recipeView } from "../../src/dashboard/views/recipes.ts";
import { sessionRow } from "../../src/dashboard/views/sessions.ts";
import { usageView } from "../../src/dashboard/views/usage.ts";
import type { UsageGroup } from "../../src/transcripts/index.ts";

const HOME = "/home/ada";
const NOON_MS = new Date(2026, 0, 10, 12, 0, 3).getTime();
const site: Site = {
  ...reportSite({ nowMs: NOON_MS, home: HOME }),
  titleOf: ({ name }) => (name === "known-0123456789" ? "Add a discount" : undefined),
};

function session(name: string, lastedMs: number): Session {
  const figures = {
    calls: 1,
    refused: 0,
    asked: 0,
    kept: 0,
    answered: 0,
    held: 0,
    unchecked: 0,
    changes: 0,
    undone: 0,
  };
  return {
    id: name,
    name,
    origin: undefined,
    host: "codex",
    project: join(HOME, "shop"),
    firstMs: NOON_MS,
    lastMs: NOON_MS + lastedMs,
    turns: [],
    calls: [],
    notable: [],
    figures,
    transcript: "",
  };
}

const words = (markup: { readonly text: string }): string =>
  markup.text.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");

describe("a session in a list", () => {
  it.each([
    [17_000, "12:00, 17 s"],
    [3_600_000, "12:00 to 13:00, 1 h"],
  ])("tells when it was: %s ms", (lastedMs, told) => {
    const text = words(sessionRow(site, session("known-0123456789", lastedMs)));
    expect(text).toContain(`in shop · ${told}`);
  });

  it("has its id without a dot in front, which would begin a line of its own", () => {
    expect(words(sessionRow(site, session("known-0123456789", 0)))).not.toMatch(/·\s*known/);
  });
});

describe("usage by session", () => {
  const group = (key: string): UsageGroup => ({
    key,
    answers: 1,
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    cost: 1,
    unpriced: 0,
    context: undefined,
    workingMs: 0,
    waitingMs: 0,
    lastMs: NOON_MS,
  });
  const { text } = usageView(site, {
    groups: [group("known-0123456789"), group("other-0123456789")],
    groupings: ["day", "session"],
    source: "",
    by: "session",
    days: 30,
    problems: [],
    sessions: new Map([["known-0123456789", session("known-0123456789", 0)]]),
  });

  it("names a session by what it is about", () => {
    expect(text).toMatch(/<a href="[^"]*known-0123456789[^"]*" class="">Add a discount<\/a>/);
  });

  it("leads to no page for a session that no hook ran in", () => {
    expect(text).toContain('<span class="mono">other-012345</span>');
    expect(text).not.toMatch(/href="[^"]*other/);
  });
});

describe("how to go on with a recipe", () => {
  const resume = (workingDir: string | null, file: string | null): string => {
    const run = {
      runId: "run-9",
      recipe: "release",
      state: "failed",
      canResume: true,
      workingDir,
      file,
      startedMs: NOON_MS,
      durationMs: null,
      signal: null,
      error: null,
      steps: [],
    } as unknown as ShownRun;
    const { text } = recipeView(site, run, { blocks: undefined, outputs: {} } as unknown as RunDetail);
    return words({ text: /To go on where it stopped<\/h2><p>(.*?)<\/p>/.exec(text)?.[1] ?? "" })
      .replaceAll("&amp;", "&")
      .replaceAll("&#39;", "'");
  };

  it.each([
    [
      `${HOME}/shop`,
      `${HOME}/shop/release.yaml`,
      "cd ~/shop && amplihack recipe run ./release.yaml --resume run-9",
    ],
    [`${HOME}/my shop`, `${HOME}/r.yaml`, "cd ~/'my shop' && amplihack recipe run ~/r.yaml --resume run-9"],
    [HOME, null, "cd ~ && amplihack recipe run release --resume run-9"],
    ["/srv/shop", "/srv/r.yaml", "cd /srv/shop && amplihack recipe run /srv/r.yaml --resume run-9"],
    [null, null, "amplihack recipe run release --resume run-9"],
  ])("is short enough to type: in %s, of %s", (workingDir, file, told) => {
    expect(resume(workingDir, file)).toBe(told);
  });
});
