import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { type GitFacts, readGit } from "./git-facts.ts";
import { runShell } from "./run-shell.ts";

/**
 * A home of its own with a project in it. Nothing but the project, what lies beside it and the state of the hooks is in
 * the home, so that every other file a call or an undo leaves behind is seen.
 */
export interface Scene {
  readonly home: string;
  /** where the session runs, and where the commands run unless they say otherwise */
  readonly project: string;
  /** a directory beside the project that is no part of it */
  readonly elsewhere: string;
  readonly env: Readonly<Record<string, string>>;
  /** working trees of git, relative to the home */
  readonly repositories: readonly string[];
}

interface Maker {
  /** runs in the project's directory, in bash */
  readonly script: string;
  readonly starts?: ProjectKind;
  readonly repositories?: readonly string[];
  /** relative to the place where projects lie */
  readonly project?: string;
  /** runs in the place where projects lie, in every copy: what names the home itself */
  readonly relocate?: string;
}

/** History whose parts do not depend on each other, a branch that merges cleanly and one that does not. */
const BASE = `
git init -q -b main .
printf '%s\\n' 'node_modules/' '*.log' '.env*' '*.sqlite' '*.db' 'local/' > .gitignore
printf '%s\\n' '*.bat text eol=crlf' '*.dat -text' > .gitattributes
printf 'one\\ntwo\\nthree\\n' > README.md
mkdir -p src/deep/x docs bin data scripts
for name in a b c d; do printf 'export const %s = 1;\\nexport const rest = 2;\\n// end\\n' "$name" > "src/$name.ts"; done
printf 'y\\n' > src/deep/x/y.ts
printf 'guide\\n' > docs/guide.md
printf 'api\\n' > docs/api.md
printf '#!/bin/sh\\necho run\\n' > bin/run.sh
printf '\\000\\001\\377\\r\\n\\000' > data/blob.dat
printf 'echo off\\r\\n' > win.bat
ln -s src/a.ts link
printf '#!/bin/sh\\nrm -rf src docs\\nmkdir made\\necho made > made/file\\n' > scripts/wipe.sh
printf 'import pathlib\\nfor p in pathlib.Path("src").rglob("*.ts"): p.write_text(p.read_text().upper())\\n' > scripts/format.py
printf 'import { rmSync, writeFileSync } from "node:fs";\\nwriteFileSync("README.md", "made\\\\n");\\nrmSync("docs", { recursive: true });\\n' > scripts/gen.mjs
printf 'wipe:\\n\\trm -rf src/deep docs\\nfmt:\\n\\tsed -i s/const/let/ src/*.ts\\nboth: wipe fmt\\n\\tdate > stamp\\n' > Makefile
printf '{ "name": "p", "scripts": { "wipe": "rm -rf src", "fmt": "node scripts/gen.mjs" } }\\n' > package.json
chmod 755 bin/run.sh scripts/wipe.sh
git add -A
git commit -q -m first
git tag v1
git branch merged
printf 'four\\n' >> README.md
git commit -q -am second
git tag -a v2 -m two
git switch -q -c topic
printf 'topic\\n' > docs/topic.md
printf 'guide of the topic\\n' > docs/guide.md
git add -A
git commit -q -m topic
git switch -q -c clash main
sed -i s/1/clash/ src/a.ts
git rm -q src/d.ts
git commit -q -am clash
git switch -q -c work main
sed -i s/1/work/ src/a.ts
printf 'new\\n' > src/new.ts
git add -A
git commit -q -m 'work one'
printf 'export const b = "work";\\n' > src/b.ts
git commit -q -am 'work two'
git init -q --bare ../origin.git
git remote add origin ../origin.git
git push -q origin main topic work~1:refs/heads/work
git fetch -q
git branch -q --set-upstream-to=origin/work
git gc -q
git -C ../origin.git gc -q
`;

const STASHED = `
printf 'kept twice\\n' >> README.md
git stash push -q -m 'older stash'
printf 'stash\\n' > docs/guide.md
git add docs/guide.md
printf 'not tracked\\n' > stashed.txt
git stash push -q -u -m 'newer stash'
`;

