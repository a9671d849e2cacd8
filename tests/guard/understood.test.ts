import { describe, expect, it } from "vitest";
import { isUnderstood } from "../../src/exports/guard.ts";
import { judge as judgeIn, machine, readCorpus } from "./scene.ts";

const PATH = { searchPath: "/usr/bin:/bin" };
const judge = (command: string, options: Parameters<typeof judgeIn>[1] = {}) =>
  judgeIn(command, { ...PATH, ...options });

const gapsOf = (command: string) =>
  judge(command)
    .gaps()
    .map(({ kind }) => kind);

describe("a call of which everything is known", () => {
  it.each([
    "ls -la src",
    "cat README.md | head -20",
    "grep -rn export src",
    "find src -name '*.ts' -type f",
    "mkdir -p src/new && touch src/new/a.ts",
    "sed -i 's/a/b/' src/index.ts",
    "sed -n '1,20p' README.md",
    "awk '{print $1}' notes.txt",
    "jq .scripts package.json",
    "for f in a b; do echo $f; done",
    "cp notes.txt notes2.txt",
    "mv notes.txt src/notes.txt",
    "echo hello > notes.txt",
    "git status --short",
    "git log --oneline -5",
    "git diff HEAD~1 -- src",
    "git add src/index.ts",
    "git commit -m 'a message'",
    "bash -c 'ls src'",
    "cd src && ls | wc -l",
    "date +%s; pwd; whoami",
    "diff -u notes.txt notes.md",
    "sort notes.txt | uniq -c | sort -rn | head",
    "rm notes.txt",
    "test -f package.json && echo yes",
  ])("is understood: %s", command => {
    const judgement = judge(command);
    expect(judgement.gaps()).toEqual([]);
    expect(isUnderstood(judgement)).toBe(true);
  });
});

describe("a gap says what is not known", () => {
  it.each([
    ["frobnicate x", "program"],
    ["npm test", "program"],
    ["ls --no-such-option", "option"],
    ["sort --compress-program=sh notes.txt", "option"],
    ["cat $FILE", "value"],
    ["rm $FILES", "value"],
    ["bash script.sh", "code"],
    ["cat notes.txt | bash", "code"],
    ["sed 's/a/b/e' notes.txt", "code"],
    ["sed -n 'w /tmp/x' notes.txt", "code"],
    ["awk 'BEGIN{system(\"ls\")}'", "code"],
    ["awk '{print > \"/tmp/x\"}' notes.txt", "code"],
    ["curl https://example.com", "program"],
    ["echo x > /home/user/elsewhere.txt", "place"],
    ["cp notes.txt dist/index.js", "place"],
    ["cat < .env", "secret"],
    ["echo x > .github/workflows/ci.yml", "wiring"],
    ["echo x > .vscode/tasks.json", "wiring"],
    ["echo x > .gitattributes", "wiring"],
    ["PATH=/tmp:$PATH ls", "environment"],
    ["export LD_PRELOAD=/tmp/x.so; ls", "environment"],
    ["ls() { rm -rf x; }; ls", "environment"],
    ["git -c core.pager=x log", "environment"],
    ["git commit", "code"],
    ["git push", "program"],
    ["git diff --ext-diff", "option"],
    ["sleep 100 &", "code"],
    ["cat list.txt | xargs cat", "value"],
    ["git ls-files | xargs sed -i s/a/b/", "value"],
    ["jq -n env", "secret"],
    ["cp *.txt", "value"],
    ["echo ${x@P}", "code"],
    ["git log --format=%G?", "code"],
    ["git apply x.patch", "program"],
    ["unset PATH; ls", "program"],
    ["read PATH; ls", "program"],
    ["mapfile -C 'touch x' -c 1 < notes.txt", "program"],
    ["mv notes.md *.txt", "value"],
    ["uniq *.txt", "value"],
    ["grep *", "value"],
    ["cat /proc/1/environ", "reach"],
    ["find . -name x -exec sh {} ';'", "code"],
  ])("%s: %s", (command, kind) => {
    expect(gapsOf(command)).toContain(kind);
  });
});

describe("the program that would run", () => {
  const kindsWith = (files: Parameters<typeof machine>[0], options = {}) =>
    judge("ls", { system: machine(files), ...options })
      .gaps()
      .map(({ kind, why }) => `${kind}: ${why}`);

  it("is known by its folder", () => expect(kindsWith({ "/usr/bin/ls": "x" })).toEqual([]));

  it.each([
    ["nobody says where programs are looked for", {}, { searchPath: undefined }],
    ["a folder of PATH is relative", {}, { searchPath: "bin:/usr/bin" }],
    [
      "a file of the project comes first",
      { "/home/user/project/bin/ls": "x" },
      { searchPath: "/home/user/project/bin:/usr/bin" },
    ],
    ["it lies in a temporary folder", { "/tmp/bin/ls": "x" }, { searchPath: "/tmp/bin:/usr/bin" }],
    ["an alias has its name", { "/home/user/.bashrc": "alias ls='rm -rf'\n" }, {}],
    ["a function has its name", { "/home/user/.zshrc": "ls() {\n  rm -rf x\n}\n" }, {}],
    ["a function is exported", {}, { isShadowed: (name: string) => name === "ls" }],
  ])("is not known when %s", (_, files, options) => {
    expect(kindsWith(files, options).join()).toMatch(/^environment: /);
  });

  it("is the same behind an alias that only adds colours", () => {
    expect(kindsWith({ "/home/user/.bashrc": 'alias ls="ls --color=auto"\n' })).toEqual([]);
  });
});

