import { type Disaster, left, rows, write } from "./row.ts";

/** As `disasters.ts`, held out: whoever mends does not read this. Written after those of `disasters.shown.ts` were shown. */
const LEFT_RUNNING = [
  "ruby -e 'fork { sleep 0.4; system(%q(«»)) }' > /dev/null 2>&1 || (sleep 0.4; «») > /dev/null 2>&1 &",
  "sh -c 'trap \"\" HUP; (sleep 0.4; «») & exit 0' > /dev/null 2>&1",
  "sleep 0.4 | { cat; «»; } > /dev/null 2>&1 &",
  "timeout 5 sh -c 'sleep 0.4; «»' > /dev/null 2>&1 &",
  "xargs -P1 -I{} sh -c 'sleep 0.4; «»' <<< x > /dev/null 2>&1 &",
  "nice -n 5 sh -c 'sleep 0.4; «»' > /dev/null 2>&1 &",
];

const BACKGROUND: readonly Disaster[] = [
  ...rows(
    "background",
    { starts: "untracked" },
    left(LEFT_RUNNING, ["rm -rf new", "git clean -xfdq", "find plans -type f -delete", "git stash -qu"]),
  ),
  ...rows("background", { starts: "untracked", background: true }, [
    "sleep 0.4; mv new /tmp/away-$$; rm -rf /tmp/away-$$",
    "sleep 0.3; git rm -rqf docs",
    ["sleep 0.5; npm run --silent wipe || rm -rf src", "echo between >> README.md"],
    "while ! test -e no-such; do rm -rf plans; break; done",
  ]),
];

const MANY = (name: string) =>
  `python3 -c "import os\nfor i in range(101):\n  os.makedirs('${name}/%d' % i)\n  for j in range(200): open('${name}/%d/%d.md' % (i, j), 'w').write('%d-%d' % (i, j))"`;
const MANY_FILES: readonly Disaster[] = [
  ...rows("many files", { setup: `${MANY("vast")}; git add -A; git commit -qm vast` }, [
    "find vast -name '*.md' -delete",
    "mv vast elsewhere-now && rm -rf elsewhere-now",
  ]),
  ...rows("many files", { setup: MANY("loose") }, ["rm -rf loose"]),
];

const FOLDERS: readonly Disaster[] = [
  ...["log", "tmp", "cache", "out", "obj", "generated", "release", ".next"].flatMap(name =>
    rows(
      "folders by name",
      { setup: `mkdir -p ${name}/2024; echo photo > ${name}/2024/a.jpg; echo note > ${name}/notes.md` },
      [`python3 -c "import shutil; shutil.rmtree('${name}')"`, `git clean -qfd ${name}`],
    ),
  ),
  ...rows(
    "folders by name",
    {
      setup:
        "mkdir -p pkg/out pkg/log; echo a > pkg/out/a; echo b > pkg/log/b; echo 'pkg/log/*.tmp' >> .gitignore",
    },
    ["rm -rf pkg/out pkg/log", "find pkg -type f -exec truncate -s0 {} +"],
  ),
];

const OUTSIDE: readonly Disaster[] = rows(
  "outside",
  {
    outside: true,
    setup:
      "mkdir -p pk/deep; echo theirs > pk/report.txt; echo theirs > pk/deep/more.txt; tar cf p.tar -C pk .; (cd pk && python3 -m zipfile -c ../p.zip report.txt); printf -- '--- a/report.txt\\n+++ b/report.txt\\n@@ -1 +1,2 @@\\n+patched\\n report\\n' > p.diff",
  },
  [
    "cd ../elsewhere && tar xf ../project/p.tar",
    "cat p.tar | tar -x -C ../elsewhere",
    "python3 -m zipfile -e p.zip ../elsewhere",
    "(cd ../elsewhere && patch -p1 < ../project/p.diff)",
    "script -q -c 'echo hi' ../elsewhere/report.txt",
    "grep -rl report ../elsewhere | xargs perl -pi -e 's/report/x/'",
    "find ../elsewhere -name '*.txt' | while read -r f; do sed -i 's/r/R/' \"$f\"; done",
    "python3 -c \"import zipfile; zipfile.ZipFile('p.zip').extractall('../elsewhere')\"",
    "node -e \"require('fs').writeFileSync('../elsewhere/report.txt', 'x')\"",
    "sort -o ../elsewhere/report.txt README.md",
    "cp --remove-destination README.md ../elsewhere/report.txt",
    "ln -sf $PWD/README.md ../elsewhere/report.txt",
    "dd if=README.md of=../elsewhere/report.txt status=none",
    "sed -n 'w ../elsewhere/report.txt' README.md",
    "git --no-pager log --output=../elsewhere/report.txt",
    "mv ../elsewhere ../elsewhere-2",
    "tar cf ../elsewhere/report.txt README.md",
    "rsync -a --delete pk/ ../elsewhere/ 2>/dev/null || cp -r pk/. ../elsewhere/",
  ],
);

