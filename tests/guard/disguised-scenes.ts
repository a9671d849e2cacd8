import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { placeForScenes } from "../sandbox/scene.ts";

/** Calls that look like everyday work, and what lies on the disk that makes them more. Run in a fresh project with git. */
export interface DisguisedScene {
  readonly name: string;
  /** shell text that lays it out, in the project; `$HOME` is beside it */
  readonly given?: string;
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

const HOOK = (name: string) =>
  `printf '#!/bin/sh\\ntouch ran' > .git/hooks/${name}; chmod +x .git/hooks/${name}`;
const EVIL = "a[$(touch $HOME/ran)]";

export const DISGUISED: readonly DisguisedScene[] = [
  // Text that the shell computes: a subscript in it runs commands.
  ...[
    "x=$(cat note.txt); echo $((x + 1))",
    "x=$(cat note.txt); [[ $x -gt 3 ]] && echo more",
    "read -r x < note.txt; (( x > 3 )) && echo more",
    "while read -r n; do sum=$((sum + n)); done < note.txt; echo $sum",
    "x=$(cat note.txt); list[$x]=1",
    "x=$(cat note.txt); echo ${list[$x]}",
    "x=$(cat note.txt); declare -i n=$x",
    "x=$(cat note.txt); echo ${!x}",
    'x=$(cat note.txt); printf -v "$x" 1',
    'x=$(cat note.txt); test -v "$x"',
    "x=$(cat note.txt); echo ${HOME:$x}",
    "for f in *; do echo $((f)); done",
  ].map(command => ({ name: "a computed text", given: `echo '${EVIL}' > note.txt`, command })),
  ...[
    `[[ x -eq 1 ]]`,
    `list[x]=1`,
    `list=([x]=1)`,
    `declare -n r=$x; echo $r`,
    `bash -c 'echo $(( $1 ))' _ "$x"`,
    `f() { echo $(($1 + 1)); }; f "$x"`,
    `OPTIND=$x; getopts a b`,
  ].map(rest => ({ name: "a text that is known and computed", command: `x='${EVIL}'; ${rest}` })),
  // Names of files that become code.
  ...[
    "find . -name '*.txt' -execdir bash -c 'echo {}' \\;",
    "ls | xargs -I{} sh -c 'echo {}'",
    'for f in *.txt; do bash -c "cat $f"; done',
  ].map(command => ({ name: "a name that is code", given: "touch 'x;touch ran;.txt'", command })),
  // Names of files that become options.
  ...Object.entries({
    "--checkpoint-action=exec=sh x": "tar cf x.tar *",
    "--compress-program=x": "sort *",
    "-oa.txt": "sort *",
    "-TT": "zip x.zip *",
    "-i.txt": "sed s/a/b/ *.txt",
    "-f.txt": "grep x *.txt",
    "--reference=a.txt": "chmod 644 *",
    "--target-directory=..txt": "cp *.txt sub",
    "-delete": "find * -type f",
    "--pathspec-from-file=x": "git add *",
  }).map(([file, command]) => ({ name: `a file ${file}`, given: `touch -- '${file}'`, command })),
  { name: "an option that the call makes", command: "touch -- -rf; rm *" },
  // Programs that git starts.
  {
    name: "a command for trailers",
    given: "git config trailer.sign.command 'touch ran'",
    command: "git commit --allow-empty -m x --trailer sign:a",
  },
  { name: "a signature in a format", command: "git for-each-ref --format='%(signature)'" },
  {
    name: "a command for alternates",
    given: "git config core.alternateRefsCommand 'touch ran'",
    command: "git rev-list --all --alternate-refs",
  },
  {
    name: "a command of git's tidying",
    given: "git config gc.recentObjectsHook 'touch ran'",
    command: "git commit --allow-empty -m x",
  },
  {
    name: "two sections on a line",
    given: "printf '[user][core] fsmonitor = touch ran\\n' >> .git/config",
    command: "git status",
  },
  { name: "a hook of the index", given: HOOK("post-index-change"), command: "git status" },
  { name: "a hook of the index", given: HOOK("post-index-change"), command: "git diff" },
  ...["git status", "git diff", "git add .", "git commit -m x"].map(command => ({
    name: "a repository below with a program of its own",
    given:
      "git init -q m && cd m && git config user.name x && git config user.email x@x && echo x > f && git add f && git commit -qm x && git config core.fsmonitor 'touch ran; false' && cd .. && git add m && git commit -qm m",
    command,
  })),
  {
    name: "attributes that git does not track",
    given: "git config diff.x.textconv ./x; echo '*.txt diff=x' > sub/.gitattributes",
    command: "git diff",
  },
  {
    name: "attributes in a new folder",
    given: "git config filter.x.clean ./x; mkdir -p new/in; echo '*.txt filter=x' > new/in/.gitattributes",
    command: "git add new",
  },
  { name: "an editor for a message", given: "git add .", command: "git commit --fixup=reword:HEAD" },
  ...Object.entries({
    GIT_CONFIG_COUNT: "1",
    GIT_EXTERNAL_DIFF: "./x",
    GIT_DIR: "/tmp/x",
    GIT_TRACE: "/tmp/x",
    XDG_CONFIG_HOME: "/tmp/x",
  }).map(([name, value]) => ({
    name: `${name} of the environment`,
    command: "git diff",
    env: { [name]: value },
  })),
  // What the environment of the person brings.
  { name: "options for tar", command: "tar cf x.tar sub", env: { TAR_OPTIONS: "--to-command=x" } },
  { name: "folders for cd", command: "cd sub && rm c.txt", env: { CDPATH: "/home" } },
  { name: "a function", command: "echo x", env: { "BASH_FUNC_echo%%": "() { touch ran; }" } },
  {
    name: "an alias in a file that is sourced",
    given: "echo '. ~/.aliases' >> ~/.bashrc; echo \"alias ls='touch ran'\" > ~/.aliases",
    command: "ls",
  },
  // Files that start something later, by the way they come.
  ...[
    "mv sub .husky",
    "cp -r sub .vscode",
    "cp -r x/. .",
    "mv x/.github .",
    "cp -rT x .",
    "git mv x/.github .",
    "git mv sub .husky",
    "git mv a.txt .github/workflows/ci.yml",
  ].map(command => ({
    name: "wiring that comes with a folder",
    given: "mkdir -p x/.github/workflows; touch x/.github/workflows/ci.yml; git add x; git commit -qm x",
    command,
  })),
  {
    name: "wiring that the call makes elsewhere",
    command: "mkdir -p n/x/.husky && cp a.txt n/x/.husky/pre-commit && cp -r n/x/. .",
  },
  {
    name: "wiring out of a stash",
    given: "mkdir .husky; echo x > .husky/pre-commit; git add .husky; git stash -q",
    command: "git stash pop",
  },
  // One file of two names, and what is no file.
  { name: "another name of a start-up file", given: "ln ~/.bashrc same", command: "echo x >> same" },
  { name: "another name of git's settings", given: "ln .git/config same", command: "echo x >> same" },
  { name: "a pipe", given: "mkfifo pipe", command: "echo x > pipe" },
  { name: "a pipe", given: "mkfifo pipe", command: "cat pipe" },
  { name: "an open file of somebody else", command: "cat /dev/fd/9" },
];

/** Neighbours of the same words that are everyday work. */
export const PLAIN: readonly DisguisedScene[] = [
  ...[
    "n=$(wc -l < a.txt); echo $((n + 1))",
    "s=$(date +%s); e=$(date +%s); echo $((e - s))",
    "for i in 1 2 3; do echo $((i * 2)); done",
    "for ((i = 0; i < 3; i++)); do echo $i; done",
    "a=(1 2); for i in 0 1; do echo ${a[$i]}; done",
    "find . -name '*.txt' -exec bash -c 'echo \"$1\"' _ {} \\;",
    "sort *.txt; rm *.txt",
    "git status; git diff; git add a.txt; git commit -m x",
    "git mv a.txt moved.txt; git rm -q sub/c.txt",
    "git stash",
    "mkdir -p a/b && cp a.txt a/b && cp -r a/b z",
    "cp -r sub other; mv other third",
    "cd sub && rm c.txt",
    "echo x >> a.txt",
  ].map(command => ({ name: "plain", command })),
  {
    name: "settings in their usual place",
    command: "git diff",
    env: { XDG_CONFIG_HOME: "{{HOME}}/.config" },
  },
  {
    name: "a repository below without settings",
    given:
      "git init -q m && cd m && git config user.name x && git config user.email x@x && echo x > f && git add f && git commit -qm x && cd .. && git add m && git commit -qm m",
    command: "git status",
  },
];

export const PATH = "/usr/bin:/bin";

/** The project and the home, laid out. `top` is a folder that is there. */
export function layOut({ given = "" }: DisguisedScene, top: string) {
  const [project, home] = [join(top, "project"), join(top, "home")];
  mkdirSync(join(project, "sub"), { recursive: true });
  mkdirSync(home);
  for (const [name, text] of Object.entries({ "a.txt": "a\n", "b.txt": "b\n", "sub/c.txt": "c\n" }))
    writeFileSync(join(project, name), text);
  writeFileSync(join(home, ".bashrc"), "# plain\n");
  const setup = `git init -q -b feature; git config user.name x; git config user.email x@x; git add .; git commit -qm first\n${given}`;
  spawnSync("bash", ["-c", setup], { cwd: project, env: { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" } });
  return { project, home };
}

/** A real hook program in a real scene: it answers the plain ones for the person, and none of the others. */
export function answersOnly(argv: readonly string[]): void {
  const top = realpathSync(mkdtempSync(join(placeForScenes(), "disguised-")));
  const [program = "", ...words] = argv;
  const answered = (scene: DisguisedScene, at: number) => {
    const { project, home } = layOut(scene, mkdirIn(top, String(at)));
    mkdirSync(join(home, ".amplihack"));
    writeFileSync(join(home, ".amplihack/config.jsonc"), '{ "autonomy": "understood" }');
    const env = Object.entries(scene.env ?? {}).map(([name, value]) => [
      name,
      value.replace("{{HOME}}", home),
    ]);
    const payload = {
      session_id: "s",
      cwd: project,
      hook_event_name: "PreToolUse",
      permission_mode: "default",
      tool_name: "Bash",
      tool_input: { command: scene.command },
    };
    const { stdout } = spawnSync(program, [...words, "pre-tool-use"], {
      cwd: project,
      env: { PATH, HOME: home, ...Object.fromEntries(env) },
      input: JSON.stringify(payload),
      encoding: "utf8",
    });
    return JSON.parse(stdout).hookSpecificOutput?.permissionDecision === "allow";
  };
  const shown = ({ name, command }: DisguisedScene) => `${name}: ${command}`;
  const yes = [...DISGUISED, ...PLAIN].filter(answered).map(shown);
  rmSync(top, { recursive: true, force: true });
  expect(yes).toEqual(PLAIN.map(shown));
}

function mkdirIn(top: string, name: string): string {
  const folder = join(top, name);
  mkdirSync(folder);
  return folder;
}
