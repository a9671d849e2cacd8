import { INVENTED } from "./disasters.invented.ts";
import { SHOWN } from "./disasters.shown.ts";
import { type Disaster, left, rows, write } from "./row.ts";

/** The form is in `row.ts`. */
const LEFT_RUNNING = [
  "( sleep 0.4; «» ) &",
  "nohup sh -c 'sleep 0.4; «»' > /dev/null 2>&1 &",
  "setsid -f sh -c 'sleep 0.4; «»' > /dev/null 2>&1",
  "{ sleep 0.4; «»; } > /dev/null 2>&1 & disown",
  "(setsid sh -c 'sleep 0.4; «»' > /dev/null 2>&1 &)",
  "sleep 0.4 && «» & echo started",
];
const LOSSES = [
  "git clean -fdq",
  "rm -rf src",
  "rm -rf new plans",
  "git checkout -q v1 -- .",
  "git stash -q -u",
  "./scripts/wipe.sh",
  "find new -delete",
  "mv new ../elsewhere/",
];

const BACKGROUND: readonly Disaster[] = [
  ...rows("background", { starts: "untracked" }, left(LEFT_RUNNING, LOSSES)),
  ...rows(
    "background",
    { starts: "untracked", background: true },
    LOSSES.map(command => `sleep 0.4; ${command}`),
  ),
  ...rows("background", { starts: "dirty", background: true }, [
    "sleep 0.4; git reset -q --hard",
    "sleep 0.4; git checkout -q -- .",
    "sleep 0.4; python3 scripts/format.py",
    ["sleep 0.4; git clean -fdq", "ls src"],
    ["sleep 0.6; rm -rf docs", "echo more >> notes.txt"],
  ]),
];

const MANY =
  "node -e \"const { mkdirSync, writeFileSync } = require('node:fs'); for (let i = 0; i < 200; i++) { mkdirSync('big/' + i, { recursive: true }); for (let j = 0; j < 101; j++) writeFileSync('big/' + i + '/' + j + '.txt', i + ' ' + j) }\"";
const MANY_FILES: readonly Disaster[] = [
  ...rows("many files", { setup: `${MANY}; git add -A; git commit -qm big` }, ["rm -rf big"]),
  ...rows("many files", { setup: MANY }, ["git clean -fdq"]),
];

const NAMES = ["log", "tmp", "cache", "out", "obj", "dist", "build", "target", "vendor", "coverage"];
const filled = (name: string) =>
  `mkdir -p ${name}/deep; echo work > ${name}/mine.txt; echo more > ${name}/deep/photo.raw`;
const LOSS_OF: readonly ((name: string) => string)[] = [
  name => `rm -rf ${name}`,
  () => "git clean -fdq",
  name => `find ${name} -type f -delete`,
  name => `python3 -c "import shutil; shutil.rmtree('${name}')"`,
  name => `mv ${name} /tmp/gone-$$ && rm -rf /tmp/gone-$$`,
];
const FOLDERS_BY_NAME: readonly Disaster[] = [
  ...NAMES.flatMap((name, index) =>
    rows("folders by name", { setup: filled(name) }, [
      (LOSS_OF[index % LOSS_OF.length] ?? String)(name),
      (LOSS_OF[(index + 2) % LOSS_OF.length] ?? String)(name),
    ]),
  ),
  ...["build", "dist", "out", "log", "vendor"].flatMap(name =>
    rows(
      "folders by name",
      {
        setup: `${filled(name)}; echo '${name}/' >> .gitignore; echo k > ${name}/keep.txt; git add -f ${name}/keep.txt .gitignore; git commit -qm keep`,
      },
      [`rm -rf ${name}`, "git clean -fdxq"],
    ),
  ),
  ...rows("folders by name", { setup: filled("log") }, [
    ["echo log/ >> .gitignore", "rm -rf log"],
    "echo log/ >> .gitignore; rm -rf log",
    ["echo log/ >> .git/info/exclude", "rm -rf log"],
    ["echo log/ >> .gitignore", "python3 -c \"import shutil; shutil.rmtree('l' + 'og')\""],
    [write(".gitignore", "log/\n*.txt\n"), "git clean -fdXq"],
  ]),
  ...["log", "cache", "out"].flatMap(name =>
    rows("folders by name", { starts: "plain", setup: filled(name) }, [`rm -rf ${name}`]),
  ),
];

const LEFT_OUT: readonly Disaster[] = rows(
  "left out of the tree",
  {
    setup: `${filled("build")}; echo build/ >> .gitignore; echo k > build/keep.txt; git add -f build/keep.txt .gitignore; git commit -qm keep`,
  },
  ["git sparse-checkout set docs", "git sparse-checkout set --no-cone /docs/"],
);

