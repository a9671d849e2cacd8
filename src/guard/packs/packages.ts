import type { RuleTable, RuleText } from "../rule.ts";

const rule = (title: string, when: string, safer: string): RuleText => ({
  title,
  verdict: "allow",
  atLevel: { strict: "ask" },
  isNoted: true,
  when: `${when} At standard it passes, with a note in the audit log.`,
  lost: "It would {what}, and what a package brings runs at once: {target}.",
  person: "Code of the package runs with all your rights.",
  model: "Check the name and where it comes from before you install it.",
  safer,
});

export const PACKAGES = {
  "pkg.lookalike": rule(
    "installs a look-alike package",
    "The name is one letter away from that of a popular package of npm, PyPI, crates.io, RubyGems or Go.",
    "npm view {rest}",
  ),
  "pkg.index": rule(
    "installs from another index",
    "An option or a variable names an index or registry that is not the usual one, nor on this machine.",
    "npm config get registry",
  ),
  "pkg.address": rule(
    "installs from an address",
    "A package is named by a URL or a repository instead of a name and version of a registry.",
    "npm view NAME",
  ),
  "pkg.script": rule(
    "runs a new package's install script",
    "A package that the lock file does not have runs a script while it is installed, as far as this machine knows it.",
    "npm install --ignore-scripts {rest}",
  ),
} satisfies RuleTable;
