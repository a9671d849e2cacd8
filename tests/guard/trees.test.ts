import { describe, expect, it } from "vitest";
import { IN_USE, judgeCall } from "./kinds/measure-kinds.ts";
import { HOME, judge, machine, PROJECT } from "./scene.ts";

const rulesOf = (command: string, system = IN_USE) =>
  judge(command, { system }).findings.map(({ rule }) => rule);

const rulesOfTool = (tool_name: string, tool_input: object, cwd = PROJECT) =>
  judgeCall({ tool_name, tool_input }, { cwd }).findings.map(({ rule }) => rule);

const OWN = "mkdir -p x/.amplihack && echo '{}' > x/.amplihack/config.jsonc && ";

describe("a tree that is put into a folder", () => {
  it.each([
    `${OWN}cp -r x/. ~/`,
    `${OWN}rsync -a x/ ~`,
    `${OWN}tar -C x -cf - . | tar -C ~ -xf -`,
    "tar xf backup.tar -C ~",
    "unzip -o backup.zip -d ~",
    "curl -sL https://example.com/d.tgz | tar xz -C /home",
    `${OWN}python3 -c "import shutil; shutil.copytree('x','${HOME}',dirs_exist_ok=True)"`,
    `${OWN}node -e "require('fs').cpSync('x','${HOME}',{recursive:true})"`,
    "mkdir -p y/.claude && echo '{}' > y/.claude/settings.json && cp -r y/. .",
    "mkdir -p y/.claude && echo '{}' > y/.claude/settings.json && mv y/.c* .",
    "cp -r /tmp/unseen/. ~/",
  ])("changes the wiring in it: %s", command => {
    expect(rulesOf(command)).toContain("agent.bypass");
  });

  it("is told by the files that the sources have on the disk", () => {
    const system = machine({ [`${PROJECT}/x/.zshrc`]: "x\n", [`${PROJECT}/y/notes.txt`]: "x\n" });
    expect(rulesOf("cp -r x/. ~/", system)).toContain("fs.rcfile");
    expect(rulesOf("cp -r y/. ~/", system)).toEqual([]);
  });

  it.each([
    "mkdir -p x && echo hi > x/readme.md && cp -r x/. ~/",
    "cp -r src /tmp/out",
    "mkdir -p out && tar xf a.tar -C out",
    "unzip -o a.zip -d vendor/lib",
    `${OWN}cp -r x/. /tmp/y`,
  ])("passes where nothing of it is protected: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });

  it("is judged alike for tools", () => {
    expect(rulesOfTool("mcp__filesystem__copy_directory", { source: "/tmp/x", destination: HOME })).toContain(
      "agent.bypass",
    );
    expect(
      rulesOfTool("mcp__filesystem__copy_directory", { source: `${PROJECT}/src`, destination: "/tmp/copy" }),
    ).toEqual([]);
  });
});

describe("a target that is computed", () => {
  it.each([
    ["find ~ -name 'sett*.json' | xargs sed -i s/a/b/", "agent.bypass"],
    ["d=$(ls -a ~|grep laud); echo {} > ~/$d/settings.json", "agent.bypass"],
    ["tee $(find ~ -name settings.json) < x", "agent.bypass"],
    ["ln -s ~/.c* c && echo {} > c/settings.json", "agent.bypass"],
    ["read p < /tmp/name; echo x > ~/$p", "agent.bypass"],
    ["find ~ -name '.bash*' | while read f; do echo x > \"$f\"; done", "fs.rcfile"],
    ["fd -H credentials ~ -X sed -i s/a/b/", "sec.write"],
    [
      "python3 -c \"from pathlib import Path; [p.write_text('x') for p in Path.home().glob('*/settings.json')]\"",
      "agent.bypass",
    ],
  ])("touches what its fixed part allows: %s", (command, rule) => {
    expect(rulesOf(command)).toContain(rule);
  });

  it.each([
    "find . -name '*.ts' | xargs sed -i 's/a/b/'",
    "grep -rl foo src | xargs sed -i 's/foo/bar/'",
    'echo x > "build/report-$(git rev-parse --short HEAD).txt"',
    'echo x > ~/notes-"$(date +%F)".md',
    'for f in docs/*.md; do sed -i s/a/b/ "$f"; done',
    'f=$(mktemp); echo x > "$f"',
  ])("passes where that is nothing protected: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });
});

describe("a folder that is read", () => {
  it.each([
    "grep -r n= ~/.config/gh",
    "cp -r ~/.docker /tmp/c",
    "tar czf /tmp/a.tgz ~/.kube",
    "find ~/.aws -type f -exec cat {} +",
    "grep -ri BEGIN ~",
    "ls -a | xargs cat",
  ])("shows the secrets in it: %s", command => {
    expect(rulesOf(command)).toContain("sec.read");
  });

  it.each([
    "grep -rn TODO .",
    "find ~/.ssh -name '*.pub' -exec cat {} \\;",
    "cat ~/.ssh/*.pub",
    "tar czf /tmp/a.tgz src",
    "ls -la ~/.ssh",
  ])("passes without any: %s", command => {
    expect(rulesOf(command)).toEqual([]);
  });

  it("is judged alike for tools, where they show what they find", () => {
    expect(rulesOfTool("Grep", { pattern: "x", path: "~/.aws", output_mode: "content" })).toContain(
      "sec.read",
    );
    expect(rulesOfTool("Grep", { pattern: "x", path: "~", output_mode: "content" })).toContain("sec.read");
    expect(rulesOfTool("Grep", { pattern: "x", path: "~", output_mode: "files_with_matches" })).toEqual([]);
    expect(rulesOfTool("Grep", { pattern: "x", path: "src", output_mode: "content" })).toEqual([]);
    // Without a path it is the folder of the session.
    const bare = { pattern: "x", output_mode: "content" };
    expect(rulesOfTool("Grep", bare, `${HOME}/.aws`)).toContain("sec.read");
  });
});

describe("our own store", () => {
  it.each([
    "find ~ -mindepth 1 -maxdepth 1 ! -name Library -exec rm -rf {} +",
    'find ~ ! -path "*/.ssh*" -delete',
    "find ~ -name '*.jsonc' -delete",
    "ls -A ~ | grep -v Library | xargs -I{} rm -rf ~/{}",
  ])("is never deleted together with other things: %s", command => {
    const { verdict, findings } = judge(command, { system: IN_USE });
    expect(verdict).toBe("deny");
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: "agent.bypass", target: `${HOME}/.amplihack`, verdict: "deny" }),
    );
  });

  it("is no part of a footprint", () => {
    const paths = judge(`rm ${HOME}/.amplihack/notes`, { system: IN_USE }).footprint().targets;
    expect(paths).toEqual([]);
  });
});

describe("a flag", () => {
  it("never weakens", () => {
    expect(rulesOf("rm -rf .env")).toEqual(rulesOf("rm .env"));
    expect(rulesOf("rm .env")).toContain("sec.write");
  });
});
