import type { RuleTable } from "../rule.ts";

export const PUBLISH = {
  publish: {
    title: "publishes to the public",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "publish, unpublish, deprecate, yank, upload or push of a package registry; dry runs pass.",
    lost: "It would {what}: {target}.",
    person: "What is published cannot be called back.",
    model: "Do a dry run; publishing is for a person to decide.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;
