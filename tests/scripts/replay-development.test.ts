import { describe, expect, it } from "vitest";
import { collectCommands, type FileVersion } from "../../scripts/replay-commands.mjs";
import { collectingTools, judgeCommands, renderJudged } from "../../scripts/replay-development.mjs";
import { makeProgramIndex } from "../../src/programs/model/program-index.ts";
import { quoteWord } from "../../src/system/processes.ts";
import { addCall, emptySummary } from "../../src/verify/guard-summary.ts";
import { readSnippets } from "../../src/verify/scan.ts";
import { machine, PROJECT } from "../guard/scene.ts";

const TOOLS = collectingTools({ readSnippets, quoteWord, makeProgramIndex });

function collect(...versions: readonly (readonly [path: string, text: string])[]) {
  const files: readonly FileVersion[] = versions.map(([path, text]) => ({ path, text }));
  const { commands, omitted } = collectCommands(files, TOOLS);
  return { texts: commands.map(({ command }) => command), commands, omitted };
}

describe("the commands of the project's history", () => {
  it("are those of package scripts, and how a person starts them", () => {
    const manifest = '{"scripts":{"build":"node scripts/build.mjs"}}';
    const { texts, commands } = collect(["package.json", manifest], ["package.json", `${manifest}\n`]);
    expect(texts).toEqual(["node scripts/build.mjs", "npm run build"]);
    expect(commands.map(({ versions }) => versions)).toEqual([2, 2]);
  });

  it("are those of pipelines, shell scripts and hooks of git", () => {
    const { texts } = collect(
      [".github/workflows/a.yml", "jobs:\n  x:\n    steps:\n      - run: npm ci && npm test\n"],
      [".ci/run", "#!/usr/bin/env bash\nrm -rf dist\n"],
      [".pre-commit-hooks.yaml", "- id: x\n  entry: amplihack guard scan\n"],
    );
    expect(texts[0]).toBe("npm ci && npm test");
    expect(texts[1]).toMatch(/rm -rf dist$/);
    expect(texts[2]).toBe("amplihack guard scan");
  });

  it("are the statements of shell blocks, one by one, with their here-documents", () => {
    const page = "```sh\nnpm ci   # installs\ncat <<E > x\nhi\nE\n```\n\n```console\n$ npm test\nok\n```\n";
    expect(collect(["docs/x.md", page]).texts).toEqual(["npm ci", "cat <<E > x\nhi\nE", "npm test"]);
  });

  it("are what tests and tools start, as lists and as texts; what is known only at run time is counted", () => {
    const code = `
      spawnSync("git", ["commit", "-qm", "it's"]);
      project.git("init", "-q");
      project.shell(\`rm -rf work
ls\`);
      execSync("a sentence, no command");
      project.shell(\`rm \${name} x\`);
    `;
    const { texts, omitted } = collect(["tests/install/a.test.ts", code]);
    expect(texts).toEqual([`git commit -qm ${quoteWord("it's")}`, "git init -q", "rm -rf work\nls"]);
    expect(omitted).toEqual({ variable: 1, unreadable: 0 });
  });

  it("does not fail for a version that cannot be read", () => {
    const { texts, omitted } = collect(
      [".github/workflows/a.yml", "jobs: ["],
      ["docs/x.md", "```sh\nls\n```\n"],
    );
    expect(texts).toEqual(["ls"]);
    expect(omitted.unreadable).toBe(1);
  });
});

describe("judged as an agent's calls", () => {
  it("each has a verdict, and what is stopped is listed with its reason", () => {
    const block = "```sh\nnpm test\ngit reset --hard\ngit push --force origin main\nnpm publish\n```\n";
    const { commands, omitted } = collectCommands([{ path: "docs/x.md", text: block }], TOOLS);
    const judged = judgeCommands(commands, { addCall, emptySummary, system: machine() }, PROJECT);
    expect(judged.map(({ verdict }) => verdict)).toEqual(["allow", "keep", "deny", "ask"]);
    const text = renderJudged(judged, omitted, false);
    expect(text).toMatch(/^together +4 +1 +1 +1 +1$/m);
    expect(text).toContain("git.push 1");
    expect(text).toMatch(
      /^deny +git\.push {2}\(docs\/x\.md, 1 version\)\n +git push --force origin main\n +It would/m,
    );
    expect(text).not.toContain("npm test");
  });
});
