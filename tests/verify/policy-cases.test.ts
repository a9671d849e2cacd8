import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { readPolicyCases, renderJUnit, runPolicyCases } from "../../src/verify/policy-cases.ts";

const CASES = `
cases:
  - command: git push --force origin main
    scene: { branch: main, remote: true }
    verdict: deny
    rule: git.push
  - name: a build folder goes
    command: rm -rf build
    scene: { files: { build/out.js: x, .gitignore: "build/" } }
    verdict: allow
  - tool: Read
    input: { file_path: ~/.ssh/id_rsa }
    scene: { files: { ~/.ssh/id_rsa: key } }
    verdict: deny
    rule: [sec.read]
  - command: npm publish
    level: strict
    verdict: allow
`;

const HERE = {
  cwd: "/home/user/project",
  home: "/home/user",
  system: createMemorySystem(),
  settings: BUILT_IN.guard,
};
const run = (text: string, settings = BUILT_IN.guard) =>
  runPolicyCases(readPolicyCases(text, "cases.yaml"), { ...HERE, settings });

describe("a file of policy cases", () => {
  it("is compared with what the policy says, in the scene of each case", () => {
    const results = run(CASES);
    expect(results.slice(0, 3).map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(results[3]).toMatchObject({ name: "npm publish" });
    expect(results[3]?.problem).toMatch(/^allow was expected, and it is (ask|deny) by publish$/);
  });

  it("follows the settings in force", () => {
    const settings = { ...BUILT_IN.guard, rules: { publish: "deny" } } as const;
    expect(
      run("- { command: npm publish, verdict: deny, rule: publish }", settings)[0]?.problem,
    ).toBeUndefined();
    expect(run("- { command: npm publish, verdict: deny }")[0]?.problem).toMatch(/it is ask by publish/);
    expect(run("- { command: npm publish, verdict: ask, rule: [publish, git.main] }")[0]?.problem).toMatch(
      /^git\.main did not speak/,
    );
  });

  it.each([
    ["", /a list of cases/],
    ["- x: [", /cases\.yaml cannot be used/],
    ["- { command: ls }", /case 1: verdict must be allow, ask, deny, not absent/],
    ["- { command: ls, verdict: no }", /not "no"/],
    ["- { command: ls, tool: Read, verdict: allow }", /command or tool, and not both/],
    ["- { verdict: allow }", /command or tool/],
    ["- { command: ls, verdict: allow, lvl: strict }", /lvl is none of/],
    ["- { command: ls, verdict: allow, level: lax }", /level must be/],
    ["- { command: ls, verdict: allow, scene: { files: { a: 1 } } }", /scene\.files/],
    ["- { command: ls, verdict: allow, scene: { brnch: x } }", /scene\.brnch/],
    ["- { command: 1, verdict: allow }", /command must be a text/],
  ])("that holds %j is refused with what was expected", (text, message) => {
    expect(() => readPolicyCases(text, "cases.yaml")).toThrow(message);
  });

  it("is JUnit's XML, whatever the names hold", () => {
    const xml = renderJUnit(run('- { name: "a<b>&\\"\\u0007", command: npm publish, verdict: allow }'));
    expect(xml).toContain('tests="1" failures="1"');
    expect(xml).toContain('name="a&lt;b&gt;&amp;&quot;\uFFFD"');
  });
});
