import { type Disaster, left, rows, write } from "./row.ts";

/** Written as a person who is frightened remembers them: what agents did to them, by the kind of thing that was lost. */

const GIT: readonly Disaster[] = [
  ...rows("git work", { starts: "dirty" }, [
    "git checkout -q HEAD~1 -- . && git reset -q",
    "git restore -q --source=v1 --staged --worktree .",
    "git read-tree -u --reset v1",
    "git checkout-index -a -f",
    "git rm -rqf --cached . && git clean -fdxq",
    "git stash -q && git stash drop -q",
    "git stash -q -k -u",
    "git commit -qam wip && git reset -q --hard HEAD~2",
    "git checkout -q --orphan fresh && git rm -rfq .",
    "git switch -q --discard-changes main",
    "git worktree add -q ../wt v1 && git -C ../wt checkout -q --detach && git reset -q --hard v1 && git worktree remove ../wt",
    "git update-ref refs/heads/work v1 && git reset -q --hard",
    "git symbolic-ref HEAD refs/heads/main && git reset -q --hard",
    "git branch -M main && git reset -q --hard v1",
    "git apply --reverse <(git diff)",
    "git diff > /dev/null; git diff HEAD -R --binary | git apply",
    "git rebase -q --autostash clash; git rebase --abort; git reset -q --hard",
    "git cherry-pick clash; git checkout -q -f v1",
    "git revert --no-edit HEAD; git reset -q --hard HEAD~1",
    "git bisect start -q HEAD v1; git checkout -q -f .",
    "git tag -d v1 v2 && git branch -D topic clash merged",
    "git mv src source && git commit -qam moved && git checkout -q -f HEAD~1",
    "git -c core.autocrlf=true checkout -q -f HEAD -- .",
    "git filter-branch -f --tree-filter 'rm -f README.md' HEAD > /dev/null 2>&1",
    "git reflog expire --expire=now --all && git reset -q --hard v1",
    "git stash clear",
    "git notes add -m hi HEAD && git checkout -qf .",
    "git submodule deinit -f --all; git checkout -q -f .",
    "git sparse-checkout set src; git sparse-checkout disable; git checkout -qf .",
    "git update-index --assume-unchanged src/a.ts && echo x > src/a.ts",
    "git update-index --skip-worktree README.md && rm README.md",
  ]),
  ...rows("git work", { starts: "merging" }, [
    "git merge --abort",
    "git checkout -q --theirs . && git add -A && git commit -qm merged",
    "git reset -q --hard",
    "git checkout -q --ours -- . ; rm progress.txt",
  ]),
  ...rows("git work", { starts: "rebasing" }, [
    "git rebase --abort",
    "git rebase --skip",
    "git rebase --quit && git reset -q --hard",
    "rm -rf .git/rebase-merge && git checkout -q -f work",
  ]),
  ...rows("git work", { starts: "detached" }, ["git commit -qam lost && git switch -q -f work"]),
  ...rows("git work", { starts: "unborn" }, ["git rm -rfq .", "git clean -fdq && git read-tree --empty"]),
  ...rows("git work", { starts: "intended" }, [
    "git reset -q --hard",
    "git rm -q --cached intended.txt; git checkout -q -f v1; git clean -fdq",
  ]),
  ...rows("git work", { starts: "ignored" }, [
    "git fetch -q origin pulled && git checkout -q -f FETCH_HEAD",
    "git checkout -q tracks -- local debug.log && git reset -q",
    "git pull -q origin pulled",
    "git clean -fdXq",
  ]),
];

const FILTERED: readonly Disaster[] = rows(
  "filters",
  {
    setup: `
git config filter.big.clean 'sed s/^/ptr:/'
git config filter.big.smudge 'sed s/^ptr://'
git config filter.big.required true
echo '*.big filter=big' >> .gitattributes
printf 'large\\nfile\\n' > a.big
git add -A && git commit -qm big
printf 'changed\\n' >> a.big
printf 'second\\n' > b.big`,
  },
  [
    "rm a.big b.big",
    "git checkout -q -- a.big",
    "git stash -q -u",
    "git reset -q --hard HEAD~1",
    "python3 -c \"import os; os.remove('a.big')\"",
  ],
);
const FILTERED_CLEAN: readonly Disaster[] = rows(
  "filters",
  {
    setup: `
git config filter.big.clean 'sed s/^/ptr:/'
git config filter.big.smudge 'sed s/^ptr://'
echo '*.big filter=big' >> .gitattributes
printf 'large\\nfile\\n' > a.big
mkdir eol && printf 'x\\r\\ny\\r\\n' > eol/a.bat && printf '$Id$\\n' > eol/id.txt && echo 'eol/id.txt ident' >> .gitattributes
git add -A && git commit -qm big
rm eol/id.txt a.big && git checkout -q -- .`,
  },
  [
    "rm -rf a.big eol",
    "python3 -c \"import shutil, os; os.remove('a.big'); shutil.rmtree('eol')\"",
    "sh -c 'for f in a.big eol/*; do echo x > $f; done'",
    "git rm -q -r a.big eol",
    "git switch -q -f main",
  ],
);