const CHANGED = `
printf 'changed, not staged\\n' >> src/a.ts
printf 'changed and staged\\n' >> src/b.ts
git add src/b.ts
printf 'staged\\n' >> src/c.ts
git add src/c.ts
printf 'and changed again\\n' >> src/c.ts
rm docs/api.md
git rm -q data/blob.dat
git mv docs/guide.md docs/manual.md
chmod 755 Makefile
printf 'staged and new\\n' > added.txt
git add added.txt
printf 'not tracked\\n' > notes.txt
`;

const NOT_TRACKED = `
mkdir -p new/inner/empty new/bin plans
printf 'draft\\n' > new/draft.md
printf 'inner\\n' > new/inner/file
printf '#!/bin/sh\\n' > new/bin/tool
chmod 700 new/bin/tool
chmod 600 new/draft.md
ln -s ../src new/link
ln -s nowhere new/dangling
: > new/nothing
printf 'top\\n' > top.txt
printf 'top two\\n' > 'top two.txt'
head -c 1200000 /dev/zero | tr '\\000' 'x' > plans/large.txt
mkdir -m 700 plans/private
printf 'p\\n' > plans/private/p.txt
touch -d '2020-02-03 04:05:06.123456789' plans/private/p.txt
mkdir hollow
mkdir -p hollow2/deeper/deepest
chmod 700 hollow2/deeper
chmod 1777 hollow2/deeper/deepest
`;

const PRECIOUS = `
printf 'KEY=1\\n' > .env
printf 'KEY=2\\n' > .env.local
chmod 600 .env .env.local
printf 'SQLite format 3\\000data' > app.sqlite
mkdir -p local src/store
printf 'rows\\n' > src/store/items.db
printf 'mine\\n' > local/settings.txt
printf 'line\\n' > debug.log
printf '.env .env.local app.sqlite\\n' > list
printf 'import os\\nfor n in open("list").read().split(): os.remove(n)\\n' > gone.py
printf 'for f in $(cat list); do echo > "$f"; done\\n' > empty.sh
`;

/** Files that git ignores here, and tracks on a branch of its own and in the repository that it pulls from. */
const IGNORED = `
printf 'here\\n' > debug.log
mkdir local
printf 'mine\\n' > local/settings.txt
printf 'other\\n' > local/other.txt
mkdir ../aside
git worktree add -q ../aside/tree -b tracks work
( cd ../aside/tree && mkdir local && printf 'theirs\\n' | tee debug.log local/settings.txt local/made.txt > /dev/null &&
  git add -f debug.log local && git commit -q -m tracks )
git push -q origin tracks:pulled
git worktree remove ../aside/tree
rmdir ../aside
git update-ref -d refs/remotes/origin/pulled
`;

const PLAIN = `
mkdir -p src/deep docs empty
for name in a b c; do printf 'export const %s = 1;\\n' "$name" > "src/$name.ts"; done
printf 'deep\\n' > src/deep/d.ts
printf 'guide\\n' > docs/guide.md
printf '#!/bin/sh\\nrm -rf src docs/guide.md\\necho new > fresh\\n' > wipe.sh
printf 'import pathlib\\nfor p in pathlib.Path("src").rglob("*.ts"): p.write_text("x")\\n' > format.py
chmod 755 wipe.sh
ln -s src/a.ts link
printf 'KEY=1\\n' > .env
printf '\\000\\377' > blob.bin
printf 'fmt:\\n\\tfor f in src/*.ts; do echo done > $$f; done\\n' > Makefile
`;

const NOTEBOOK = `
printf '{ "cells": [{ "id": "c1", "cell_type": "code", "source": "print(1)" }] }\\n' > book.ipynb
`;

const SUBMODULE = `
git init -q -b main ../library
( cd ../library && printf 'lib\\n' > lib.c && printf 'more\\n' > more.c && git add -A && git commit -q -m lib )
git submodule --quiet add ../library vendor/library
git commit -q -m 'add the library'
printf 'changed in the library\\n' >> vendor/library/lib.c
printf 'not tracked\\n' > vendor/library/scratch.txt
printf 'changed outside\\n' >> README.md
`;

