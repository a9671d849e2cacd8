import { describe, expect, it } from "vitest";
import { isUnderstood } from "../../src/exports/guard.ts";
import { KINDS } from "./kinds/all-kinds.ts";
import { judgeDrawn } from "./kinds/measure-kinds.ts";
import { judge as judgeIn, machine, makeIndex, readCorpus } from "./scene.ts";

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
    "nl -ba notes.txt | sed -n '1,20p'",
    "expand -t 2 notes.txt | fmt -w 60 | join - notes.txt; cksum notes.txt",
    "expr 1 + 2; factor 12; numfmt --to=iec 4096; hostname; tty -s",
    "dd if=notes.txt of=copy.txt bs=1k count=1 status=none; mkfifo queue",
    "git config user.name 'Ada L.' && git config --local core.quotepath false",
    "git commit -F - <<'END'\nfix: what was said\nEND",
    'git commit -m "$(cat notes.txt)"',
    "tar czf notes.tgz src",
    "tar tzf notes.tgz",
    "zip -r notes.zip src",
    "zip -r notes.zip src > notes.log; zip -qr notes.zip src | head -3",
    "unzip -l notes.zip",
    "gzip -k notes.txt && zcat notes.txt.gz | head",
    "base64 notes.txt > notes.b64",
    "chmod +x scripts/deploy.sh",
    "ln -s ../shared docs/shared",
    "seq 1 3 | xargs -I{} echo item {}",
    "timeout 5 ls src",
    "command -v docker",
    "printf '%s\\n' \"${lines[@]}\" | sort -u",
    'while IFS= read -r line; do echo "$line"; done < notes.txt',
    "paste -sd, notes.txt; comm notes.txt notes.md; fold -w 80 notes.txt",
    "file notes.txt; od -c notes.txt | head; rev notes.txt",
    "truncate -s 0 notes.txt",
    "fd -e ts src",
    "git stash",
    "git config user.name",
    "git clean -nd",
    "git checkout -b feature/new",
    "git switch -c feature/new",
    "git branch -m other && git commit --amend --no-edit",
    "git -c user.name=a -c advice.detachedHead=false commit -qm x",
    "GIT_PAGER=cat git log -3; NODE_ENV=test ls",
    "grep -rn x src --include=*.ts",
    "timeout 5 tail -f notes.txt; tree -L 2 src; free -h; xxd -l 16 notes.txt; cat /proc/cpuinfo",
    "printenv LANG",
    "[[ a == @(a|b) ]] && case a in +([0-9])) ls src;; esac",
    'x=src; echo "$x:yes" "$x: b" ${x:1} ${x:0:1} ${x:-h}; cd -P src; cd -- ..',
    "grep -rl x src --include=*.ts | sort | head -5 | xargs sed -i s/a/b/",
    "find src -name '*.ts' -print0 | xargs -0 sed -i s/a/b/",
    "find src -name '*.ts' -exec sed -i s/a/b/ {} +",
    "find docs -name '*.orig' -type f -delete",
    "python3 --version; node -v",
    'cat package.json | python3 -c "import sys, json; print(json.load(sys.stdin)[0])"',
    "python3 - <<'X'\nfrom pathlib import Path\np = Path('notes.txt')\np.write_text(p.read_text().replace('a', 'b'))\nX",
    "amplihack guard test 'rm -rf ~'; amplihack history; amplihack undo --dry-run",
  ])("is understood: %s", command => {
    const judgement = judge(command);
    expect(judgement.gaps()).toEqual([]);
    expect(isUnderstood(judgement)).toBe(true);
  });
});