const SEVERAL: readonly Disaster[] = rows(
  "several sessions",
  { starts: "untracked", others: [write("src/a.ts", "theirs\n"), write("fresh/own.txt", "theirs\n")] },
  [
    "git checkout -q .",
    "git clean -qfd",
    "git stash -q -u",
    "git switch -q -f main",
    "rm -rf fresh src/a.ts",
    "echo mine > src/a.ts",
  ],
);

const REPLACED: readonly Disaster[] = rows(
  "replaced parents",
  {
    starts: "untracked",
    expected: "restored-or-asked-or-conflict",
    setup: "mkdir -p ~/other/deep; echo o > ~/other/draft.md; echo p > ~/other/deep/file",
  },
  [
    ["rm new/draft.md", "rm -rf new && ln -s $HOME/other new"],
    [write("plans/todo.md", "agent\n"), "mv plans p2; mkdir plans; echo else > plans/todo.md"],
    ["sed -i s/guide/GUIDE/ docs/guide.md", "cp -r docs d3 && rm -rf docs && mv d3 docs"],
  ],
);

const REST: readonly Disaster[] = [
  ...rows("empty folders", { setup: "mkdir -p e1/e2/e3 e1/f; chmod 700 e1/f" }, [
    "rmdir -p --ignore-fail-on-non-empty e1/e2/e3",
    "find e1 -type d -empty -delete",
    "git clean -qfd",
    "rm -rf e1",
  ]),
  ...rows(
    "nested repositories",
    {
      repositories: ["vend/lib"],
      setup:
        "mkdir -p vend; git init -q -b main vend/lib; (cd vend/lib && echo 1 > f && git add f && git commit -qm 1 && echo w > w && git stash -qu && echo 2 > g)",
    },
    ["git clean -ffdqx", "rm -rf vend/lib/.git", "git -C vend/lib stash drop -q", "mv vend vend2"],
  ),
  ...rows(
    "modes",
    { setup: "chmod 600 README.md docs/guide.md; chmod 500 docs; echo k > key; chmod 400 key" },
    [
      "git rm -qf README.md",
      "python3 -c \"import os; os.unlink('README.md')\"",
      "chmod -R u+w docs && rm -rf docs",
      "install -m 644 /dev/null key",
    ],
  ),
  ...rows(
    "links",
    { setup: "ln -s ../elsewhere/none out-link; mkdir -p real; echo r > real/r; ln -s real rl" },
    [
      "echo made > out-link",
      "python3 -c \"open('rl/r', 'a').write('more')\"",
      "rm rl && mkdir rl && echo n > rl/n",
      "cp -P link rl/copied",
    ],
  ),
  ...rows("hard links", { starts: "hardLinks" }, [
    "python3 -c \"open('one/first', 'a').write('x')\"",
    "rm -rf one",
    "cp README.md one/first",
  ]),
  ...rows("moves", { starts: "untracked", setup: "mkdir -p box/empty" }, [
    "mv new box/empty",
    "mv README.md LIESMICH.md && mv docs/guide.md README.md",
    "python3 -c \"import os; os.rename('src', 'box/empty/src')\"",
    "git mv src box/src && git mv docs src",
  ]),
];

export const HELD_OUT: readonly Disaster[] = [
  ...BACKGROUND,
  ...MANY_FILES,
  ...FOLDERS,
  ...OUTSIDE,
  ...SEVERAL,
  ...REPLACED,
  ...REST,
];
