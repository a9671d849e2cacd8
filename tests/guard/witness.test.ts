import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { PLAIN_PYTHON } from "../../src/code/plain/python.ts";
import { isUnderstood, judgeCommand } from "../../src/exports/guard.ts";
import { allPrograms, findProgram } from "../../src/programs/model/registry.ts";
import ownCommands from "../../src/programs/records/own-commands.json" with { type: "json" };
import { words } from "../../src/shell/options.ts";
import { createNodeSystem } from "../../src/system/node.ts";

// What the kernel saw of commands that are called understood, against what their footprint says. The commands are made of
// the options of the records themselves, so that a record which calls itself complete and is not is found.

const PATH = "/usr/bin:/bin";
const COUNT = Number(process.env["WITNESSED"] ?? 200);
/** Another seed makes other commands: the whole can be run in turns. */
const SEED = Number(process.env["WITNESS_SEED"] ?? 7);
const HAS_STRACE = spawnSync("strace", ["-f", "true"]).status === 0;

/** Repeatable: the same commands in every run. */
function makeRandom(seed: number): (limit: number) => number {
  let state = seed;
  return limit => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const FILES = ["a.txt", "b.txt", "sub/c.txt", "new.txt", "sub", "sub/new", "*.txt", "data.json", "copy"];
const VALUES = ["1", "2", ",", "a.txt", "x", "always", "never", "b", "+1", "sub", "name", "%s"];
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  sed: [
    "'s/a/b/'",
    "'1,2p'",
    "'/x/d'",
    "'s|a|w|g'",
    "'y/ab/ba/'",
    "'2q'",
    "'a\\ text'",
    "'s/a/b/w out'",
    "'w out'",
    "'1e touch out'",
  ],
  awk: [
    "'{print $1}'",
    "'NR>1'",
    "'END{print NR}'",
    "'{print > \"out\"}'",
    "'{print | \"cat\"}'",
    "'BEGIN{system(\"touch out\")}'",
  ],
  jq: [".", "'.a'", "'keys'", "'env'", "'.. | numbers'"],
  find: [
    ". -name '*.txt'",
    "sub -type f -print0",
    ". -newer a.txt -ls",
    ". -fprint out",
    ". -name c.txt -exec cat {} +",
    ". -maxdepth 1 -size +0",
  ],
  grep: ["a", "-r a", "'a.*b' -n"],
  tar: [
    "-cf new.tar",
    "-czf sub/new.tgz",
    "tzf old.tgz",
    "-xf old.tar",
    "xzf old.tgz -C sub",
    "cJf new.txz --exclude=*.txt",
    "cjf old.tar",
  ],
  zip: ["-r new.zip", "-q new.zip", "new", "-u old.zip", "-rj old.zip"],
  unzip: ["old.zip", "-o old.zip", "-l old.zip", "-n old.zip -d sub/deep", "-qo old.zip -d sub"],
  gzip: ["-k a.txt", "-d old.gz", "b.txt", "-d old.tgz", "-f old.gz"],
  gunzip: ["old.gz", "-k old.gz", "old.tgz", "old"],
  patch: [
    "-p1 < fix.patch",
    "-p0 -i plain.patch",
    "-p1 -i fix.patch",
    "-p1 --dry-run < fix.patch",
    "-p1 -R < fix.patch",
  ],
  ln: ["-s a.txt link", "-sf b.txt copy", "a.txt hard"],
  truncate: ["-s 3", "-s +2"],
  timeout: ["5 cat", "5 rm -f", "2 touch new.txt"],
  nice: ["ls", "-n 5 cp a.txt b.txt"],
  dd: ["if=a.txt of=new.txt", "if=a.txt bs=1 count=2", "of=b.txt if=a.txt conv=notrunc"],
  expr: ["1 + 2", "length abc"],
  hostname: ["", "-s"],
  tr: ["a b", "-d a", "-s a"],
  chmod: ["644", "u+x", "go-w"],
  git: [
    "status",
    "log --oneline",
    "diff",
    "add a.txt",
    "commit -m x",
    "show HEAD",
    "branch new",
    "stash",
    "stash pop",
    "checkout -b other",
    "rm --cached b.txt",
    "mv a.txt moved.txt",
    "restore a.txt",
    "tag v1",
    "ls-files",
    "blame a.txt",
    "reset",
    "cherry-pick HEAD",
    "switch -c third",
    "rev-parse HEAD",
    "describe --always",
    "stash list",
    "clean -nd",
    "config user.name",
    "config user.name x",
    "config --local core.quotepath false",
    "config core.fsmonitor ./run",
    "commit -F - < a.txt",
    "checkout -- a.txt",
    "checkout other",
    "rebase HEAD~0",
  ],
};
const GROUPS = [
  "ls",
  "cat",
  "rm",
  "cp",
  "mv",
  "mkdir",
  "touch",
  "sort",
  "sed",
  "git",
  "find",
  "tee",
  "uniq",
  "rmdir",
  "chmod",
];