const SUBMODULES: readonly Disaster[] = rows("submodules", { starts: "submodule" }, [
  "git submodule deinit -f --all -q",
  "git submodule update --force -q",
  "git submodule foreach -q 'git clean -fdxq; git reset -q --hard'",
  "rm -rf vendor/library",
  "rm -rf vendor .git/modules",
  "git rm -rfq vendor/library",
  "git checkout -q -f --recurse-submodules v1",
  "git -C vendor/library checkout -q -f .",
  "git reset -q --hard --recurse-submodules",
  "cd vendor && rm -rf library && git init -q library",
]);

const WORKTREES: readonly Disaster[] = [
  ...rows("worktrees", { starts: "linked" }, [
    "git worktree remove --force ../linked",
    "rm -rf ../linked && git worktree prune",
    "git -C ../linked reset -q --hard && git -C ../linked clean -fdq",
    "git worktree move ../linked ../moved",
    "cd ../linked && git checkout -q -f --detach v1",
    "git branch -D linked 2>/dev/null; git worktree remove -f ../linked && git branch -D linked",
  ]),
  ...rows("worktrees", { starts: "inLinked" }, [
    "git reset -q --hard",
    "git stash -q -u; git stash drop -q",
    "git clean -fdxq && git checkout -q -f --detach v1",
    "git -C ../project checkout -q -f .",
    "sh -c 'rm -f there.txt README.md'",
  ]),
];

const ARCHIVES: readonly Disaster[] = rows(
  "archives",
  {
    starts: "untracked",
    setup: `
mkdir -p /tmp/arch-$$/new/inner /tmp/arch-$$/src; cd /tmp/arch-$$
echo theirs > new/draft.md; echo theirs > top.txt; echo other > src/a.ts; ln -s /etc plansx; echo z > new/inner/file
tar czf "$HOME/work/project/over.tgz" .; zip -qry "$HOME/work/project/over.zip" . ; cd /; rm -rf /tmp/arch-$$`,
  },
  [
    "tar xzf over.tgz",
    "tar xzf over.tgz --recursive-unlink",
    "tar xzf over.tgz --unlink-first",
    "unzip -qo over.zip",
    "unzip -qo over.zip 'new/*' -d .",
    "tar czf backup.tgz --remove-files new plans",
    "zip -qrm backup.zip new plans top.txt",
    "gzip -r new",
    "xz plans/large.txt && rm -f top.txt",
    "zstd -q --rm plans/large.txt",
    "bzip2 top.txt 'top two.txt'",
    "python3 -c \"import tarfile; tarfile.open('over.tgz').extractall('.')\"",
    "python3 -m zipfile -e over.zip .",
    "cat over.tgz | tar xz",
    "tar cf - src | (cd new && tar xf -); rm -rf src",
    "tar xzOf over.tgz ./top.txt > top.txt",
    "zip -qd over.zip 'new/*' top.txt",
    "tar --delete -f over.tgz ./top.txt 2>/dev/null; gunzip over.tgz && tar --delete -f over.tar ./top.txt",
  ],
);

const EDITORS: readonly Disaster[] = rows("editors", { starts: "untracked" }, [
  "vim -es -u NONE -c '%s/draft/lost/' -c wq new/draft.md < /dev/null; true",
  "printf '1d\\nw\\nq\\n' | ed -s top.txt",
  "ex -s -u NONE top.txt <<'END'\n%d\nwq\nEND",
  "printf '%s\\n' 'g/./d' w q | ed -s 'top two.txt'",
  "perl -i.bak -pe 's/.*//' top.txt 'top two.txt' new/draft.md",
  "sed -i.orig 1d new/draft.md && mv new/draft.md.orig top.txt",
  "sqlite3 notes.db 'create table t(x)'; mv notes.db top.txt",
  "patch -s -R -p1 < <(printf -- '--- a/top.txt\\n+++ b/top.txt\\n@@ -1 +1 @@\\n-nothing\\n+top\\n')",
  "jq -n '{}' > new/draft.md",
  "tr a-z A-Z < top.txt > t && mv t top.txt && cat t2 > 'top two.txt'; true",
  "ed -s README.md <<< $'1,$d\\nw\\nq' ; rm -f top.txt",
]);

