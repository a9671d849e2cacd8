import { describe, expect, it } from "vitest";
import { type Judgement, judgeCommand, judgeTool } from "../../src/guard/index.ts";
import { hookWrapper } from "../../src/install/wrapper.ts";
import { contextFor, HOME, machine, PROJECT } from "./scene.ts";

const STATE = `${HOME}/.amplihack`;

/** A machine whose hooks run from a package. */
function installed(folder: string) {
  const command = ["/usr/bin/node", `${folder}/dist/bin/amplihack-hooks.cjs`];
  const wrapper = hookWrapper({ version: "1", command, stateHome: STATE, policyOf: () => "open" });
  const system = machine({
    [`${STATE}/.claude/bin/amplihack-hooks`]: wrapper,
    [`${folder}/dist/bin/amplihack-hooks.cjs`]: "x",
    [`${folder}/dist/bin/hook-entries/pre-tool-use.cjs`]: "x",
    [`${folder}/dist/index.js`]: "x",
    [`${folder}/src/index.ts`]: "x",
    [`${PROJECT}/link`]: { kind: "symlink", target: `${folder}/dist` },
  });
  return contextFor({ system, stateHome: STATE });
}

function said({ verdict, findings }: Judgement): string {
  return verdict === "allow" ? "allow" : findings.map(({ rule }) => rule).join(" ");
}

describe("the program that the installed hooks start", () => {
  const context = installed(`${HOME}/tools/hooks`);
  const judge = (text: string) => said(judgeCommand(text, context));

  it.each([
    "rm ~/tools/hooks/dist/bin/hook-entries/pre-tool-use.cjs",
    "rm -rf ~/tools/hooks/dist/bin/*",
    "rm -rf ~/tools/hooks/dist",
    "rm -rf ~/tools/hooks/d*",
    "rm -rf ~/tools/hooks",
    "mv ~/tools/hooks/dist /tmp/x",
    "mv ~/tools/hooks /tmp/x",
    "echo '{}' > ~/tools/hooks/dist/bin/hook-entries/pre-tool-use.cjs",
    "sed -i s/deny/allow/ ~/tools/hooks/dist/bin/hook-entries/pre-tool-use.cjs",
    "cp x.cjs ~/tools/hooks/dist/bin/hook-entries/pre-tool-use.cjs",
    "echo x > link/bin/hook-entries/pre-tool-use.cjs",
  ])("is not changed or taken away without a question: %s", text => {
    expect(judge(text)).toContain("agent.bypass");
  });

  it.each([
    "cat ~/tools/hooks/dist/bin/hook-entries/pre-tool-use.cjs",
    "ls ~/tools/hooks/dist/bin",
    "echo x > ~/tools/hooks/src/index.ts",
    "rm -rf dist && npm run build",
    "npm run build",
    "rm link",
  ])("is read, and what lies beside it is worked on: %s", text => {
    expect(judge(text)).not.toContain("agent.bypass");
  });

  it("is protected from tools for files", () => {
    const file_path = `${HOME}/tools/hooks/dist/bin/hook-entries/stop.cjs`;
    const tool = {
      name: "Write",
      canonicalName: "Write",
      input: { file_path, content: "x" },
      useId: undefined,
    };
    expect(said(judgeTool({ tool, facts: { command: null, paths: [file_path] } }, context))).toBe(
      "agent.bypass",
    );
  });

  it("is protected in the project itself, when its hooks run from there", () => {
    const place = installed(PROJECT);
    const own = (text: string) => said(judgeCommand(text, place));
    expect(own("rm -rf dist")).toContain("agent.bypass");
    expect(own("echo x > dist/bin/hook-entries/stop.cjs")).toContain("agent.bypass");
    expect(own("echo x > dist/index.js")).toBe("allow");
    expect(own("npm run build")).toBe("allow");
  });

  it("goes and comes back with the packages of a project", () => {
    const place = installed(`${PROJECT}/node_modules/amplihack`);
    const local = (text: string) => said(judgeCommand(text, place));
    expect(local("rm -rf node_modules && npm ci")).toBe("allow");
    expect(local("rm -rf node_modules/amplihack")).toContain("agent.bypass");
  });

  it("is nowhere else when a native program lies in the state home, or none is installed", () => {
    const system = machine({ [`${STATE}/.claude/bin/amplihack-hooks`]: "\u007fELF" });
    const native = contextFor({ system, stateHome: STATE });
    expect(judgeCommand("rm -rf dist", native).verdict).toBe("allow");
  });
});