/** Programs whose work lies in archives and patches, which are made for the scene. */
const PACKED = words("tar zip unzip gzip gunzip zcat bzip2 bunzip2 xz unxz patch");

/** What `find` and `grep` look for, and what is done with what they find. */
const TESTS = [
  "-name '*.txt'",
  "-type f",
  "-type d",
  "-newer a.txt",
  "-size -9k",
  "-maxdepth 2",
  "-mindepth 1",
  "! -name b.txt",
  "-not -path './.git/*'",
  "-path './sub/*'",
  "-regex '.*c.*'",
  "-empty",
  "-mtime -1",
  "-perm -u+r",
  "-prune -o",
];
const ACTIONS = [
  "",
  "",
  "-print",
  "-print0",
  "-ls",
  "-printf '%p\\n'",
  "-quit",
  "-delete",
  "-exec cat {} +",
  "-exec wc -l {} \\;",
  "-exec sed -i s/a/z/ {} +",
  "-exec rm {} +",
  "-exec mv {} sub \\;",
  "-exec touch {} +",
  "-execdir cat {} \\;",
  "-fprint found",
  "-ok rm {} \\;",
];
const HANDED = [
  "cat",
  "wc -l",
  "sed -i s/a/z/",
  "rm",
  "rm -f",
  "touch",
  "grep -n a",
  "head -1",
  "cp -t sub",
  "-I{} cp {} {}.bak",
  "-n 1 echo",
  "ls -la",
];

/** Each of these is to be among the commands that were run. */
const KINDS = /(?:^|(?<=\| ))(?:find|grep|patch|python3|tar|unzip|xargs|zip)(?= )/g;

function makeSearch(pick: <Item>(list: readonly Item[]) => Item, random: (limit: number) => number): string {
  const start = pick([".", "sub", "sub .", "./sub"]);
  const tests = Array.from({ length: random(4) }, () => pick(TESTS)).join(" ");
  if (random(3) === 0)
    return `grep -rl ${pick(["a", "-i x", "-E 'a|b'"])} ${start}${pick(["", " --include=*.txt"])}${pick(["", " | sort", " | head -2"])} | xargs ${pick(HANDED)}`;
  if (random(3) === 0) return `find ${start} ${tests} -print0 | xargs -0 ${pick(HANDED)}`;
  return `find ${start} ${tests} ${pick(ACTIONS)}`;
}

