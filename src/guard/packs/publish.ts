import type { RuleTable } from "../rule.ts";

export const PUBLISH = {
  publish: {
    title: "publishes to the public",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "publish, unpublish, deprecate, yank, upload or push of a package registry; dry runs are free.",
    lost: "It would {what}, and what is out cannot be called back: {target}.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;