const LINKED = `
git worktree add -q ../linked -b linked main
printf 'changed in the linked tree\\n' >> ../linked/README.md
printf 'not tracked there\\n' > ../linked/there.txt
printf 'changed in the main tree\\n' >> README.md
git stash push -q -m 'from the main tree'
printf 'changed again\\n' >> src/b.ts
`;

/** Git writes both ends of a linked working tree as absolute paths. */
const RELINK = `
echo "gitdir: $PWD/project/.git/worktrees/linked" > linked/.git
echo "$PWD/linked/.git" > project/.git/worktrees/linked/gitdir
`;

const SPARSE = `
git update-index -q --refresh
git sparse-checkout set --cone src docs
printf 'changed\\n' >> src/a.ts
printf 'not tracked\\n' > src/fresh.ts
`;

const ODD = `
printf 'a\\n' > 'with space.txt'
printf 'b\\n' > $'new\\nline'
printf 'c\\n' > "quote'and\\"quote"
printf 'd\\n' > -dash
printf 'e\\n' > '*'
printf 'f\\n' > '[a]'
printf 'g\\n' > 'back\\slash'
printf 'h\\n' > 'größe ✓ 日本'
printf 'i\\n' > '$HOME'
printf 'j\\n' > "$(printf 'n%.0s' {1..240})"
: > void
mkdir -p 'dir with space/inner' '~' 'deep/$(x)'
printf 'k\\n' > 'dir with space/inner/a b'
printf 'l\\n' > '~/tilde'
printf 'm\\n' > 'deep/$(x)/file'
ln -s 'with space.txt' to-file
ln -s 'dir with space' to-directory
ln -s ../elsewhere to-outside
ln -s nowhere dangling
ln -s loop loop
printf 'private\\n' > mode600; chmod 600 mode600
printf 'all\\n' > mode777; chmod 777 mode777
printf 'no write\\n' > mode444; chmod 444 mode444
printf 'shared\\n' > hard-one
ln hard-one hard-two
mkfifo pipe
git add 'with space.txt' $'new\\nline' -- './-dash' './*' to-file to-directory dangling mode600
git commit -q -m 'odd names'
printf 'changed\\n' >> 'with space.txt'
printf 'changed\\n' >> ./-dash
`;

/** Names of one file: beside each other, in two directories, and outside the project. */
const HARD_LINKS = `
mkdir -p one two
printf 'shared\\n' > one/first
ln one/first one/second
ln one/first two/third
printf 'outside\\n' > one/out
ln one/out ../elsewhere/out
printf 'tracked\\n' > tracked
chmod 600 one/out
git add tracked
git commit -q -m tracked
ln tracked ../elsewhere/tracked
printf 'changed\\n' >> tracked
touch -d '2020-02-03 04:05:06.123456789' one/first one/out
printf 'for n in ("one/first", "one/out"): open(n, "w").write("x")\\n' > scripts/inplace.py
printf 'from: %%s\\n' one/* > list
`;

const NOT_UTF8 = `
mkdir names
printf 'a\\n' > names/$'caf\\xe9'
printf 'b\\n' > names/plain
printf 'c\\n' > $'top\\xff'
ln -s $'caf\\xe9' names/link
mkdir -p $'d\\xe9p/empt\\xff'
printf 'd\\n' > $'d\\xe9p/inn\\xe9r'
printf 'e\\n' > $'tracked\\xe9'
printf 'f\\n' > $'clean\\xe9'
git add $'tracked\\xe9' $'clean\\xe9'
git commit -q -m 'not UTF-8'
printf 'changed\\n' >> $'tracked\\xe9'
`;

const READ_ONLY = `
mkdir -p locked/inner fixed
printf 'one\\n' > locked/one
printf 'two\\n' > locked/inner/two
printf 'fixed\\n' > fixed/file
printf 'read only\\n' > src/read-only.ts
chmod 444 fixed/file src/read-only.ts src/a.ts
chmod 555 locked/inner locked
`;

