import { describe, expect, it } from "vitest";
import { mentionedAgents } from "../../src/hooks/stock/agent-mentions.ts";

describe("agents mentioned in a text", () => {
  it.each([
    ["see @.claude/agents/amplihack/core/architect.md", ["architect"]],
    ["@.claude/agents/Builder.md please", ["builder"]],
    ["Include @.claude/agents/team/code_review.md", ["code-review"]],
    ["Use fix_agent.md agent here", ["fix-agent"]],
    ["USE Tester.md AGENT and @.claude/agents/architect.md", ["architect", "tester"]],
    ["/ultrathink do it", ["orchestrator"]],
    ["/amplihack:fix it", ["fix-agent"]],
    ["/debate", ["multi-agent-debate"]],
    ["/architect design this", ["architect"]],
  ])("%j", (text, agents) => {
    expect(mentionedAgents(text)).toEqual(agents);
  });

  it.each([
    "look in /usr/bin and /fix the path",
    "/usr/bin is full",
    "/unknown-command x",
    "/constructor x",
    "a plain sentence",
    "",
  ])("are none in %j", text => {
    expect(mentionedAgents(text)).toEqual([]);
  });

  it("are named once and sorted", () => {
    const text = "/analyze @.claude/agents/z.md @.claude/agents/a.md @.claude/agents/x/z.md";
    expect(mentionedAgents(text)).toEqual(["a", "analyzer", "z"]);
  });
});
