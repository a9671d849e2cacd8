import { type Disaster, left, rows, write } from "./row.ts";

/** Rows that were held out until they were shown to those who mend. */
const LEFT_RUNNING = [
  "python3 -c \"import subprocess; subprocess.Popen(['sh', '-c', 'sleep 0.4; «»'], start_new_session=True, stdout=-3, stderr=-3)\"",
  "node -e \"require('child_process').spawn('sh', ['-c', 'sleep 0.4; «»'], { detached: true, stdio: 'ignore' }).unref()\"",
  "coproc { sleep 0.4; «»; }",
  "bash -c '(sleep 0.4; «») > /dev/null 2>&1 &'",
  "perl -e 'fork and exit; sleep 1; system(\"«»\")' > /dev/null 2>&1",
  "env nohup setsid sh -c 'sleep 0.4; «»' > /dev/null 2>&1 < /dev/null &",
];

const BACKGROUND: readonly Disaster[] = [
  ...rows(
    "background",
    { starts: "untracked" },
    left(LEFT_RUNNING, ["git clean -fdq", "rm -rf new docs", "rm -rf src/deep", "git reset -q --hard v1"]),
  ),
  ...rows("background", { starts: "dirty", background: true }, [
    "sleep 0.4; git stash -q -u",
    "sleep 0.4; for f in src/*.ts; do : > $f; done",
    "sleep 0.3; make both",
    ["sleep 0.5; rm -rf src", "cat README.md", "git status --short"],
  ]),
];

const MANY = "mkdir wide; for j in $(seq 1 20200); do echo $j > wide/$j.txt; done";
const MANY_FILES: readonly Disaster[] = rows(
  "many files",
  { setup: `${MANY}; git add -A; git commit -qm wide` },
  ["git rm -rqf wide"],
);

const FOLDERS: readonly Disaster[] = [
  ...["logs", "temp", ".cache", "bin", "_build"].flatMap(name =>
    rows(
      "folders by name",
      {
        setup: `mkdir -p ${name}/a; echo mine > ${name}/a/mine.txt; head -c 300 /dev/urandom > ${name}/p.png`,
      },
      [`rm -rf ${name}/*`, `rm -r ${name}`],
    ),
  ),
  ...["target", "obj", "coverage"].flatMap(name =>
    rows(
      "folders by name",
      {
        setup: `mkdir -p ${name}; echo k > ${name}/k; echo '${name}' >> .gitignore; git add -f ${name}/k .gitignore; git commit -qm k; echo mine > ${name}/mine`,
      },
      [`find ${name} -mindepth 1 -delete`],
    ),
  ),
  ...rows(
    "folders by name",
    { starts: "plain", setup: "mkdir -p tmp/x build; echo 1 > tmp/x/y; echo 2 > build/z" },
    ["rm -rf tmp build"],
  ),
];

const OUTSIDE: readonly Disaster[] = rows(
  "outside",
  {
    outside: true,
    setup:
      "mkdir -p pk; echo theirs > pk/report.txt; (cd pk && find . | cpio -o --quiet > ../p.cpio 2>/dev/null || true); tar czf p.tgz -C pk report.txt; printf 'all:\\n\\techo made > report.txt\\n' > ../elsewhere/Makefile",
  },
  [
    "tar xzf p.tgz --one-top-level=../elsewhere",
    "git archive --format=tar HEAD README.md | tar x -C ../elsewhere && mv ../elsewhere/README.md ../elsewhere/report.txt",
    "python3 -m tarfile -e p.tgz ../elsewhere",
    "make -s -C ../elsewhere",
    "awk '{ print toupper($0) > FILENAME }' ../elsewhere/report.txt",
    "openssl rand -hex -out ../elsewhere/report.txt 8",
    "split -b 1 README.md ../elsewhere/report.txt. && mv ../elsewhere/report.txt.aa ../elsewhere/report.txt",
    "gzip ../elsewhere/report.txt",
    'for f in ../elsewhere/*.txt; do printf x > "$f"; done',
    "tee ../elsewhere/report.txt < README.md > /dev/null",
    "exec 3> ../elsewhere/report.txt; echo hi >&3",
    "rm -rf ../elsewhere/deep && mkdir ../elsewhere/deep",
    "curl -so ../elsewhere/report.txt file://$PWD/README.md",
    "ex -s -c '%s/report/x/' -c wq ../elsewhere/report.txt",
    "install -m 600 README.md ../elsewhere/report.txt",
  ],
);