/** A short program of the words that are plain, most of which mean nothing; what it does before it fails counts. */
function makePython(pick: <Item>(list: readonly Item[]) => Item, random: (limit: number) => number): string {
  const [builtins, methods] = [words(PLAIN_PYTHON.builtins), words(PLAIN_PYTHON.methods)];
  const modules = Object.entries(PLAIN_PYTHON.modules).map(([name, members]) => ({
    name,
    members: words(members),
  }));
  const file = () => `"${pick(FILES.filter(name => !name.includes("*")))}"`;
  const argument = () =>
    pick([
      ...[file(), file(), "1", "x", "f", "[1, 2]", '"a b"', "print", "str", "lambda v: v", "{}", "x.split()"],
      ...[`open(${file()})`, `open(${file()}, "w")`, `Path(${file()})`, "sys.stdout", 'b"a"', "None"],
    ]);
  const given = () => Array.from({ length: random(3) }, argument).join(", ");
  const used = modules.filter(() => random(4) === 0);
  const statement = (): string => {
    const module = pick(used.length > 0 ? used : modules.slice(0, 1));
    return pick([
      () => `x = ${module.name}.${pick(module.members)}(${given()})`,
      () => `print(${module.name}.${pick(module.members)}(${given()}).${pick(methods)}(${given()}))`,
      () => `x = open(${file()}).read()`,
      () =>
        `with open(${file()}, "${pick(["r", "w", "a", "r+", "x", "wb"])}") as f: f.${pick(methods)}(${given()})`,
      () => `p = Path(${file()}); p.${pick(methods)}(${given()})`,
      () => `Path(${file()}).write_text(Path(${file()}).read_text().replace("a", "b"))`,
      () => `x = ${pick(builtins.filter(name => name !== "quit" && name !== "exit"))}(${given()})`,
      () => `x.${pick(methods)}(${given()})`,
      () => `for line in open(${file()}): print(line.${pick(methods)}(${given()}))`,
      () => `json.dump(${argument()}, open(${file()}, "w"))`,
    ])();
  };
  // Each statement runs, whatever became of those before it.
  const tried = Array.from({ length: 1 + random(4) }, () => `try:\n  ${statement()}\nexcept Exception: pass`);
  const imports = [
    `import json, sys${used.map(({ name }) => `, ${name}`).join("")}`,
    "from pathlib import Path",
    'x = "a b"',
    "f = sys.stdout",
  ];
  const code = [...imports, ...tried].join("\n");
  return pick([
    `python3 - <<'END'\n${code}\nEND`,
    `cat a.txt | python3 -c '${code}'`,
    `python3 -c '${code}' a.txt`,
  ]);
}

/** Programs that a record names as started by itself; git has its own beside it. */
function startedWith(name: string): readonly string[] {
  const complete = findProgram(name)?.complete;
  return typeof complete === "object" ? words(complete.starts ?? "") : [];
}

interface Candidate {
  readonly name: string;
  readonly flags: readonly string[];
  readonly values: readonly string[];
}

const candidates: readonly Candidate[] = allPrograms()
  .filter(({ complete }) => complete !== undefined)
  .flatMap(record => {
    const names = words(
      (typeof record.complete === "object" ? record.complete.names : undefined) ?? record.names,
    );
    const { flags = "", values = "", optional = "" } = record.options ?? {};
    return names.map(name => ({ name, flags: spelt(flags), values: [...spelt(values), ...spelt(optional)] }));
  })
  .filter(({ name }) => !["bash", "sh", "dash", "sleep", "xargs"].includes(name))
  .filter(({ name }) => spawnSync("which", [name], { env: { PATH } }).status === 0);

function spelt(list: string): readonly string[] {
  return words(list).flatMap(token =>
    token.startsWith("-")
      ? [...token.slice(1)].map(letter => `-${letter}`)
      : token
          .replace(/=.*/, "")
          .split("|")
          .map(name => (name.length === 1 ? `-${name}` : `--${name}`)),
  );
}

function makeCommand(random: (limit: number) => number): string {
  const pick = <Item>(list: readonly Item[]): Item => list[random(list.length)] as Item;
  const kind = random(8);
  if (kind === 0) return makePython(pick, random);
  if (kind === 1) return makeSearch(pick, random);
  if (kind === 2 && random(4) === 0) return `patch ${pick(SCRIPTS["patch"] ?? [])}`;
  const group = kind === 2 ? PACKED : kind < 5 ? GROUPS : undefined;
  const wanted = candidates.filter(({ name }) => group === undefined || group.includes(name));
  const { name, flags, values } = pick(wanted);
  const parts: string[] = [name];
  const script = SCRIPTS[name];
  if (name === "git" || name === "find") return [name, pick(script ?? [""])].join(" ");
  for (let count = random(4); count > 0; count -= 1)
    if (flags.length > 0 && random(3) > 0) parts.push(pick(flags));
    else if (values.length > 0) {
      const option = pick(values);
      parts.push(
        option.startsWith("--")
          ? `${option}=${pick(VALUES)}`
          : `${option}${random(2) === 0 ? "" : " "}${pick(VALUES)}`,
      );
    }
  if (script !== undefined) parts.push(pick(script));
  for (let count = random(4); count > 0; count -= 1) parts.push(pick(FILES));
  const end = ["", "", "", " > out.txt", " | head -3", " && ls", " 2>/dev/null"];
  return parts.join(" ") + pick(end);
}

