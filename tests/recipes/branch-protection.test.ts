import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkMachine } from "../../src/install/doctor/machine.ts";
import { checkProtection } from "../../src/recipes/branch-protection.ts";
import { PACKAGE } from "../install/sandbox.ts";
import { recipeMachine } from "./recipe-machine.ts";

/** A server whose answers are files: protected, settings, rules. One that is missing is not told. */
const GH = `#!/bin/bash
told() { cat "$HOME/$1" 2>/dev/null || { echo "gh: $2" >&2; exit 1; }; }
case $2 in
  */rules/branches/*) told rules "Not Found (HTTP 404)" ;;
  */protection) told settings "$(cat "$HOME/no-settings" 2>/dev/null || echo 'Not Found (HTTP 404)')" ;;
  */branches/main | */branches/release%2F1) told facts "could not connect" ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
`;

const STRICT = {
  url: "https://api.example.test/x",
  enforce_admins: { url: "https://api.example.test/y", enabled: true },
  required_pull_request_reviews: { required_approving_review_count: 2 },
  required_status_checks: { contexts: ["ci/build", "ci/test"] },
  allow_force_pushes: { enabled: false },
};
const RULES = [
  { type: "deletion", ruleset_id: 1 },
  { type: "pull_request", parameters: { required_approving_review_count: 1 } },
];

function machine() {
  const made = recipeMachine();
  const { home, project, env, system } = made;
  made.write(join(home, "bin/gh"), GH, 0o755);
  env["PATH"] = `${join(home, "bin")}:${env["PATH"]}`;
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: project });
  const server = (answers: Readonly<Record<string, unknown>>) => {
    for (const name of ["facts", "settings", "rules", "no-settings"])
      execFileSync("rm", ["-f", join(home, name)]);
    for (const [name, answer] of Object.entries(answers))
      made.write(join(home, name), typeof answer === "string" ? answer : JSON.stringify(answer));
  };
  const look = async (branch: string | undefined = "main", accepts = false) => {
    const reports = await checkProtection(system, { directory: project, branch, accepts });
    return reports.map(({ kind, lines }) => [kind, ...lines]);
  };
  return { ...made, server, look };
}

describe("the protection of a branch", () => {
  it.each<[string, object, readonly string[]]>([
    [
      "a setting is off",
      { settings: { ...STRICT, enforce_admins: { enabled: false } } },
      ["gone: enforce_admins.enabled=true"],
    ],
    [
      "fewer reviews are asked for",
      { settings: { ...STRICT, required_pull_request_reviews: { required_approving_review_count: 1 } } },
      ["gone: required_pull_request_reviews.required_approving_review_count=2"],
    ],
    [
      "a check is not required any more",
      { settings: { ...STRICT, required_status_checks: { contexts: ["ci/build"] } } },
      ["gone: required_status_checks.contexts[]=ci/test"],
    ],
    [
      "force pushes are let in",
      { settings: { ...STRICT, allow_force_pushes: { enabled: true } } },
      ["new: allow_force_pushes.enabled=true"],
    ],
    ["a rule is gone", { rules: RULES.slice(1) }, ["gone: deletion"]],
    [
      "all of it is gone",
      {
        facts: { protected: false },
        settings: undefined,
        "no-settings": "Branch not protected (HTTP 404)",
        rules: [],
      },
      [
        "gone: enforce_admins.enabled=true",
        "gone: required_pull_request_reviews.required_approving_review_count=2",
        "gone: required_status_checks.contexts[]=ci/build",
        "gone: required_status_checks.contexts[]=ci/test",
        "gone: deletion",
        "gone: pull_request",
        "gone: pull_request.required_approving_review_count=1",
      ],
    ],
  ])("is told when %s, each time until a person accepts it", async (_, change, lines) => {
    const { server, look } = machine();
    const all = { facts: { protected: true }, settings: STRICT, rules: RULES };
    server(all);
    expect([await look(), await look()]).toEqual([[["first"]], [["as-before"]]]);
    server(
      Object.fromEntries(Object.entries({ ...all, ...change }).filter(([, value]) => value !== undefined)),
    );
    expect([await look(), await look()]).toEqual([[["weaker", ...lines]], [["weaker", ...lines]]]);
    const [[accepted]] = (await look("main", true)) as [[string]];
    expect(["as-before", "none"]).toContain(accepted);
    expect(await look()).toEqual([[accepted]]);
  });

  it("may become stronger, and then counts as that", async () => {
    const { server, look } = machine();
    const reviews = (count: number) => ({ facts: { protected: true }, settings: { reviews: { count } } });
    server(reviews(1));
    await look();
    server(reviews(3));
    expect(await look()).toEqual([["as-before"]]);
    server(reviews(2));
    expect(await look()).toEqual([["weaker", "gone: reviews.count=3"]]);
  });

  it("is not weaker where less of it may be read, but is where the server says that there is none", async () => {
    const { server, look } = machine();
    server({ facts: { protected: true }, settings: STRICT });
    await look();
    server({ facts: { protected: true }, rules: [] });
    expect(await look()).toEqual([["as-before"]]);
    server({});
    expect(await look()).toEqual([["unknown", "gh: could not connect"]]);
    server({ facts: { protected: false } });
    expect(await look()).toEqual([["weaker", "the branch is no longer protected"]]);
    server({ facts: { protected: true }, settings: { ...STRICT, enforce_admins: { enabled: false } } });
    expect(await look()).toEqual([["weaker", "gone: enforce_admins.enabled=true"]]);
  });

  it("is not known without gh, and a branch with a slash has an address", async () => {
    const { server, look, env, home } = machine();
    server({ facts: { protected: false }, rules: [] });
    expect(await look("release/1")).toEqual([["none"]]);
    // Without a name those are looked at that were seen.
    expect(await look(undefined)).toEqual([["none"]]);
    execFileSync("rm", [join(home, "bin/gh")]);
    env["PATH"] = join(home, "bin");
    expect(readdirSync(join(home, "bin"))).toEqual([]);
  });

  it("is a check of doctor: it fails where a branch is protected less", async () => {
    const { server, home, project, system } = machine();
    const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: project });
    const places = { home, stateHome: join(home, ".amplihack"), projectRoot: project };
    const look = async () =>
      (await checkMachine(system, places, PACKAGE, process.versions.node)).filter(
        ({ id }) => id === "branch-protection",
      );
    server({ facts: { protected: true }, rules: RULES });
    expect(await look()).toEqual([]);
    git("remote", "add", "origin", "https://github.com/o/r");
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
    expect(await look()).toMatchObject([{ status: "pass", message: expect.stringContaining("from now on") }]);
    server({ facts: { protected: true }, rules: RULES.slice(0, 1) });
    expect(await look()).toMatchObject([
      {
        status: "fail",
        message: "main is protected less than before: gone: pull_request and 1 more",
        fix: "amplihack hygiene branch-protection main",
      },
    ]);
  });
});