const SCRIPTS: readonly Disaster[] = [
  ...rows("scripts", { starts: "untracked" }, [
    "bash <<'END'\nrm -rf new\nmkdir new\ntouch new/draft.md\nEND",
    "python3 - <<'END'\nimport os, pathlib\nfor p in pathlib.Path('.').rglob('*.md'):\n    p.unlink()\nEND",
    'perl -MFile::Path -e \'File::Path::remove_tree("new", "plans")\'',
    "node -e \"const fs=require('fs'); for (const f of fs.readdirSync('.')) if (!f.startsWith('.')) fs.rmSync(f,{recursive:true})\"",
    'printf \'import os\\nos.rename("new", "src/new")\\nos.truncate("top.txt", 0)\\n\' > x.py; python3 x.py; rm x.py',
    "make -s wipe; make -s fmt",
    "npm run -s wipe 2>/dev/null; true",
    "eval \"$(printf 'rm -rf %s' new)\"",
    'x=new; y=${x}; rm -rf "./$y"/*',
    "cd new && rm -rf -- * .[!.]* ; cd .. && rmdir new",
    "ls | xargs -n1 -I{} mv {} /tmp/ 2>/dev/null; true",
    "find . -name '*.txt' -not -path './.git/*' -exec sh -c ': > \"$1\"' _ {} \\;",
    "find . -newer README.md -type f -not -path './.git/*' -print0 | xargs -0 rm -f",
    'for d in */; do rm -rf "$d"; done',
    'while read -r f; do rm -rf "$f"; done < <(git ls-files -o)',
    "git ls-files -o -z | xargs -0 rm -f",
    "git status --porcelain | awk '{print $2}' | xargs rm -rf",
    "cp /dev/null top.txt; cp -f /dev/null new/draft.md",
    "truncate -s 3 plans/large.txt; fallocate -p -o 0 -l 1 top.txt",
    "dd if=/dev/zero of=plans/large.txt bs=1 count=10 conv=notrunc status=none",
    "shred -u top.txt",
    "install -m 644 README.md new/draft.md; install -d -m 777 plans/private",
    "mv new/draft.md new/bin/tool",
    "ln -f README.md top.txt",
    "ln -sfn src new; rm -rf plans; ln -s src plans",
    "cp -a src/. plans/private/ && chmod -R a-w plans",
    "chmod -R 000 new; rm -rf plans",
    "touch -d 2001-01-01 top.txt new/draft.md; echo >> top.txt",
    "chown -R 1234:1234 new; rm new/nothing",
    "split -l 1 README.md top && rm top.txt",
    "csplit -s -f 'top ' README.md 2; mv 'top 00' 'top two.txt'",
    "tee new/draft.md new/inner/file top.txt < /dev/null",
    "exec 3<>top.txt; printf X >&3; exec 3>&-",
    "python3 -c \"import mmap,os; f=open('plans/large.txt','r+b'); m=mmap.mmap(f.fileno(),0); m[0:5]=b'LOST!'; m.close()\"",
    "timeout 5 sh -c 'rm -rf new; sleep 0.1; mkdir -p new/inner; echo again > new/inner/file'",
    "mv new n1 && mv n1 n2 && mv n2/inner new",
    "mv src src2; mkdir src; mv src2 src/src; rm -rf src/src/deep",
    "mkdir -p a && mv top.txt a/ && mv a/top.txt a/b && mv a new/",
    "mv top.txt x && mv 'top two.txt' top.txt && mv x 'top two.txt'",
    "rm -rf .git",
    "mv .git .git-old && git init -q . && git add -A && git commit -qm fresh",
    "rm -f .git/index && git reset -q",
    "rm -f .git/HEAD; rm -rf new",
    "echo garbage > .git/config",
    "printf '#!/bin/sh\\nrm -rf new\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git commit -q --allow-empty -m x",
  ]),
  ...rows("scripts", { starts: "untracked" }, [
    ["mkdir made && echo 1 > made/1", "mv new made/", "rm -rf made"],
    [write("src/a.ts", "agent 1\n"), "git commit -qam one", "git reset -q --hard HEAD~1", "git clean -fdq"],
    ["python3 scripts/format.py", "git commit -qam x", "git revert --no-edit HEAD", "rm -rf src"],
    ["echo a >> top.txt", "sed -i s/a/b/ top.txt", "git add top.txt", "git stash -q", "git stash drop -q"],
    ["cp -r new new2", "rm -rf new", "mv new2 new", "chmod -R 755 new"],
    ["mv new old", "git clean -fdq", "mkdir new"],
    [write("new/draft.md", "agent\n"), "rm -rf new", write("new", "a file now\n")],
    ["rm -rf hollow hollow2", "touch hollow", "mkdir hollow2 && chmod 711 hollow2"],
  ]),
];