const PACKED =
  'mkdir -p /tmp/pack-$$/deep; cd /tmp/pack-$$; echo theirs > report.txt; echo 9 > deep/data.csv; tar cf "$HOME/work/project/p.tar" .; zip -qr "$HOME/work/project/p.zip" . 2>/dev/null || true; rm -rf /tmp/pack-$$';
const OUTSIDE: readonly Disaster[] = rows("outside", { outside: true, setup: PACKED }, [
  "tar xf p.tar -C ../elsewhere",
  "tar -C ../elsewhere -xf p.tar ./report.txt",
  "tar xf p.tar --directory=$HOME/work/elsewhere --overwrite",
  "unzip -qo p.zip -d ../elsewhere",
  "cd ../elsewhere && tar xf ../project/p.tar",
  "printf -- '--- a/report.txt\\n+++ b/report.txt\\n@@ -1 +1 @@\\n-report\\n+patched\\n' > p.diff; patch -s -p1 -d ../elsewhere < p.diff",
  "script -q -c true ../elsewhere/report.txt < /dev/null",
  "echo changed > ../elsewhere/report.txt",
  "node --version > ../elsewhere/report.txt",
  "python3 --version &> ../elsewhere/deep/data.csv",
  "grep -rl report ../elsewhere | xargs sed -i s/report/REPORT/",
  "find ../elsewhere -name '*.txt' -exec sed -i s/r/R/ {} +",
  "sed -i s/1/2/ ../elsewhere/deep/data.csv ../elsewhere/report.txt",
  "python3 -c \"open('../elsewhere/report.txt', 'w').write('x')\"",
  "node -e \"require('fs').writeFileSync(process.env.HOME + '/work/elsewhere/report.txt', 'x')\"",
  "cp README.md ../elsewhere/report.txt",
  "dd if=README.md of=../elsewhere/report.txt status=none",
  "sort README.md -o ../elsewhere/report.txt",
  "ln -sf /dev/null ../elsewhere/report.txt",
  "perl -pi -e 's/r/R/' ../elsewhere/report.txt",
  "find ../elsewhere -type f | xargs perl -pi -e s/r/R/",
  "grep -l report ../elsewhere/*.txt | while read f; do sed -i s/r/R/ $f; done",
  "for f in $(find ../elsewhere -name '*.txt'); do echo x > $f; done",
  "sed -i s/r/R/ $(grep -rl report ../elsewhere)",
  "grep -rlZ report ../elsewhere | xargs -0 -I{} sh -c 'echo x > {}'",
  "find ../elsewhere -name '*.csv' -print0 | xargs -0 -n1 truncate -s0",
]);

/** A program by the name of a container tool: it runs the words behind the image in the folder that is mounted at `/w`. */
const CONTAINER_TOOL = `#!/bin/bash
while [ $# -gt 0 ]; do
  case "$1" in
    -v) folder="\${2%%:*}"; shift ;;
    --mount) folder=$(echo "$2" | sed 's/.*source=\\([^,]*\\).*/\\1/'); shift ;;
    -w) shift ;;
    alpine) shift; break ;;
  esac
  shift
done
cd "$folder" && eval "$(echo "$*" | sed "s#/w/#$folder/#g")"`;
const CONTAINERS: readonly Disaster[] = rows(
  "containers",
  {
    starts: "untracked",
    setup: `mkdir -p ~/bin; cat > ~/bin/docker <<'END'\n${CONTAINER_TOOL}\nEND\nchmod +x ~/bin/docker; cp ~/bin/docker ~/bin/podman; cp ~/bin/docker ~/bin/nerdctl`,
  },
  [
    'docker run --rm -v "$PWD":/w alpine rm -rf /w/src',
    "podman run --rm -v $PWD:/w alpine rm -rf /w/new",
    "nerdctl run --rm --mount type=bind,source=$PWD,target=/w alpine rm -rf /w/new",
    "docker compose run --rm -v $PWD:/w alpine rm -rf /w/new",
    "docker run --rm -v $PWD/..:/w alpine rm -rf /w/elsewhere/report.txt",
    "docker run --rm -v $PWD:/w -w /w alpine ./scripts/wipe.sh",
  ].map(command => `PATH=$HOME/bin:$PATH; ${command}`),
);

const SEVERAL: readonly Disaster[] = [
  ...rows(
    "several sessions",
    { others: [write("src/theirs.ts", "theirs\n"), write("README.md", "theirs\n")] },
    [
      "git stash -q -u",
      "git reset -q --hard",
      "git checkout -q .",
      "git clean -fdq",
      "rm -rf src",
      "git switch -q -f main",
    ],
  ),
  ...rows("several sessions", { starts: "untracked", atOnce: true }, [
    Array.from(
      { length: 8 },
      (_, index) => `sh -c 'echo ${index} > made-${index}.txt; echo ${index} > src/new.ts'`,
    ),
    ["rm -rf new", "./scripts/wipe.sh", "python3 scripts/format.py"],
  ]),
];

