import { describe, expect, it } from "vitest";
import {
  forbidsMergeWithoutPermission,
  parsePreferences,
  renderPreferences,
} from "../../src/hooks/stock/preferences.ts";

const found = (text: string) => parsePreferences(text).found.map(({ name, value }) => `${name}=${value}`);

describe("preferences under headings", () => {
  it("have the first line that is not blank as value", () => {
    expect(found("### Verbosity  \n\n\n  concise  \nmore")).toEqual(["Verbosity=concise"]);
    expect(found("### Verbosity\r\n\r\nconcise\r\n")).toEqual(["Verbosity=concise"]);
  });

  it("are matched by their exact name", () => {
    expect(found("### Verbosity Level\n\nhigh\n### verbosity\n\nlow\n## Verbosity\n\nx")).toEqual([]);
  });

  it("never take another heading for a value", () => {
    expect(found("### Verbosity\n\n### Priority Type\n\nspeed")).toEqual(["Priority Type=speed"]);
  });

  it("are left out when not set", () => {
    expect(found("### Verbosity\n\n(not set)\n### Priority Type\n\nnot set")).toEqual([]);
    expect(found("### Verbosity\n\nNot Set")).toEqual(["Verbosity=Not Set"]);
  });
});

describe("preferences in a table", () => {
  it("fill what no heading gave", () => {
    const text =
      "| Setting | Value |\n|---|---|\n| Verbosity | brief |\n| Priority Type | speed |\n### Verbosity\n\nlong";
    expect(found(text)).toEqual(["Verbosity=long", "Priority Type=speed"]);
    expect(found("### Verbosity\n\n(not set)\n| Verbosity | brief |")).toEqual(["Verbosity=brief"]);
  });

  it("need exactly two cells", () => {
    expect(found("| Verbosity | brief | extra |\n| Verbosity |")).toEqual([]);
  });
});

describe("the selected workflow", () => {
  it("stands in when no workflow preference was found", () => {
    expect(found("**Selected**: CONSENSUS_WORKFLOW (default)")).toEqual([
      "Workflow Preferences=CONSENSUS_WORKFLOW",
    ]);
    expect(found("### Workflow Preferences\n\nmine\n**Selected**: other")).toEqual([
      "Workflow Preferences=mine",
    ]);
  });
});

describe("the injected text", () => {
  it("lists preferences in the known order, with hints for the first five", () => {
    const text =
      renderPreferences(parsePreferences("### Coding Standards\n\npep8\n### Verbosity\n\nbrief")) ?? "";
    const bullets = text.split("\n").filter(line => line.startsWith("•"));
    expect(bullets[0]).toMatch(/^• Verbosity: brief \(.+\)$/);
    expect(bullets[1]).toBe("• Coding Standards: pep8");
    expect(text).toMatch(/MANDATORY/);
    expect(text).toMatch(/read-only/);
  });

  it("mentions learned patterns last", () => {
    const text =
      renderPreferences(parsePreferences("### Verbosity\n\nx\n## Learned Patterns\n\n### Always test")) ?? "";
    expect(text.split("\n").filter(line => line.startsWith("•"))[1]).toContain("USER_PREFERENCES.md");
    expect(parsePreferences("### Always test\n## Learned Patterns\nnone").hasLearnedPatterns).toBe(false);
  });

  it("is absent when nothing is set", () => {
    expect(renderPreferences(parsePreferences("# Preferences\n"))).toBeUndefined();
  });
});

describe("the wish to be asked before a merge", () => {
  it.each([
    ["Never merge without explicit permission", true],
    ["Do not merge PRs without my approval", true],
    ["Merge when green", false],
    ["Never push without permission", false],
  ])("%j: %s", (text, wanted) => {
    expect(forbidsMergeWithoutPermission(`# Prefs\n${text}\n`)).toBe(wanted);
  });
});
