import type { RuleTable, RuleText } from "../rule.ts";

const rule = (title: string, when: string, lost: string, safer: string): RuleText => ({
  title,
  verdict: "allow",
  atLevel: { strict: "ask" },
  isNoted: true,
  when: `${when} At standard it is noted in the audit log and passes.`,
  lost,
  safer,
});

const RUNS = "and what a package brings runs as you: {target}.";

export const PACKAGES = {
  "pkg.lookalike": rule(
    "installs a look-alike package",
    "The name is one letter away from that of a popular package of npm, PyPI, crates.io, RubyGems or Go.",
    `It would {what}, ${RUNS}`,
    "npm view {rest}",
  ),
  "pkg.index": rule(
    "installs from another index",
    "An option or a variable names an index or registry that is not the usual one, nor on this machine.",
    `It would {what}, ${RUNS}`,
    "npm config get registry",
  ),
  "pkg.address": rule(
    "installs from an address",
    "A package is named by a URL or a repository instead of a name and version of a registry.",
    `It would {what}, ${RUNS}`,
    "npm view NAME",
  ),
  "pkg.script": rule(
    "runs a new package's install script",
    "A package that the lock file does not have runs a script while it is installed, as far as this machine knows it.",
    `It would {what}, ${RUNS}`,
    "npm install --ignore-scripts {rest}",
  ),
} satisfies RuleTable;
