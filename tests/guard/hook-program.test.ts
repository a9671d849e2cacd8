import { describe, expect, it } from "vitest";
import { type Judgement, judgeCommand, judgeTool } from "../../src/exports/guard.ts";
import { hookWrapper } from "../../src/install/user-commands.ts";
import type { SeedEntry } from "../../src/system/memory.ts";
import { contextFor, HOME, machine, PROJECT } from "./scene.ts";

const STATE = `${HOME}/.amplihack`;

/** A machine whose hooks run from a package. */
function installed(folder: string, files: Readonly<Record<string, SeedEntry>> = {}) {
  const command = ["/usr/bin/node", `${folder}/dist/bin/amplihack-hooks.cjs`];
  const wrapper = hookWrapper({ version: "1", command, stateHome: STATE, policyOf: () => "open" });
  const system = machine({
    [`${STATE}/.claude/bin/amplihack-hooks`]: wrapper,
    [`${folder}/dist/bin/amplihack-hooks.cjs`]: "x",
    [`${folder}/dist/bin/hook-entries/pre-tool-use.cjs`]: "x",
    [`${folder}/dist/index.js`]: "x",
    [`${folder}/src/index.ts`]: "x",
    [`${PROJECT}/link`]: { kind: "symlink", target: `${folder}/dist` },
    ...files,
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

describe("hooks that run from the checkout which is worked on", () => {
  const place = installed(PROJECT, {
    [`${PROJECT}/package.json`]: JSON.stringify({
      scripts: { clean: "rimraf dist", purge: "git clean -fdX" },
    }),
    [`${PROJECT}/.gitignore`]: "dist/\nnode_modules/\n",
  });
  const own = (text: string) => said(judgeCommand(text, place));

  it.each([
    "git clean -fdx",
    "git clean -fdX",
    "git clean -ffdx",
    "git clean --force -d -x",
    "git clean -fdx .",
    "git clean -fx dist",
    "git clean -fX -- dist/bin",
    "git clean -fdx 'dist/*'",
    "git clean -fdx '*.cjs'",
    "git clean -fd -e src -X",
    "cd src && git clean -fdx :/",
    "cd src && git clean -fdx ..",
    "cd src && git clean -fdx ':(top)dist'",
    "git clean -fdx -- ':!src'",
    "git -C ~/project clean -fdx",
    "git -c clean.requireForce=false clean -dx",
    "yes | git clean -idx",
    "git stash -a",
    "git stash --all",
    "git stash push -a -m 'all of it'",
    "git stash save -a before",
    "git stash -a -- dist",
    "git add -f dist",
    "git add --force dist/bin && git stash",
    "git add -f .",
    "cd src && git stash push --all",
    "npm run clean",
    "npm run purge",
    "npx shx rm -rf dist",
    "trash dist",
    "trash-put dist/bin",
    "gio trash dist",
    "gio remove dist/bin/amplihack-hooks.cjs",
    "mv dist old",
    "git mv dist old",
    "git worktree remove --force .",
    "rsync -a --delete build/ dist/",
    "tar -cf x.tar --remove-files dist",
    "chmod -R 000 dist",
    "chmod a-rx dist",
    "chmod u=w dist/bin",
    "chmod 644 dist",
    "find . -name dist -exec rm -r {} +",
    "find . -iname 'DI*' -exec rm -r {} +",
    "find . \\( -name '*.pyc' -o -name 'pre-tool-use.*' \\) -delete",
    "find . -name '*.pyc' -o -path './dist/*' -delete",
    "find . ! \\( -name '*.ts' -o -name '*.md' \\) -delete",
  ])("do not go without a question: %s", text => {
    expect(own(text)).toContain("agent.bypass");
  });

  it.each([
    "git clean -ndx",
    "git clean -dx",
    "git clean -fd",
    "git clean -fx",
    "git clean -fd .",
    "git clean -fdx src",
    "git clean -fdx -e dist",
    "git clean -fdx --exclude=/dist/",
    "git clean -fdx -- ':!dist'",
    "git clean -fdx -- . ':(exclude)dist'",
    "git clean -fdx -- '*.log'",
    "cd src && git clean -fdx",
    "git stash",
    "git stash -u",
    "git stash push -a -- src",
    "git stash show -u",
    "git add -A",
    "git add dist",
    "git add -nf dist",
    "git add -f src/index.ts",
    "git stash pop",
    "git checkout main",
    "chmod -R u+rwX,go-w .",
    "chmod -R 755 dist",
    "chmod -R u=rwX dist",
    "find . -name '*.log' -delete",
    "find . -name node_modules -prune -exec rm -rf {} +",
    "find . \\( -name '*.pyc' -o -name '*.pyo' \\) -delete",
    "trash src/index.ts",
    "trash ~/Documents",
  ])("stay, and nobody is asked about them: %s", text => {
    expect(own(text)).not.toContain("agent.bypass");
  });

  it("go with what git does not track, where no rule ignores them", () => {
    const bare = installed(PROJECT, { [`${PROJECT}/.gitignore`]: "" });
    const judge = (text: string) => said(judgeCommand(text, bare));
    expect(judge("git clean -fd")).toContain("agent.bypass");
    expect(judge("git stash -u")).toContain("agent.bypass");
    expect(judge("git clean -fdX")).not.toContain("agent.bypass");
    expect(judge("git clean -fdX -e dist")).toContain("agent.bypass");
  });

  it("stay in a repository of its own inside another, unless git is told twice", () => {
    const inner = installed(`${PROJECT}/tools`, { [`${PROJECT}/tools/.git/HEAD`]: "ref: refs/heads/main\n" });
    const judge = (text: string) => said(judgeCommand(text, inner));
    expect(judge("git clean -fdx")).not.toContain("agent.bypass");
    expect(judge("git clean -ffdx")).toContain("agent.bypass");
    expect(judge("git stash -a")).toBe("allow");
  });

  it("go and come back with the packages of a project", () => {
    const packages = installed(`${PROJECT}/node_modules/amplihack`);
    const judge = (text: string) => said(judgeCommand(text, packages));
    expect(judge("git clean -fdx")).not.toContain("agent.bypass");
    expect(judge("git clean -fdx node_modules")).toBe("allow");
    expect(judge("git stash -a")).toBe("allow");
    expect(judge("git clean -fdx node_modules/amplihack")).toContain("agent.bypass");
  });
});

describe("settings of a host in the project", () => {
  const settings = `${PROJECT}/.claude/settings.local.json`;
  const judge = (text: string, content: string) =>
    said(judgeCommand(text, installed(`${HOME}/tools/hooks`, { [settings]: content })));

  it.each(["git clean -fdx", "git stash -a", "git stash -u"])(
    "that register the hooks do not go with what git does not track: %s",
    text => {
      expect(
        judge(text, '{"hooks":{"Stop":[{"command":"~/.amplihack/.claude/bin/amplihack-hooks stop"}]}}'),
      ).toContain("agent.bypass");
      expect(judge(text, '{"model":"x"}')).not.toContain("agent.bypass");
    },
  );
});