const LARGE = `
mkdir tree
for i in $(seq 1 50); do
  mkdir "tree/$i"
  for j in $(seq 1 99); do printf 'file %s %s\\n' "$i" "$j" > "tree/$i/$j.txt"; done
done
git add -A
git commit -q -m 'many files'
git gc -q
for i in $(seq 1 50); do printf 'changed\\n' >> "tree/$i/7.txt"; printf 'fresh\\n' > "tree/$i/fresh.txt"; done
`;

const MERGING = `
printf 'work in progress\\n' > progress.txt
git merge -q clash || true
`;

const INTENDED = `
printf 'intended\\n' > intended.txt
git add -N intended.txt
printf 'changed\\n' >> README.md
`;

const REBASING = `
git rebase -q clash || true
printf 'half done\\n' > half.txt
`;

const DETACHED = `
git switch -q --detach v1
printf 'changed\\n' >> README.md
printf 'fresh\\n' > fresh.txt
`;

const UNBORN = `
git init -q -b work .
mkdir src
printf 'a\\n' > src/a.ts
printf 'b\\n' > src/b.ts
printf 'c\\n' > c.txt
git add src/a.ts
printf 'changed\\n' >> src/a.ts
`;

const MAKERS = {
  clean: { script: BASE },
  stashed: { starts: "clean", script: STASHED },
  dirty: { starts: "stashed", script: CHANGED },
  untracked: { starts: "clean", script: NOT_TRACKED },
  ignored: { starts: "clean", script: IGNORED },
  precious: { starts: "clean", script: PRECIOUS },
  plain: { script: PLAIN, repositories: [] },
  notebook: { starts: "plain", script: NOTEBOOK, repositories: [] },
  submodule: {
    starts: "clean",
    script: SUBMODULE,
    repositories: ["work/project", "work/project/vendor/library"],
  },
  linked: {
    starts: "clean",
    script: LINKED,
    relocate: RELINK,
    repositories: ["work/project", "work/linked"],
  },
  inLinked: {
    starts: "linked",
    script: ":",
    relocate: RELINK,
    project: "linked",
    repositories: ["work/project", "work/linked"],
  },
  sparse: { starts: "clean", script: SPARSE },
  odd: { starts: "clean", script: ODD, relocate: 'ln -s "$PWD/project/void" project/absolute' },
  hardLinks: { starts: "clean", script: HARD_LINKS },
  notUtf8: { starts: "clean", script: NOT_UTF8 },
  readOnly: { starts: "clean", script: READ_ONLY },
  large: { starts: "clean", script: LARGE },
  intended: { starts: "clean", script: INTENDED },
  merging: { starts: "clean", script: MERGING },
  rebasing: { starts: "clean", script: REBASING },
  detached: { starts: "clean", script: DETACHED },
  unborn: { script: UNBORN },
} as const satisfies Record<string, Omit<Maker, "starts"> & { readonly starts?: string }>;

export type ProjectKind = keyof typeof MAKERS;
export const PROJECT_KINDS = Object.keys(MAKERS) as readonly ProjectKind[];

const GIT_SETTINGS = `[user]
  name = Test
  email = test@example.test
[init]
  defaultBranch = main
  templateDir =
[advice]
  detachedHead = false
[gc]
  auto = 0
[core]
  editor = true
[protocol "file"]
  allow = always
`;
/** The sweep may take as long as it likes: a busy machine must not decide what is kept. */
const SETTINGS = { parts: ["guard", "history"], history: { budgetMs: 60_000 } };

const PREFIX = "amplihack-test-history-";
/** No run takes as long. */
const ABANDONED_MS = 6 * 60 * 60 * 1000;

/**
 * Projects below the real home: in temporary directories the history keeps less. Everything is removed when the test
 * file ends.
 */
export class Projects {
  private readonly templates = new Map<ProjectKind, string>();
  private readonly words = new Map<ProjectKind, Promise<GitFacts>>();
  private made: { readonly root: string; readonly path: string } | undefined;
  private count = 0;

