import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BUILT_IN, type HistorySettings } from "../../src/config/settings.ts";
import type { Footprint, FootprintTarget } from "../../src/guard/footprint.ts";
import { NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { beginCall } from "../../src/history/begin.ts";
import { completeChange } from "../../src/history/complete.ts";
import { type HistoryContext, openContext } from "../../src/history/context.ts";
import { type History, openHistory } from "../../src/history/index.ts";
import { callKey, findOpen } from "../../src/history/open-changes.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { System } from "../../src/system/system.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** A project on the real disk with a history of its own. Nothing here depends on how fast the machine is. */
export interface TestProject {
  readonly home: string;
  readonly root: string;
  readonly context: HistoryContext;
  readonly history: History;
  write(files: Readonly<Record<string, string>>): void;
  read(path: string): string;
  git(...args: string[]): string;
  shell(command: string): void;
  /** Runs a command between the two hooks. Returns the id of the change, or undefined. */
  call(command: string, footprint: Partial<Footprint>, session?: string): Promise<string | undefined>;
  begin(command: string, footprint: Partial<Footprint>, session?: string): ReturnType<typeof beginCall>;
  end(command: string, session?: string): Promise<string | undefined>;
  undo(id?: string, options?: { force?: boolean; paths?: readonly string[] }): Promise<string | undefined>;
  redo(id?: string): Promise<string | undefined>;
  /** every path below the root with kind, mode and content; and what git says */
  state(): Readonly<Record<string, string>>;
  target(path: string, how?: FootprintTarget["how"], isTree?: boolean): FootprintTarget;
}

export const AMPLE: HistorySettings = { ...BUILT_IN.history, budgetMs: 60_000 };

export function testProject(settings: HistorySettings = AMPLE): TestProject {
  const home = temporaryDirectory();
  const root = join(home, "project");
  mkdirSync(root);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@example.test",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@example.test",
  };
  const system = nodeSystem(env, root);
  const places = { project: root, home, stateHome: join(home, ".amplihack"), temps: [], regenerable: [] };
  const context = openContext(system, places, settings);
  const history = openHistory(system, places, settings);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
      cwd: root,
      env,
      stdio: "pipe",
    }).toString();
  const project: TestProject = {
    home,
    root,
    context,
    history,
    git,
    write(files) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
    },
    read: path => readFileSync(join(root, path), "utf8"),
    shell(command) {
      spawnSync("bash", ["-c", command], { cwd: root, env, stdio: "ignore" });
    },
    target: (path, how = "delete", isTree = false) => ({ path: join(root, path), how, isTree }),
    begin: (command, footprint, session = "s1") =>
      beginCall(context, requestOf(command, session), { ...NO_FOOTPRINT, ...footprint }),
    async end(command, session = "s1") {
      const key = callKey(context.store, undefined, "Bash", command);
      const [open] = findOpen(context.store, session, key);
      return open === undefined ? undefined : (await completeChange(context, open))?.id;
    },
    async call(command, footprint, session) {
      await project.begin(command, footprint, session);
      project.shell(command);
      return project.end(command, session);
    },
    async undo(id, { force = false, paths } = {}) {
      const given = paths === undefined ? {} : { paths: paths.map(path => join(root, path)) };
      const selection =
        id === undefined ? ({ kind: "newest" } as const) : ({ kind: "ids", ids: [id] } as const);
      const plan = await history.planUndo({ ...selection, ...given });
      return (await history.applyUndo(plan, { force })).id;
    },
    async redo(id) {
      return (await history.applyUndo(await history.planRedo(id))).id;
    },
    state: () => ({ ...treeState(root), ...gitState(git) }),
  };
  return project;
}

function requestOf(command: string, session: string) {
  return {
    host: "claude-code",
    session,
    tool: "Bash",
    toolUseId: undefined,
    command,
    verdict: "allow",
    rules: [],
  };
}

function nodeSystem(env: Readonly<Record<string, string>>, cwd: string): System {
  const system = createNodeSystem();
  return {
    ...system,
    env: { get: name => env[name], names: () => Object.keys(env) },
    files: Object.assign(Object.create(system.files), { workingDirectory: () => cwd }),
  };
}

/** Path by path: kind, mode and content. The files of git are not compared byte for byte, those of hooks not at all. */
export function treeState(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, below))) {
    if (name === ".git" || name === ".claude") continue;
    const path = join(below, name);
    const facts = lstatSync(join(root, path));
    const mode = (facts.mode & 0o7777).toString(8);
    if (facts.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
    else if (facts.isDirectory())
      Object.assign(found, { [path]: `directory ${mode}` }, treeState(root, path));
    else if (!facts.isFile()) found[path] = `other ${mode}`;
    else found[path] = `file ${mode} ${readFileSync(join(root, path)).toString("base64")}`;
  }
  return found;
}

function gitState(git: (...args: string[]) => string): Record<string, string> {
  const ask = (...args: string[]) => {
    try {
      return git(...args);
    } catch {
      return "failed";
    }
  };
  return {
    "git status": ask("status", "--porcelain=v2", "--branch"),
    "git stash list": ask("stash", "list"),
    "git for-each-ref": ask("for-each-ref"),
  };
}