describe("what does not stay here", () => {
  it.each([
    ...[
      "docker ps",
      "docker build .",
      "git fetch",
      "git -C . pull",
      "git push origin x",
      "git clone https://x.example/a b",
    ],
    ...[
      "git ls-remote",
      "git remote update",
      "gh pr list",
      "kubectl get pods",
      "aws s3 ls",
      "psql -c 'select 1'",
    ],
    ...[
      "systemctl status x",
      "redis-cli get a",
      "nc localhost 80",
      "ssh host ls",
      "terraform plan",
      "kill 123",
    ],
  ])("is a reach: no sandbox bounds it, so that it is asked about and not broken: %s", command => {
    expect(gapsOf(command)).toContain("reach");
  });

  it.each([
    "npm test",
    "npm install",
    "make",
    "cargo build",
    "go test ./...",
    "npx tsc",
    "sqlite3 a.db .tables",
    "git frobnicate",
  ])("is not: %s", command => {
    expect(gapsOf(command)).toContain("program");
    expect(gapsOf(command)).not.toContain("reach");
  });

  it.each(["git remote -v", "git status", "git log --oneline"])("nor what only looks: %s", command => {
    expect(gapsOf(command)).toEqual([]);
  });
});

describe("a gap says what is not known", () => {
  it.each([
    ["frobnicate x", "program"],
    ["npm test", "program"],
    ["ls --no-such-option", "option"],
    ["cmp -b notes.txt notes.md", "option"],
    ["sort --compress-program=sh notes.txt", "option"],
    ["cat $FILE", "value"],
    ["zip -r notes.zip src | head -3", "value"],
    ["{ zip -u notes.zip src; } 2>&1 | head -1", "value"],
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
    ["find / -name .env | xargs tee <<< x", "value"],
    ['p=$(echo bm90ZXM= | base64 -d); echo x > "$p"', "value"],
    ["sort notes.txt --output=~/.bashrc", "value"],
    ["git ls-files | xargs sed -i s/a/b/", "value"],
    ["jq -n env", "secret"],
    ["cp *.txt", "value"],
    ["echo ${x@P}", "code"],
    ["git log --format=%G?", "code"],
    ["git apply x.patch", "value"],
    ["patch -p1 < x.patch", "value"],
    ["git diff > x.patch; patch -p1 < x.patch", "value"],
    ["unset PATH; ls", "program"],
    ["read PATH; ls", "program"],
    ["mapfile -C 'touch x' -c 1 < notes.txt", "program"],
    ["mv notes.md *.txt", "value"],
    ["uniq *.txt", "value"],
    ["grep *", "value"],
    ["cat /proc/1/environ", "reach"],
    ["cat /dev/input/event*", "reach"],
    ["head -c 16 /proc/1/mem*", "reach"],
    ["ls *(e:'touch x':)", "code"],
    ["for f in *(N); do rm $f; done", "code"],
    ["x='$(touch y)'; echo ${(e)x}", "code"],
    ["cd project other && rm notes.txt", "program"],
    ["x=src/guard; rm -r $x:h", "value"],
    ["x=src/guard; rm -r ${x:h}", "value"],
    ["find . -name x -exec sh {} ';'", "code"],
    ["tar xzf notes.tgz", "value"],
    ["tar xf notes.tar --strip-components=1", "option"],
    ["unzip -j notes.zip", "option"],
    ["tar czf host:notes.tgz src", "reach"],
    ["tar cz src", "value"],
    ["tar czf notes.tgz --to-command=sh src", "option"],
    ["tar czf notes.tgz ~/.ssh", "secret"],
    ["unzip notes.zip", "value"],
    ["zip -rm notes.zip src", "option"],
    ["zip -r notes src", "value"],
    ["gzip -r src", "option"],
    ["dd if=notes.txt of=copy.txt swap=1", "option"],
    ["dd if=notes.txt of=$X", "value"],
    ["dd if=.env of=copy.txt", "secret"],
    ["mkfifo -m 666 queue", "option"],
    ["hostname other", "program"],
    ["hostname -f", "option"],
    ["git config core.fsmonitor ./run.sh", "program"],
    ["git config core.editor vim", "program"],
    ["git config user.name $X", "program"],
    ["git config --global user.name Ada", "option"],
    ["git config --unset user.name", "option"],
    ["git commit -F notes.txt", "option"],
    ['git commit -m fix "$X"', "value"],
    ["ln notes.txt other.txt", "option"],
    ["ln -sf ../x .git/hooks/pre-commit", "wiring"],
    ["chmod o+w notes.txt", "option"],
    ["chmod 4755 notes.txt", "option"],
    ["timeout 5 npm test", "program"],
    ["command npm test", "program"],
    ["IFS=: ls", "environment"],
    ["printf -v PATH x", "program"],
    ["fd -e ts -x rm", "option"],
    ["file -C -m x", "option"],
    ["git checkout main", "wiring"],
    ["git checkout -b x origin/main", "wiring"],
    ["git switch main", "wiring"],
    ["git merge -m x main", "wiring"],
    ["git cherry-pick abc123", "wiring"],
    ["git revert -n HEAD", "wiring"],
    ["git rebase main", "wiring"],
    ["git rebase -x 'npm test' main", "option"],
    ["git checkout main -- src", "wiring"],
    ["git restore --source=main .", "wiring"],
    ["git restore .github/workflows/ci.yml", "wiring"],
    ["git config edit", "program"],
    ["git config http.extraheader", "secret"],
    ["git clean -fd", "program"],
    ["git branch -df other", "option"],
    ["git -c core.sshCommand=x -c user.name=a log", "environment"],
    ["GIT_PAGER=less git log", "environment"],
    ["grep -rn x src --exclude-from=*.ts", "option"],
    ["tree -o out.txt", "option"],
    ["env", "secret"],
    ["printenv API_TOKEN", "secret"],
    ["export -p", "secret"],
    ["find src -name '*.ts' | sed s,src,.., | xargs sed -i s/a/b/", "value"],
    ["find src -printf '%f\\n' | xargs sed -i s/a/b/", "value"],
    ["(echo /home/user/x; find src) | sort | xargs sed -i s/a/b/", "value"],
    ["find src | head -c 9 | xargs sed -i s/a/b/", "value"],
    ["find -L src -name '*.ts' | xargs sed -i s/a/b/", "value"],
    ["find src -name x -exec sh -c 'sed -i s/a/b/ ${1/src/..}' _ {} ';'", "value"],
    ["grep -rl x ../other | xargs sed -i s/a/b/", "place"],
    ["find .. -name '*.orig' -delete", "secret"],
    ["amplihack memory sync", "program"],
    ["python3 -c 'import os; os.getlogin()'", "code"],
    ["python3 -c 'print(open(\"notes.txt\").read())' < x.py; cat x.py | python3", "code"],
    ['python3 -c \'open("/home/user/elsewhere", "w")\'', "place"],
    ["python3 x.py", "code"],
    ["cp notes.txt json.py && python3 -c 'import json'", "code"],
    ["mv src/guard json; python3 -c 'import json'", "code"],
    ['python3 -c "open(\\"re.py\\", \\"w\\").write(\\"x\\")\nimport re"', "code"],
    ["tar xf notes.tar; python3 -c 'import json'", "code"],
    ["python3 -m json.tool x.json", "option"],
    ["node -e 1", "option"],
    ["node x.js", "code"],
    ["amplihack report --html report.html", "program"],
    ["amplihack guard test --file ~/cases.yaml", "program"],
  ])("%s: %s", (command, kind) => {
    expect(gapsOf(command)).toContain(kind);
  });
});