describe("programs that git starts", () => {
  const git = (command: string, files: Parameters<typeof machine>[0]) =>
    judge(command, { system: machine(files) })
      .gaps()
      .map(({ kind, what }) => `${kind} ${what}`);
  const CONFIG = "/home/user/project/.git/config";

  it.each([
    ["git commit -m x", { "/home/user/project/.git/hooks/pre-commit": "#!/bin/sh\n" }, "code pre-commit"],
    [
      "git commit -m x",
      { [CONFIG]: "[core]\n\thooksPath = .husky\n", "/home/user/project/.husky/commit-msg": "x" },
      "code commit-msg",
    ],
    ["git status", { [CONFIG]: "[core]\n\tfsmonitor = .git/watch\n" }, "code core.fsmonitor"],
    ["git diff", { "/home/user/.gitconfig": "[diff]\n\texternal = difft\n" }, "code diff.external"],
    [
      "git diff",
      { [CONFIG]: '[diff "x"]\n\ttextconv = sh\n', "/home/user/project/.gitattributes": "* diff=x\n" },
      "code diff.textconv",
    ],
    [
      "git add .",
      { [CONFIG]: '[filter "x"]\n\tclean = sh\n', "/home/user/project/.gitattributes": "* filter=x\n" },
      "code filter",
    ],
    ["git log", { "/home/user/.gitconfig": "[core]\n\tpager = sh\n" }, "code core.pager"],
    [
      "git log",
      { "/home/user/.gitconfig": "[include]\n\tpath = more\n", "/home/user/more": "[core]\n\tpager = sh\n" },
      "code core.pager",
    ],
    ["git commit -m x", { "/home/user/.gitconfig": "[commit]\n\tgpgSign = true\n" }, "code commit.gpgsign"],
  ])("%s: %o", (command, files, gap) => {
    expect(git(command, files)).toContain(gap);
  });

  it("are none where none is set, or where another run starts them", () => {
    expect(git("git commit -m x", { "/home/user/project/.git/hooks/pre-commit.sample": "x" })).toEqual([]);
    expect(git("git commit -m x", { "/home/user/project/.git/hooks/pre-push": "x" })).toEqual([]);
    expect(git("git log | cat", { "/home/user/.gitconfig": "[core]\n\tpager = sh\n" })).toEqual([]);
  });
});

describe("no wrong yes", () => {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  /** The same command in other clothes. */
  const DISGUISES: readonly ((command: string) => string)[] = [
    command => command,
    command => `bash -c ${quote(command)}`,
    command => `sh -c ${quote(command)}`,
    command => `eval ${quote(command)}`,
    command => `( ${command} )`,
    command => `{ ${command}\n}`,
    command => `true && ${command}`,
    command => `false || ${command}`,
    command => `if true; then ${command}\nfi`,
    command => `for i in 1; do ${command}\ndone`,
    command => `while true; do ${command}\nbreak; done`,
    command => `ls; ${command}`,
    command => `echo "$(${command})"`,
    command => `echo ${quote(command)} | sh`,
    command => `env ${command}`,
    command => `command ${command}`,
    command => `timeout 5 ${command}`,
    command => `echo ${Buffer.from(command).toString("base64")} | base64 -d | bash`,
    command => `f() { ${command}\n}; f`,
    command => `c=${quote(command)}; eval "$c"`,
    command => `xargs -I{} ${command} < notes.txt`,
  ];
  const files = ["dangerous.txt", "dangerous-more.txt", "dangerous-third.txt", "dangerous-fourth.txt"];

  it("of a dangerous command in any of twenty-one forms", () => {
    const commands = files.flatMap(readCorpus);
    // One form of each in every run, all of them with `npm run witness`.
    const formsFor = (index: number) =>
      process.env["WITNESSED"] === undefined ? [(index % 20) + 1] : DISGUISES.map((_, form) => form);
    // Behind `env`, `xargs` and the like only a simple command keeps its meaning.
    const fits = (command: string, form: number) =>
      !/^(?:env|command|timeout|xargs)/.test(DISGUISES[form]?.("x") ?? "") || /^[\w ./=~-]+$/.test(command);
    const wrong = commands.flatMap((command, index) =>
      formsFor(index)
        .filter(form => fits(command, form))
        .map(form => DISGUISES[form])
        .map(disguise => disguise?.(command) ?? command)
        .filter(disguised => isUnderstood(judge(disguised))),
    );
    expect(wrong).toEqual([]);
  });
});