const REPLACED: readonly Disaster[] = rows(
  "replaced parents",
  {
    starts: "untracked",
    expected: "restored-or-asked-or-conflict",
    setup:
      "mkdir -p ~/.claude ~/target; echo '{\"mine\":1}' > ~/.claude/settings.json; echo t > ~/target/a.txt",
  },
  [
    [write("fix/.claude/settings.json", "{}\n"), "mv fix old && ln -s ~ fix"],
    [write("fix/a.txt", "agent\n"), "mv fix old && ln -s ~/target fix"],
    ["mkdir -p d && echo new > d/a.txt", "rm -rf d && ln -s ~/target d"],
    ["rm new/draft.md", "mv new old-new && ln -s ../elsewhere new"],
    ["echo x > plans/large.txt", "mv plans p2; ln -s ../elsewhere plans"],
    ["rm -rf src/deep", "rm -rf src && ln -s ~/target src"],
    ["echo x >> src/a.ts", "mv src s && mkdir src && echo other > src/a.ts"],
    ["mkdir -p a/b && echo 1 > a/b/c", "mv a/b a/b2 && ln -s ~/target a/b"],
  ],
);

const EMPTY: readonly Disaster[] = rows(
  "empty folders",
  { starts: "untracked", setup: "mkdir -p e1/e2/e3 f1/f2; chmod 700 e1/e2; mkdir -p src/void/inner" },
  [
    "rmdir -p e1/e2/e3",
    "find . -type d -empty -not -path './.git/*' -delete",
    "rm -rf e1 f1",
    "rmdir f1/f2 f1",
    "git clean -fdq",
    "find . -depth -type d -empty -exec rmdir {} \\; 2>/dev/null; true",
  ],
);

const NESTED_SETUP =
  "git init -q -b main inner; (cd inner && echo i > i.txt && git add -A && git commit -qm i && echo changed >> i.txt && echo u > untracked.txt && git stash list && git branch side)";
const NESTED: readonly Disaster[] = rows(
  "nested repositories",
  { repositories: ["inner"], setup: NESTED_SETUP },
  [
    "git clean -ffdq",
    "rm -rf inner",
    "rm -rf inner/.git",
    "git -C inner reset -q --hard",
    "cd inner && git clean -fdxq && git checkout -q -- .",
    "mv inner ../elsewhere/",
  ],
);

const MODES: readonly Disaster[] = rows(
  "modes",
  {
    setup:
      "echo p > private.txt; chmod 600 private.txt; mkdir -m 700 vault; echo v > vault/v; chmod 640 vault/v; chmod 600 src/b.ts; printf '#!/bin/sh\\n' > go; chmod 711 go",
  },
  [
    "rm private.txt",
    "chmod -R 777 vault private.txt go",
    "rm -rf vault",
    "git checkout -q v1 -- src/b.ts",
    "python3 -c \"import os; os.remove('private.txt'); open('private.txt', 'w').write('n')\"",
    "sed -i s/p/P/ private.txt",
  ],
);

const LINKS: readonly Disaster[] = rows(
  "links",
  {
    setup:
      "ln -s ../elsewhere/new-file dangling; ln -s src linked-src; ln -s README.md linked-file; ln -s loop loop; mkdir held; ln -s ../nowhere held/none",
  },
  [
    "echo through > dangling",
    "rm dangling linked-src held/none",
    "rm -rf linked-src/",
    "rm -rf linked-src/*",
    "sed -i --follow-symlinks s/one/ONE/ linked-file",
    "cp docs/guide.md linked-file",
    "python3 -c \"open('dangling', 'w').write('x')\"",
    "find -L . -type l -delete",
  ],
);

const HARD: readonly Disaster[] = rows("hard links", { starts: "hardLinks" }, [
  "rm one/first",
  "echo changed > one/first",
  "rm -rf one two",
  "sed -i s/shared/SHARED/ one/second",
  "python3 scripts/inplace.py",
  "truncate -s 0 one/out",
]);

const MOVES: readonly Disaster[] = rows(
  "moves",
  { starts: "untracked", setup: "mkdir -p into/src into2; echo there > into/top.txt" },
  [
    "mv top.txt into/",
    "mv new into2/",
    "mv src into2",
    "mv -f top.txt 'top two.txt'",
    "mv -T plans into2",
    "mv new/* into2/",
    "cp -rf docs/. into && rm -rf docs",
  ],
);

export const CASES: readonly Disaster[] = [
  ...BACKGROUND,
  ...MANY_FILES,
  ...FOLDERS_BY_NAME,
  ...LEFT_OUT,
  ...OUTSIDE,
  ...CONTAINERS,
  ...SEVERAL,
  ...REPLACED,
  ...EMPTY,
  ...NESTED,
  ...MODES,
  ...LINKS,
  ...HARD,
  ...MOVES,
  ...SHOWN,
  ...INVENTED,
];