it("shows an environment in which nothing looks like a secret", () => {
  const gaps = (hasSecretVariables: () => boolean) => judge("env | sort", { hasSecretVariables }).gaps();
  expect([gaps(() => false), gaps(() => true).map(({ kind }) => kind)]).toEqual([[], ["secret"]]);
});

describe("files that git brings back", () => {
  it.each(["git checkout -- notes.txt", "git restore src/index.ts", "git restore --staged ."])(
    "are known by their names: %s",
    command => expect(gapsOf(command)).toEqual([]),
  );
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
    ["it is in a temporary folder", { "/tmp/bin/ls": "x" }, { searchPath: "/tmp/bin:/usr/bin" }],
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

describe("the repository that git takes", () => {
  const PROJECT = "/home/user/project";
  const STARTS = "[core]\n\tfsmonitor = .git/watch\n";
  const gapsIn = (command: string, files: Parameters<typeof machine>[0]) =>
    judge(command, { system: machine(files) })
      .gaps()
      .map(({ kind, what }) => `${kind} ${what}`);
  const HEAD = "ref: refs/heads/main\n";

  it.each([
    [
      "a folder of the project that looks like one, with links for its parts",
      {
        [`${PROJECT}/bare/HEAD`]: HEAD,
        [`${PROJECT}/bare/config`]: STARTS,
        [`${PROJECT}/bare/objects`]: { kind: "symlink", target: "../src" },
        [`${PROJECT}/bare/refs`]: { kind: "symlink", target: "../src" },
      },
    ],
    [
      "whose parts are elsewhere",
      {
        [`${PROJECT}/bare/HEAD`]: HEAD,
        [`${PROJECT}/bare/commondir`]: "../parts\n",
        [`${PROJECT}/parts/config`]: STARTS,
        [`${PROJECT}/parts/objects/x`]: "x",
        [`${PROJECT}/parts/refs/x`]: "x",
      },
    ],
    [
      "to which a link leads that names another",
      {
        [`${PROJECT}/bare/.git`]: { kind: "symlink", target: "../pointer" },
        [`${PROJECT}/pointer`]: "gitdir: ../parts\n",
        [`${PROJECT}/parts/HEAD`]: HEAD,
        [`${PROJECT}/parts/config`]: STARTS,
        [`${PROJECT}/parts/objects/x`]: "x",
        [`${PROJECT}/parts/refs/x`]: "x",
      },
    ],
    [
      "above a folder that is none",
      {
        [`${PROJECT}/bare/.git/description`]: "x",
        [`${PROJECT}/.git/config`]: STARTS,
      },
    ],
  ] as const)("is the one %s", (_, files) => {
    expect(gapsIn("cd bare && git status", files)).toContain("code core.fsmonitor");
  });

  it("is not known where git may pass it by", () => {
    const files = { [`${PROJECT}/bare/.git/HEAD`]: "x", [`${PROJECT}/bare/x`]: "x" };
    expect(gapsIn("cd bare && git commit -m x", files)).toContain("value git commit");
  });

  it.each([
    ["a setting behind an include", "[include]\n\tpath = more\n[core]\n\thooksPath = tools\n"],
    [
      "a setting that an include may not replace",
      '[core]\n\thooksPath = tools\n[includeIf "gitdir:/x/"]\n\tpath = more\n',
    ],
    ["a setting behind a comment that ends in a backslash", "# x \\\n[core]\n\thooksPath = tools\n"],
  ])("has the hooks of %s", (_, config) => {
    const files = {
      [`${PROJECT}/.git/config`]: config,
      [`${PROJECT}/.git/more`]: "[core]\n\thooksPath = /nowhere\n",
      [`${PROJECT}/tools/pre-commit`]: "x",
    };
    expect(gapsIn("git commit -m x", files)).toEqual(["code pre-commit"]);
  });

  it("has its own hooks where an include may not name others", () => {
    const files = {
      [`${PROJECT}/.git/config`]: '[includeIf "onbranch:x"]\n\tpath = more\n',
      [`${PROJECT}/.git/more`]: "[core]\n\thooksPath = /nowhere\n",
      [`${PROJECT}/.git/hooks/pre-commit`]: "x",
    };
    expect(gapsIn("git commit -m x", files)).toEqual(["code pre-commit"]);
  });

  it.each([
    ["[include]\n\tpath = ~other/x\n", "size git"],
    ["[extensions]\n\tobjectFormat = sha256\n", "size extensions.objectformat"],
  ])("is not read to its end: %j", (config, gap) => {
    expect(gapsIn("git commit -m x", { [`${PROJECT}/.git/config`]: config })).toContain(gap);
  });

  it("may filter the files that it lists as modified", () => {
    const files = {
      [`${PROJECT}/.git/config`]: '[filter "x"]\n\tclean = sh\n',
      [`${PROJECT}/.gitattributes`]: "* filter=x\n",
    };
    expect([gapsIn("git ls-files -m", files), gapsIn("git ls-files", files)]).toEqual([["code filter"], []]);
  });

  it("may filter by attributes that it tracks, where they are no longer in the tree", () => {
    const index = makeIndex([".gitattributes", "notes.txt"]);
    const config = '[filter "x"]\n\tclean = sh\n';
    const files = { [`${PROJECT}/.git/config`]: config, [`${PROJECT}/.git/index`]: index };
    expect(gapsIn("git add notes.txt", files)).toEqual(["code filter"]);
    expect(gapsIn("git add notes.txt", { ...files, [`${PROJECT}/.gitattributes`]: "" })).toEqual([]);
  });

  it("opens an editor where parts of a stash are chosen", () => {
    expect(gapsIn("yes e | git stash -p", {})).toContain("program git stash");
    expect(gapsIn("git stash show -p", {})).toEqual([]);
  });
});

describe("a link that a later part of the call goes through", () => {
  const LINKS = {
    "/home/user/project/way": { kind: "symlink", target: "../elsewhere/deep" },
    "/home/user/project/tree/way": { kind: "symlink", target: "../../elsewhere/deep" },
    "/home/user/elsewhere/deep/x.txt": "x",
  } as const;
  const isKnown = (command: string) => isUnderstood(judge(command, { system: machine(LINKS) }));

  it.each([
    "mv way in && rm in/x.txt",
    "cp -a way in && echo x > in/x.txt",
    "cp -r way in; cd in && rm x.txt",
    "mv way src && sed -i s/a/b/ src/way/x.txt",
    "mv tree wood && rm wood/way/x.txt",
    "cp -a tree wood && cat wood/way/x.txt",
    "mv src old && ln -s ../elsewhere src && rm src/x.txt",
    "rm -rf dist && ln -s ../elsewhere dist && echo x > dist/x.txt",
    "cd -P way/.. && rm x.txt",
    "cd way && cd -P .. && rm x.txt",
    "cd -P way && cd .. && rm deep/x.txt",
    "cd -LP way/.. && echo x > x.txt",
    "git -C way/.. status",
  ])("is not known by the disk as it is before: %s", command => expect(isKnown(command)).toBe(false));

  it.each([
    "mv way in",
    "cp -a way in",
    "mv tree wood",
    "cd way/.. && rm notes.txt",
    "cd -P src && ls ..",
    "cd src/.. && ls",
    "mv src old && ls old",
    "git -C src/.. status",
    "ln -s ../elsewhere in",
  ])("and leads nowhere else where nothing goes through it: %s", command =>
    expect(isKnown(command)).toBe(true),
  );
});

describe("what git shows", () => {
  const CONFIG = "/home/user/project/.git/config";
  const judgeWith = (command: string, config: string) =>
    isUnderstood(judge(command, { system: machine({ [CONFIG]: config }) }));

  it.each([
    ["git config --list", '[http "https://x.example"]\n\textraHeader = AUTHORIZATION: basic eA==\n'],
    ["git config --get-regexp .", "[x]\n\ttoken = abc\n"],
    ["git remote -v", '[remote "origin"]\n\turl = https://me:word@example.com/a.git\n'],
    ["git remote get-url origin", '[remote "origin"]\n\turl = https://token@example.com/a.git\n'],
    ["git config remote.origin.url", '[remote "origin"]\n\turl = https://me:word@example.com/a.git\n'],
  ])("may be a secret among its settings: %s", (command, config) => {
    expect(judgeWith(command, config)).toBe(false);
    expect(judgeWith(command, '[remote "origin"]\n\turl = git@example.com:a.git\n')).toBe(true);
    expect(judgeWith("git config user.name", config)).toBe(true);
  });
});

describe("a search through folders", () => {
  const system = machine({ "/home/user/project/.env": "TOKEN=x\n" });
  const gapsIn = (command: string) =>
    judge(command, { system })
      .gaps()
      .map(({ kind }) => kind);

  it.each([
    "grep -r TOKEN --include='.e*'",
    "grep -rh '' --include='?env'",
    "grep -r . --include='*env*' .",
    "echo | grep -r TOKEN",
    "grep -r TOKEN < notes.txt",
    "grep -rn x --exclude='*.md' --include='*.ts' .",
    "rg TOKEN -g '.e*'",
    "rg TOKEN -t ts --hidden",
  ])("may show a secret that lies there: %s", command => expect(gapsIn(command)).toContain("secret"));

  it.each([
    "grep -rn x --include='*.ts'",
    "grep -rn x --include=*.ts --include='*.md' --exclude-dir=node_modules .",
    "rg -g '*.ts' x",
    "cat notes.txt | grep x",
  ])("shows none where it only looks at others: %s", command => expect(gapsIn(command)).toEqual([]));
});

it.each([
  ["cat .npmrc", ".npmrc", "//registry.npmjs.org/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789\n"],
  ["cat .npmrc", ".npmrc", "//registry.npmjs.org/:_authToken=0f9a7c1e-55d2-4b3a-9d5e-9d1c2b3a4f5e\n"],
  ["cat .git/config", ".git/config", '[remote "origin"]\n\turl = https://me:word1234@example.com/a.git\n'],
  ["head -5 .envrc", ".envrc", "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY\n"],
])("settings are a secret where they hold one: %s", (command, name, content) => {
  const kindsWith = (text: string) =>
    judge(command, { system: machine({ [`/home/user/project/${name}`]: text }) })
      .gaps()
      .map(({ kind }) => kind);
  expect([kindsWith(content), kindsWith("# nothing\n")]).toEqual([["secret"], []]);
});

describe("a subscript", () => {
  it.each(["wait -n -p 'a[$(./x)]'", "getopts a 'a[$(./x)]'", "exit 'a[`./x`]'", "printf '%d' 'a[$(./x)]'"])(
    "that a word of the shell may compute is code: %s",
    command => expect(gapsOf(command)).toContain("code"),
  );
  it("is text where it is only said", () => expect(gapsOf("echo 'a[$(./x)]'")).toEqual([]));
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
    // With a blank: two parentheses would be arithmetic.
    command => `echo "$( ${command})"`,
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
    // One form of every third in every run, all forms of each with `npm run witness`.
    const formsFor = (index: number) => {
      if (process.env["WITNESSED"] !== undefined) return DISGUISES.map((_, form) => form);
      return index % 3 === 0 ? [((index / 3) % 20) + 1] : [];
    };
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

  // Of each kind some in every run, all of them with `npm run witness`.
  const isSampled = (_: string, index: number) => index % 8 === 0 || process.env["WITNESSED"] !== undefined;

  it.each(KINDS)("of a call of the kind: $name", ({ dangerous, heldOutDangerous }) => {
    const answered = (call: string) => isUnderstood(judgeDrawn(call, PATH));
    expect(dangerous.filter(isSampled).filter(answered)).toEqual([]);
    // Which of those held out is not said: whoever writes records must not see them.
    expect(heldOutDangerous.filter(isSampled).filter(answered).length).toBe(0);
  });

  it("of a dangerous call of another tool", () => {
    const calls = readCorpus("tool-calls-dangerous.txt").map(line => {
      const at = line.indexOf(" ");
      return `{"tool_name":${JSON.stringify(line.slice(0, at))},"tool_input":${line.slice(at + 1)}}`;
    });
    expect(calls.filter(call => isUnderstood(judgeDrawn(call, PATH)))).toEqual([]);
  });
});
