import { readFileSync } from "node:fs";
import { BUILT_IN, type GuardSettings } from "../../src/config/settings.ts";
import { type Judgement, judgeCommand } from "../../src/exports/guard.ts";
import type { GuardContext } from "../../src/guard/judgement.ts";
import { createMemorySystem, type MemorySystem, type SeedEntry } from "../../src/system/memory.ts";

export const HOME = "/home/user";
export const PROJECT = "/home/user/project";
const SHA = "1234567890123456789012345678901234567890\n";

const REMOTE = '[remote "origin"]\n\turl = https://github.com/acme/project.git\n';

/** A developer's machine: a project on a feature branch, a repository on main beside it, secrets at home. */
const FILES: Readonly<Record<string, SeedEntry>> = {
  [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/feature/x\n",
  [`${PROJECT}/.git/refs/heads/main`]: SHA,
  [`${PROJECT}/.git/refs/heads/feature/x`]: SHA,
  [`${PROJECT}/.git/config`]: `[core]\n\tbare = false\n[alias]\n\tst = status\n\tnuke = reset --hard\n\twipe = !rm -rf src\n${REMOTE}`,
  [`${PROJECT}/.git/objects/aa/bb`]: "x",
  [`${PROJECT}/.gitignore`]: "node_modules/\ndist/\n*.log\n/generated-reports/\n.env\nlocal-data/\n",
  [`${PROJECT}/package.json`]: "{}\n",
  [`${PROJECT}/README.md`]: "# project\n",
  [`${PROJECT}/.env.example`]: "TOKEN=\n",
  [`${PROJECT}/file.txt`]: "\n",
  [`${PROJECT}/notes.txt`]: "\n",
  [`${PROJECT}/notes.md`]: "\n",
  [`${PROJECT}/src/index.ts`]: "export {};\n",
  [`${PROJECT}/src/guard/judge.ts`]: "export {};\n",
  [`${PROJECT}/tests/a.test.ts`]: "\n",
  [`${PROJECT}/dist/index.js`]: "\n",
  [`${PROJECT}/build/out.o`]: "\n",
  [`${PROJECT}/node_modules/left-pad/index.js`]: "\n",
  [`${PROJECT}/secret-link`]: { kind: "symlink", target: ".env" },
  [`${PROJECT}/home-link`]: { kind: "symlink", target: HOME },
  [`${PROJECT}/frontend/package.json`]: "{}\n",
  [`${PROJECT}/docs/index.md`]: "\n",
  [`${HOME}/other/.git/HEAD`]: "ref: refs/heads/main\n",
  [`${HOME}/other/.git/refs/heads/main`]: SHA,
  [`${HOME}/other/.git/config`]: REMOTE,
  [`${HOME}/fresh/.git/HEAD`]: "ref: refs/heads/main\n",
  [`${HOME}/Documents/taxes.pdf`]: "x",
  [`${HOME}/.ssh/id_ed25519`]: "key",
  [`${HOME}/.ssh/id_rsa`]: "key",
  [`${HOME}/.ssh/config`]: "Host *\n",
  [`${HOME}/.aws/credentials`]: "key",
  [`${HOME}/.bashrc`]: "\n",
  ...filled(
    HOME,
    "other/lib other/src/x other/data work/client Documents/work/2023 Dokumente/ünï .bash_history",
  ),
  ...filled(
    PROJECT,
    "packages/a/scratch mine scratch migrations generated artefacts legacy-out legacy-out2 docs/legacy-out bin obj src/x x",
  ),
  ...filled(
    "",
    `x/x q opt/app/data mnt/backup mnt/d/backup mnt/x/y mnt/data/x Volumes/Backup media/usb/photos srv/www/site srv/app srv/x
    data/uploads data/archive data/old data/shared data/site data/x home/elsewhere/data workspace/other/src scratch/me/x
    scratch/you/x home/me/project`,
  ),
  "/tmp/scratch/.git/HEAD": "ref: refs/heads/main\n",
  "/tmp/scratch/file": "x",
  "/etc/passwd": "root:x:0:0\n",
};

/** A file in each of the directories: what commands of the corpora delete is there to be lost. */
function filled(base: string, directories: string): Readonly<Record<string, SeedEntry>> {
  const paths = directories.split(/\s+/);
  return Object.fromEntries(paths.map(path => [`${base}/${path}/notes.md`, "work\n"]));
}

export function machine(files: Readonly<Record<string, SeedEntry>> = {}): MemorySystem {
  return createMemorySystem({ files: { ...FILES, ...files }, env: { HOME }, cwd: PROJECT });
}

const shared = machine();

export function contextFor(options: Partial<GuardContext> = {}): GuardContext {
  return { cwd: PROJECT, home: HOME, user: "user", tmpdir: "/tmp", system: shared, ...options };
}

export function settings(change: Partial<GuardSettings>): GuardSettings {
  return { ...BUILT_IN.guard, ...change };
}

export function judge(command: string, options: Partial<GuardContext> = {}): Judgement {
  return judgeCommand(command, contextFor(options));
}

export function rulesOf(command: string, options: Partial<GuardContext> = {}): readonly string[] {
  return judge(command, options).findings.map(finding => finding.rule);
}

/** `command` one per line; `#` starts a comment; `⏎` stands for a line break. */
export function readCorpus(name: string): readonly string[] {
  return readFileSync(new URL(`./corpus/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter(line => line.trim() !== "" && !line.startsWith("#"))
    .map(line => line.replaceAll("⏎", "\n"));
}

/** An index of git, version 2, in which nothing but the names is true. */
export function makeIndex(names: readonly string[]): Uint8Array {
  const entries = names.map(name => {
    const length = 62 + name.length;
    const bytes = new Uint8Array((length + 8) & ~7);
    new DataView(bytes.buffer).setUint16(60, name.length);
    bytes.set(new TextEncoder().encode(name), 62);
    return bytes;
  });
  const header = new Uint8Array(12);
  header.set(new TextEncoder().encode("DIRC"));
  new DataView(header.buffer).setUint32(4, 2);
  new DataView(header.buffer).setUint32(8, names.length);
  return Uint8Array.from([...header, ...entries.flatMap(entry => [...entry])]);
}