interface Scene {
  readonly project: string;
  readonly home: string;
  readonly top: string;
}

function placesIn(top: string): Scene {
  return { top, project: join(top, "project"), home: join(top, "home") };
}

/** The same again, as a copy. */
function copyScene({ top: from }: Scene): Scene {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "witness-")));
  cpSync(from, top, { recursive: true, preserveTimestamps: true });
  return placesIn(top);
}

function makeScene(): Scene {
  const scene = placesIn(realpathSync(mkdtempSync(join(tmpdir(), "witness-"))));
  const { project, home } = scene;
  mkdirSync(join(project, "sub"), { recursive: true });
  mkdirSync(home);
  for (const [name, content] of Object.entries({
    "a.txt": "a b\nx y\n",
    "b.txt": "b\n",
    "sub/c.txt": "c a\n",
    "data.json": '{"a":1}\n',
    ".gitignore": "*.log\n",
    "sub/kept.log": "a\n",
  }))
    writeFileSync(join(project, name), content);
  const git = (...argv: string[]) =>
    spawnSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...argv], {
      cwd: project,
      env: envOf(home),
    });
  for (const made of [
    "tar czf old.tgz a.txt sub",
    "tar cf old.tar a.txt sub",
    "zip -qr old.zip a.txt sub",
    "gzip -c b.txt > old.gz",
    "sed 's/x y/x z/' a.txt > other; diff -u --label a.txt --label a.txt a.txt other > plain.patch; rm other",
    "sed 's|^--- a|--- a/a|; s|^+++ a|+++ b/a|' plain.patch > fix.patch",
    "printf -- '--- /dev/null\\n+++ b/sub/added.txt\\n@@ -0,0 +1 @@\\n+new\\n' >> fix.patch",
  ])
    spawnSync("bash", ["-c", made], { cwd: project, env: envOf(home) });
  git("init", "-q", "-b", "feature");
  git("config", "user.name", "x");
  git("config", "user.email", "x@x");
  git("add", ".");
  git("commit", "-qm", "first");
  writeFileSync(join(project, "a.txt"), "a b\nx y\nmore\n");
  return scene;
}

function envOf(home: string): NodeJS.ProcessEnv {
  return { PATH, HOME: home, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" };
}

const CALLS =
  "openat,openat2,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,mknod,mknodat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmodat,chown,lchown,fchownat,truncate,utime,utimes,futimesat,utimensat,connect,sendto,sendmsg,sendmmsg,bind,chdir,fchdir,clone,clone3,fork,vfork,execve";

/** Something that the kernel saw: a connection, a program that began, or a path that was changed or opened to be. */
interface Sight {
  readonly text: string;
  readonly isConnection: boolean;
  readonly isProgram: boolean;
  /** made new, by a name that nobody else has */
  readonly isOwn: boolean;
  /** made by mktemp itself, as the folder or file that it is for */
  readonly isMktemp: boolean;
}

/** One line for each call: strace tells a call in two where another process comes in between. */
function wholeCalls(trace: string): readonly string[] {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap(line => {
    const [, pid = "", start] = /^(\d+) +(.*) <unfinished \.\.\.>$/.exec(line) ?? [];
    if (start !== undefined) {
      begun.set(pid, start);
      return [];
    }
    const [, of = "", rest] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    return rest === undefined ? [line] : [`${of} ${begun.get(of) ?? ""}${rest}`];
  });
}

/** Relative paths count from where each process is: `mkdir -p` goes into the folders that it makes. */
function witnessed(trace: string, start: string): readonly Sight[] {
  const places = new Map<string, string>();
  const programs = new Map<string, string>();
  const sights: Sight[] = [];
  for (const line of wholeCalls(trace)) {
    const [, pid = "", call = "", given = "", result = ""] =
      /^(?:\[pid +)?(\d+)\]? +(\w+)\((.*)\)\s+= (-?\d+)/.exec(line) ?? [];
    // What failed changed nothing; who tried to connect to another machine did not find out first.
    if (call === "" || (result.startsWith("-1") && !/^connect|AF_INET/.test(`${call}${given}`))) continue;
    if (result.startsWith("-1") && !/AF_INET/.test(given)) continue;
    const at = places.get(pid) ?? start;
    if (call === "execve") {
      const text = /^"(?:[^"]*\/)?([^"/]+)"/.exec(given)?.[1] ?? "";
      programs.set(pid, text);
      sights.push({ text, isConnection: false, isProgram: true, isOwn: false, isMktemp: false });
    } else if (/^(?:v?fork|clone3?)$/.test(call)) {
      places.set(result, at);
      programs.set(result, programs.get(pid) ?? "");
    } else if (/^f?chdir$/.test(call)) {
      const [, folder = "", path = ""] = /^\d+<([^>]*)>|^"((?:\\.|[^"\\])*)"/.exec(given) ?? [];
      places.set(pid, folder === "" ? resolve(at, path) : folder);
    } else if (/^(?:connect|send\w+|bind)$/.test(call)) {
      if (/AF_(?:INET6?|UNIX)/.test(given))
        sights.push({
          text: `${call} ${given}`,
          isConnection: true,
          isProgram: false,
          isOwn: false,
          isMktemp: false,
        });
    } else if (!/^open/.test(call) || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/.test(given)) {
      // What a symbolic link says is no path that is touched.
      const touched = /^symlink/.test(call) ? given.replace(/^"(?:\\.|[^"\\])*"/, "") : given;
      for (const [, folder = "", path = ""] of touched.matchAll(/(?:\w+<([^>]*)>, )?"((?:\\.|[^"\\])*)"/g)) {
        const text = resolve(folder === "" ? at : folder, path);
        const isOwn = /O_CREAT\|O_EXCL|O_TMPFILE/.test(given);
        // A folder can be made only where nothing is, and mktemp closes it to everybody else.
        const isMade = isOwn || (/^mkdir/.test(call) && /, 0700$/.test(given));
        const isMktemp = isMade && programs.get(pid) === "mktemp";
        sights.push({ text, isConnection: false, isProgram: false, isOwn, isMktemp });
      }
    }
  }
  return sights;
}