const SEVERAL: readonly Disaster[] = [
  ...rows(
    "several sessions",
    { starts: "untracked", others: [write("docs/guide.md", "theirs\n"), "echo theirs > theirs.txt"] },
    [
      "git restore .",
      "git checkout -q -f main",
      "find . -name '*.txt' -not -path './.git/*' -delete",
      "rm theirs.txt docs/guide.md",
    ],
  ),
];

const REPLACED: readonly Disaster[] = rows(
  "replaced parents",
  {
    starts: "untracked",
    expected: "restored-or-asked-or-conflict",
    setup: "mkdir -p ~/target/inner; echo t > ~/target/draft.md; echo u > ~/target/inner/file",
  },
  [
    ["rm -rf new/inner", "mv new gone && ln -s ~/target new"],
    [write("new/draft.md", "agent\n"), "mv new/ n2 && ln -s $HOME/target new"],
    ["echo z > docs/guide.md", "mv docs d2 && cp -r ~/target docs"],
    ["mkdir -p q && echo 1 > q/file", "rm -r q; ln -s ~/target/inner q", "echo over > q/file"],
  ],
);

const REST: readonly Disaster[] = [
  ...rows("empty folders", { setup: "mkdir -p a/b/c/d/e; chmod 750 a/b/c; touch -d 2020-01-01 a/b" }, [
    "rmdir -p a/b/c/d/e",
    "find a -depth -empty -delete",
    "rm -r a && mkdir a",
  ]),
  ...rows(
    "nested repositories",
    {
      repositories: ["libs/x"],
      setup:
        "mkdir -p libs; git init -q -b main libs/x; (cd libs/x && echo 1 > f && git add f && git commit -qm 1 && echo 2 > g && git tag t)",
    },
    [
      "rm -rf libs",
      "git -C libs/x clean -fdq",
      "git -C libs/x rm -qf f",
      "find libs -name .git -prune -exec rm -rf {} +",
    ],
  ),
  ...rows("modes", { setup: "echo a > s1; chmod 400 s1; mkdir -m 711 mm; echo b > mm/x; chmod 604 mm/x" }, [
    "rm -f s1",
    "find mm -exec chmod 755 {} +",
    "cp README.md mm/x",
    "mv mm/x s1",
  ]),
  ...rows(
    "links",
    {
      setup:
        "mkdir real; echo r > real/r; ln -s real alias; ln -s $HOME/work/elsewhere abs; ln -s missing/deep dang",
    },
    [
      "rm -rf alias real",
      "echo w > alias/r",
      "mkdir missing && echo made > dang",
      "rm -f abs/report.txt",
      "ln -sfn docs alias",
    ],
  ),
  ...rows("hard links", { starts: "hardLinks" }, [
    "rm one/out",
    "perl -i -pe 's/o/0/' one/out",
    "mv -f one/out two/third",
    "chmod 777 one/second",
  ]),
  ...rows("moves", { starts: "untracked", setup: "mkdir -p room/new" }, [
    "mv new/draft.md room/new/",
    "mv room/new . 2>/dev/null || mv room/new nn",
    "git mv -f src/a.ts src/b.ts",
    "mv plans/* docs/",
    "mv src/deep docs",
  ]),
];

export const SHOWN: readonly Disaster[] = [
  ...BACKGROUND,
  ...MANY_FILES,
  ...FOLDERS,
  ...OUTSIDE,
  ...SEVERAL,
  ...REPLACED,
  ...REST,
];