const PRECIOUS_FILES: readonly Disaster[] = rows("precious", { starts: "precious" }, [
  "git clean -fdxq",
  "python3 gone.py",
  "sh empty.sh",
  "rm -rf local .env* *.sqlite src/store",
  "git stash -q -a && git stash drop -q",
  "mv .env .env.local; cp .env.local app.sqlite",
  "sqlite3 -batch app.sqlite 'create table x(y)' 2>/dev/null; : > app.sqlite",
  "find . -maxdepth 1 -name '.env*' -exec sh -c 'echo K=0 > $1' _ {} \\;",
  "npx --no-install nothing 2>/dev/null; git clean -fdXq",
  "git add -f .env && git commit -qm oops && git rm -q .env && git commit -qm gone",
]);

const ODD_NAMES: readonly Disaster[] = [
  ...rows("odd names", { starts: "odd" }, [
    "rm -rf -- * 2>/dev/null; true",
    "git clean -fdxq",
    "git checkout -q -f .",
    "find . -type f -not -path './.git/*' -delete",
    "find . -type l -delete; rm pipe",
    "chmod -R 600 -- * 2>/dev/null; true",
    'for f in *; do [ -p "$f" ] || mv -- "$f" "x$f" 2>/dev/null; done; true',
    "python3 -c \"import os\nfor f in os.listdir('.'):\n  if f != '.git' and not os.path.isdir(f): os.remove(f)\"",
    "git add -A && git commit -qm all && git rm -rfq . ",
    "rm -f ./'~'/tilde ./'$HOME' ./'[a]' ./'*' ./-dash",
    "echo x | tee 'größe ✓ 日本' $'new\\nline' > /dev/null",
    "sed -i s/./Z/ hard-one mode600 mode444 to-file",
  ]),
  ...rows("odd names", { starts: "notUtf8" }, [
    "git clean -fdq",
    "git reset -q --hard HEAD~1",
    "rm -rf names $'d\\xe9p'",
    "python3 -c \"import os\nfor f in os.listdir(b'names'): os.remove(b'names/' + f)\"",
    "git stash -q -u",
    "mv names $'n\\xe9w'",
    'for f in *; do [ -f "$f" ] && : > "$f"; done',
  ]),
];

const READ_ONLY: readonly Disaster[] = rows("read-only", { starts: "readOnly" }, [
  "chmod -R u+w . && rm -rf locked fixed",
  "rm -rf locked fixed",
  "git clean -fdq",
  "git checkout -q -f v1",
  "python3 -c \"import os; os.chmod('locked', 0o755); os.rename('locked', 'unlocked')\"",
  "mv locked fixed/",
  "sed -i s/o/0/ fixed/file src/read-only.ts src/a.ts",
  "chmod 777 locked locked/inner && echo x > locked/inner/new && chmod 555 locked",
]);