describe.skipIf(!HAS_STRACE)("commands that are called understood, as the kernel sees them", () => {
  it(`change nothing beyond their footprint and connect to nothing: ${COUNT} of them`, () => {
    const random = makeRandom(SEED);
    const system = createNodeSystem();
    const wrong: string[] = [];
    let seen = 0;
    const kinds = new Map<string, number>();
    const first = makeScene();
    let scene = copyScene(first);
    for (let tries = 0; seen < COUNT && tries < COUNT * 40; tries += 1) {
      const command = makeCommand(random);
      const { project, home, top } = scene;
      const judgement = judgeCommand(command, {
        cwd: project,
        home,
        system,
        searchPath: PATH,
        tmpdir: "/tmp",
      });
      if (!isUnderstood(judgement)) continue;
      seen += 1;
      for (const [kind] of command.matchAll(KINDS)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const { targets, repositories, unknownIn } = judgement.footprint();
      const log = join(top, "trace");
      spawnSync(
        "strace",
        [
          "-f",
          "-y",
          "-qq",
          "-s",
          "4096",
          "-e",
          `trace=${CALLS}`,
          "-o",
          log,
          "timeout",
          "5",
          "bash",
          "-c",
          command,
        ],
        {
          cwd: project,
          env: envOf(home),
          stdio: ["ignore", "ignore", "ignore"],
        },
      );
      const trace = existsSync(log)
        ? spawnSync("cat", [log], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout
        : "";
      const seenCalls = witnessed(trace, project);
      const own = new Set(seenCalls.filter(({ isOwn }) => isOwn).map(({ text }) => text));
      const temporary = new Set(seenCalls.filter(({ isMktemp }) => isMktemp).map(({ text }) => text));
      const isExpected = (at: string): boolean => {
        // Git notes the times of files in its index when it looks at them.
        if (at.startsWith(`${project}/.git/index`) && command.startsWith("git ")) return true;
        // A file of the program's own, in the temporary folder or beside what it changes, that is gone when it ends.
        const isBeside = targets.some(target => dirname(target.path) === dirname(at));
        if ((isBeside || dirname(at) === "/tmp") && own.has(at) && !existsSync(at)) return true;
        // What mktemp is for: a new name in the temporary folder, under which nothing can be lost.
        if (dirname(at) === "/tmp" && temporary.has(at)) return true;
        if (/^\/dev\/(?:null|tty|stdout|stderr)$/.test(at)) return true;
        // Of a repository everything is kept but what it ignores.
        if (
          !at.endsWith(".log") &&
          repositories.some(({ top: tree, gitDirectory }) =>
            [tree ?? gitDirectory, gitDirectory].some(one => at === one || at.startsWith(`${one}/`)),
          )
        )
          return true;
        // Names that come out of a search: all of the project is kept but what git ignores and what is git's own.
        const isKept =
          at.startsWith(`${project}/`) && !at.startsWith(`${project}/.git/`) && !at.endsWith(".log");
        if (isKept && unknownIn.some(folder => at.startsWith(`${folder}/`))) return true;
        return targets.some(
          target => at === target.path || (target.isTree && at.startsWith(`${target.path}/`)),
        );
      };
      // What is plainly harmless is not taken apart: its programs stand where commands begin.
      const begun = [...command.matchAll(/(?:^|[|;&(]\s*)([\w.-]+)/g)].map(([, name = ""]) => name);
      const named = [...begun, ...judgement.explain().map(({ argv: [name = ""] }) => basename(name))];
      const started = new Set([...named, ...named.flatMap(startedWith), "timeout", "bash"]);
      const outside = seenCalls.filter(
        ({ text, isConnection, isProgram }) =>
          isConnection || (isProgram ? !started.has(text) : !isExpected(text)),
      );
      if (outside.length > 0)
        wrong.push(
          `${command}: ${outside
            .map(({ text }) => text)
            .slice(0, 4)
            .join(", ")}`,
        );
      if (seenCalls.length > 0) {
        rmSync(top, { recursive: true, force: true });
        scene = copyScene(first);
      }
    }
    for (const { top } of [scene, first]) rmSync(top, { recursive: true, force: true });
    if (process.env["WITNESSED"] !== undefined) console.log(kinds);
    expect(wrong).toEqual([]);
    expect(seen).toBe(COUNT);
    // Archives are rare among the commands: a short run may have none of one kind.
    const rare = COUNT < 1_000 ? ["tar", "unzip", "zip"] : [];
    const wanted = "find grep patch python3 tar unzip xargs zip"
      .split(" ")
      .filter(kind => !rare.includes(kind));
    expect([...kinds.keys()]).toEqual(expect.arrayContaining(wanted));
  }, 3_600_000);
});

const CLI = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
/** With the fewest words; what they are about need not be there. */
const OWN = Object.entries(ownCommands as Readonly<Record<string, { readonly looks?: readonly string[] }>>)
  .filter(([, { looks }]) => looks !== undefined)
  .map(([name]) => (/^(?:undo|redo)$/.test(name) ? `${name} --dry-run` : name));
const WORDS: Readonly<Record<string, string>> = {
  "guard test": " 'rm -rf ~'",
  "guard explain": " ls",
  "guard why": " fs.home",
  "guard argv": " ls",
};

describe.skipIf(!HAS_STRACE || process.env["WITNESSED"] === undefined || !existsSync(CLI))(
  "commands of amplihack that only show",
  () => {
    it.each(OWN)("change nothing and connect to nothing: %s", name => {
      const { top, project, home } = makeScene();
      const log = join(top, "trace");
      const command = `${process.execPath} ${CLI} ${name}${WORDS[name] ?? ""}`;
      const argv = [
        "-f",
        "-y",
        "-qq",
        "-s",
        "4096",
        "-e",
        `trace=${CALLS}`,
        "-o",
        log,
        "bash",
        "-c",
        command,
      ];
      spawnSync("strace", argv, { cwd: project, env: envOf(home), stdio: "ignore" });
      const trace = readFileSync(log, "utf8");
      rmSync(top, { recursive: true, force: true });
      const [shell, own, ...seen] = witnessed(trace, project).map(({ text }) => text);
      expect([shell, own]).toEqual(["bash", basename(process.execPath)]);
      expect(
        seen.filter(
          at => !/^\/dev\/(?:null|tty)$|^\/proc\//.test(at) && !at.startsWith(join(home, ".amplihack")),
        ),
      ).toEqual([]);
    });
  },
);