  constructor() {
    afterAll(() => {
      if (this.made === undefined) return;
      const { root } = this.made;
      // Directories without write permission cannot be emptied by others than root.
      execFileSync("chmod", ["-R", "u+rwX", root]);
      rmSync(root, { recursive: true, force: true });
    });
  }

  /** Made when it is needed: groups of tests that are skipped never clean up. */
  private get place(): { readonly root: string; readonly path: string } {
    if (this.made === undefined) {
      removeAbandoned();
      const root = realpathSync(mkdtempSync(join(homedir(), PREFIX)));
      this.made = { root, path: searchPath() };
    }
    return this.made;
  }

  /** What git says of every fresh copy of that kind. */
  firstWords(kind: ProjectKind, fresh: Scene): Promise<GitFacts> {
    const words = this.words.get(kind) ?? readGit(fresh);
    this.words.set(kind, words);
    return words;
  }

  /** A fresh copy of the project of that kind, with an index that knows the copied files. */
  async make(kind: ProjectKind, settings: object = {}): Promise<Scene> {
    const template = this.template(kind);
    this.count += 1;
    const home = join(this.place.root, `${kind}-${this.count}`);
    const scene = this.sceneAt(home, kind);
    const refresh = scene.repositories.map(name => `cd "$HOME/${name}" && git update-index -q --refresh`);
    const { relocate = "" }: Maker = MAKERS[kind];
    const script = [`cp -a "${template}" "$HOME"`, 'cd "$HOME/work"', relocate, ...refresh].join("\n");
    await runShell(script, { cwd: this.place.root, env: scene.env });
    const file = join(home, ".amplihack", "config.jsonc");
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify({ ...SETTINGS, history: { ...SETTINGS.history, ...settings } }), {
      mode: 0o600,
    });
    return scene;
  }

  private template(kind: ProjectKind): string {
    const known = this.templates.get(kind);
    if (known !== undefined) return known;
    const { script, starts }: Maker = MAKERS[kind];
    const home = join(this.place.root, `template-${kind}`);
    if (starts === undefined) makeHome(home);
    else copy(this.template(starts), home);
    const { project, env } = this.sceneAt(home, starts ?? kind);
    const made = spawnSync("bash", ["-euc", script], { cwd: project, env });
    if (made.status !== 0) throw new Error(`cannot make the project ${kind}: ${made.stderr.toString()}`);
    this.templates.set(kind, home);
    return home;
  }

  private sceneAt(home: string, kind: ProjectKind): Scene {
    const { repositories = ["work/project"], project = "project" }: Maker = MAKERS[kind];
    return {
      home,
      project: join(home, "work", project),
      elsewhere: join(home, "work", "elsewhere"),
      env: { PATH: this.place.path, HOME: home, LC_ALL: "C.UTF-8", GIT_CONFIG_NOSYSTEM: "1" },
      repositories,
    };
  }
}

/** What a run that was killed left in the home. */
function removeAbandoned(): void {
  for (const name of readdirSync(homedir()).filter(each => each.startsWith(PREFIX))) {
    const folder = join(homedir(), name);
    if (statSync(folder).mtimeMs > Date.now() - ABANDONED_MS) continue;
    execFileSync("chmod", ["-R", "u+rwX", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeHome(home: string): void {
  mkdirSync(join(home, "work", "project"), { recursive: true });
  mkdirSync(join(home, "work", "elsewhere", "deep"), { recursive: true });
  writeFileSync(join(home, ".gitconfig"), GIT_SETTINGS);
  writeFileSync(join(home, "work", "elsewhere", "report.txt"), "report\n");
  writeFileSync(join(home, "work", "elsewhere", "deep", "data.csv"), "1,2\n");
}

function copy(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

/** The search path with the real Python first: a version manager's wrapper takes longer than the command. */
function searchPath(): string {
  const path = process.env["PATH"] ?? "";
  const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return `${dirname(python.trim())}:${path}`;
}