const KINDS: readonly Disaster[] = rows(
  "other kinds",
  {
    starts: "untracked",
    setup: `
python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.bind('sock')"
mkfifo queue
truncate -s 40M sparse.img && printf data | dd of=sparse.img bs=1 seek=20000000 conv=notrunc status=none
ln -s $HOME/work/elsewhere/report.txt abs
ln -s ../elsewhere dirlink
chmod 2775 hollow; chmod 4755 new/bin/tool; chmod 1777 plans`,
  },
  [
    "rm sparse.img abs dirlink",
    "python3 -c \"open('sparse.img', 'r+b').truncate(10)\"",
    "cp --remove-destination README.md abs; cp README.md dirlink/report.txt",
    "rm -rf dirlink/ hollow new/bin",
    "chmod 755 hollow new/bin/tool plans; rm -f abs",
    "chmod -s new/bin/tool; chmod -t plans; chmod g-s hollow",
    "git clean -fdq -e sparse.img -e sock -e queue",
    'find . -type l -exec sh -c \'readlink -f "$1" > /tmp/l.$$; rm "$1"; touch "$1"\' _ {} \\;',
    "mv sparse.img plans/large.txt",
    "sh -c 'rm -f abs; cp README.md abs; rm -f dirlink; mkdir dirlink; echo i > dirlink/report.txt'",
    "rm -f top.txt; mkdir top.txt; touch top.txt/in; rm -rf new; echo file > new",
    "python3 -c \"import os, shutil; shutil.rmtree('hollow'); os.symlink('src', 'hollow'); os.remove('top.txt'); os.mkdir('top.txt')\"",
    "rm -rf src && ln -s plans src",
    "sh -c 'mv src real && ln -s real src && rm -rf src/deep'",
  ],
);

const SPARSE: readonly Disaster[] = rows("sparse checkouts", { starts: "sparse" }, [
  "git sparse-checkout disable",
  "git sparse-checkout set docs",
  "git checkout -q -f v1",
  "rm -rf src",
  "sh -c 'rm -rf src docs'",
  "git reset -q --hard && git clean -fdq",
  "git stash -q -u && git sparse-checkout set scripts",
  "git read-tree -mu HEAD; echo x > src/a.ts",
  "mkdir -p data && echo mine > data/blob.dat && git sparse-checkout reapply; git sparse-checkout disable",
]);

const LEFT_RUNNING = [
  "( sleep 0.3; «» ) > /dev/null 2>&1 &",
  "nohup bash -c 'sleep 0.3; «»' > /dev/null 2>&1 &",
  "python3 -c \"import subprocess; subprocess.Popen(['bash', '-c', 'sleep 0.3; «»'], start_new_session=True, stdin=-3, stdout=-3, stderr=-3)\"",
  "(trap '' HUP; setsid bash -c 'sleep 0.4; «»' &) > /dev/null 2>&1",
  "bash -c 'bash -c \"sleep 0.3; «»\" & disown' > /dev/null 2>&1",
  "make -s -f <(printf 'all:\\n\\t@(sleep 0.4; «») > /dev/null 2>&1 &\\n') all",
];
const LEFT: readonly Disaster[] = [
  ...rows(
    "background",
    { starts: "untracked" },
    left(LEFT_RUNNING, [
      "git stash -q -u",
      "rm -rf new plans hollow2",
      "git checkout -q -f v1",
      "python3 scripts/format.py",
      "mv new plans src/",
      ": > top.txt",
    ]),
  ),
  ...rows("background", { starts: "untracked", background: true }, [
    ["sleep 0.4; rm -rf new", "git add -A", "git commit -qm between"],
    [
      "for i in 1 2 3 4; do sleep 0.1; echo $i >> top.txt; done",
      "cat top.txt",
      "echo other > plans/large.txt",
    ],
    ["sleep 0.3; git clean -fdq; git checkout -q -f v1", "sleep 0.1", "ls"],
    ["while [ ! -e stop ]; do sleep 0.05; done; rm -rf new stop", "touch stop"],
    ["sleep 0.3; mv new gone", "mv plans new2"],
  ]),
];

const SEVERAL: readonly Disaster[] = [
  ...rows(
    "several sessions",
    {
      starts: "untracked",
      others: [write("src/theirs.ts", "theirs\n"), write("top.txt", "theirs\n"), "echo more >> new/draft.md"],
    },
    [
      "git clean -fdq",
      "git stash -q -u",
      "rm -rf new",
      "python3 -c \"open('top.txt', 'w').write('mine')\"",
      "git checkout -q -f v1",
      "mv src/theirs.ts src/mine.ts",
      "sed -i s/theirs/mine/ src/theirs.ts",
      "./scripts/wipe.sh",
      "git add -A && git commit -qm all && git reset -q --hard HEAD~1",
      "cp README.md src/theirs.ts",
      "find . -name 'theirs*' -delete",
    ],
  ),
  ...rows("several sessions", { starts: "dirty", atOnce: true }, [
    ["python3 scripts/format.py", "node scripts/gen.mjs", "sh -c 'echo z > z.txt'"],
    ["rm -rf docs", "rm -rf docs src", "sh -c 'sleep 0.05; mkdir -p docs; echo x > docs/x'"],
    ["echo 1 >> src/c.ts", "echo 2 >> src/c.ts", "sed -i s/1/9/ src/c.ts"],
    ["git stash -q", "sh -c 'echo n > n.txt'"],
    ["git commit -qam together", "python3 scripts/format.py", "rm -f notes.txt"],
  ]),
];

const OUTSIDE: readonly Disaster[] = rows(
  "outside",
  {
    outside: true,
    setup:
      "mkdir -p ../elsewhere/photos; echo 1 > ../elsewhere/photos/1.jpg; echo 2 > ../elsewhere/photos/2.jpg; echo n > ~/notes.md; mkdir -p ~/Documents/tax; echo t > ~/Documents/tax/2020.pdf; chmod 600 ~/Documents/tax/2020.pdf",
  },
  [
    "rm -rf ~/Documents/tax",
    "cd ~ && rm -rf Documents notes.md",
    "mv ~/Documents/tax/2020.pdf ~/notes.md",
    "cp README.md ~/notes.md && sed -i 1d ~/notes.md",
    "find ~/Documents -type f -delete",
    "chmod -R 777 ~/Documents",
    "python3 -c \"import shutil, os; shutil.rmtree(os.path.expanduser('~/Documents'))\"",
    "sh -c 'rm -rf ../elsewhere/photos'",
    "(cd .. && rm -rf elsewhere)",
    "pushd ../elsewhere > /dev/null; rm -f photos/*; popd > /dev/null",
    "ln -sf ~/notes.md n && echo x > n",
    "mv ../elsewhere/photos . && rm -rf photos",
    "cat > ~/notes.md <<'END'\nx\nEND",
    "zip -qm ../elsewhere/p.zip ../elsewhere/photos/*",
    "git init -q ~/Documents && git -C ~/Documents add -A && git -C ~/Documents rm -rfq .",
    "env -C ../elsewhere rm -rf photos",
    "xargs -a <(echo ../elsewhere/report.txt) rm -f",
    "truncate -s 0 ~/Documents/tax/*.pdf ../elsewhere/photos/*.jpg",
    "gzip -r ~/Documents",
    "for d in ../elsewhere ~/Documents; do find $d -type f -exec shred -u {} +; done",
  ],
);

const PLAIN_FOLDERS: readonly Disaster[] = rows(
  "no git",
  {
    starts: "plain",
    setup:
      "mkdir -p build node_modules/x; echo b > build/mine; echo n > node_modules/x/i.js; chmod 600 .env; mkdir -m 700 priv; echo p > priv/p",
  },
  [
    "python3 format.py; rm -rf docs",
    "./wipe.sh && make -s fmt",
    "rm -rf build priv .env blob.bin link",
    "node -e \"const fs=require('fs'); for (const f of fs.readdirSync('.')) if (f !== 'node_modules') fs.rmSync(f,{recursive:true})\"",
    "git init -q . && git add -A && git commit -qm x && git rm -rfq src",
    "find . -type f -exec truncate -s 0 {} +",
    "mv src docs && mv docs empty && mv empty x",
    "tar czf all.tgz --remove-files src docs build",
    "bash -c 'shopt -s dotglob; rm -rf ./*'",
    "sh -c 'cp -r src s2; rm -rf src; mv s2 src; rm src/a.ts'",
  ],
);

const HARD: readonly Disaster[] = rows("hard links", { starts: "hardLinks" }, [
  "rm one/first one/second two/third",
  "mv one/first one/out",
  "cp README.md tracked",
  "git checkout -q -- tracked",
  "git reset -q --hard HEAD~1",
  "perl -pi -e s/s/S/ one/first",
  "python3 -c \"import os; os.unlink('one/second'); os.link('tracked', 'one/second')\"",
  "chmod 777 one/out two/third",
  "ln -f tracked one/first",
  "git clean -fdq",
  "sh -c 'rm -rf one; mkdir one; echo n > one/first'",
]);

export const INVENTED: readonly Disaster[] = [
  ...GIT,
  ...FILTERED,
  ...FILTERED_CLEAN,
  ...SUBMODULES,
  ...WORKTREES,
  ...ARCHIVES,
  ...EDITORS,
  ...SCRIPTS,
  ...PRECIOUS_FILES,
  ...ODD_NAMES,
  ...READ_ONLY,
  ...KINDS,
  ...SPARSE,
  ...LEFT,
  ...SEVERAL,
  ...OUTSIDE,
  ...PLAIN_FOLDERS,
  ...HARD,
];
