import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { type Change, filteredPaths, runGit } from "../../history/index.ts";
import {
  errorText,
  type Json,
  listAt,
  memberAt,
  parseJsonObject,
  StrictMembers,
  stringAt,
} from "../../protocol/index.ts";
import { AtomicJsonFile, hasEnded, Problem, removeIfThere } from "../../state/index.ts";
import { isInside, join, type ProcessIdentity, type System } from "../../system/index.ts";
import { isDirectory } from "../find/find-recipe.ts";
import { findRun, type RunState } from "../logs/run-records.ts";
import { inheritedEnvironment, sessionLimits } from "../run/base-environment.ts";
import type { Interruption } from "../run/interruption.ts";
import { stateDirectory } from "../run/run-request.ts";
import { slugify } from "./workstreams.ts";
import { findTop, GIT_MS, openWorktree, repositoryDirectory, worktreeDirectory } from "./worktrees.ts";

/** `not-started`: its process ended before it wrote down a run. */
export type TaskState = RunState | "not-started";

export interface TaskView extends Task {
  readonly state: TaskState;
  /** of the recipe, while it runs or where it failed */
  readonly step: string | undefined;
  /** paths below the top that differ from where the branch began, committed or not */
  readonly files: readonly string[];
  /** other tasks that changed some of them */
  readonly overlaps: readonly { readonly task: string; readonly files: readonly string[] }[];
  readonly crossings: readonly Crossing[];
}

interface StartRequest {
  readonly tasks: readonly string[];
  /** of a single task; made from its words otherwise */
  readonly name: string | undefined;
  readonly recipe: string;
  readonly agent: string | undefined;
  /** how this program is started: what stands in front of `recipe run` */
  readonly launcher: readonly [string, ...string[]];
}

/** What a merge or a discard came to. */
export interface TaskEnd {
  readonly task: string;
  readonly commit: string | undefined;
  readonly files: readonly string[];
}

const DEFAULT_BRANCH_FOLDER = "task";
const MAX_PIECE_BYTES = 1024 * 1024;
const STOP_LOOKS = 200;
const LOOK_MS = 100;
const MAX_TITLE = 72;

/** The tasks of one repository: each on a branch and in a worktree of its own, in a process that outlives this one. */
export class Multitask {
  /** the working tree that tasks start from and are merged into */
  readonly top: string;
  private readonly file: AtomicJsonFile<readonly Task[]>;
  private readonly system: System;
  private readonly folder: string;

  private constructor(system: System, top: string, main: string) {
    this.system = system;
    this.top = top;
    this.folder = repositoryDirectory(system, "multitask", main);
    this.file = new AtomicJsonFile(join(this.folder, "tasks.json"), { system, parse: parseTasks });
  }

  static async open(system: System, directory: string): Promise<Multitask> {
    const top = await findTop(system, directory);
    const listed = await runGit(system, ["worktree", "list", "--porcelain"], { cwd: top, timeoutMs: GIT_MS });
    const main = /^worktree (.+)$/m.exec(listed.text)?.[1] ?? top;
    const opened = new Multitask(system, top, main);
    const inside = opened.tasks().find(({ worktree }) => worktree === top);
    if (inside === undefined) return opened;
    throw new Problem(`this is the worktree of the task ${inside.name}`, {
      kind: "usage",
      fix: `run it in the repository itself: cd ${main}`,
      exitCode: 2,
    });
  }

  tasks(): readonly Task[] {
    return this.file.readOrDefault([]);
  }

  find(name: string): Task {
    const found = this.tasks().find(task => task.name === name);
    if (found !== undefined) return found;
    throw new Problem(`there is no task ${name}`, { kind: "not-found", fix: "amplihack multitask list" });
  }

  logPath({ name }: Pick<Task, "name">): string {
    return join(this.folder, `${name}.log`);
  }

  isRunning({ process: own }: Pick<Task, "process">): boolean {
    return !hasEnded(this.system.processes, own);
  }

  /** Starts all of them, or none where there would be too many at once. */
  async start(request: StartRequest): Promise<readonly Task[]> {
    const { maxSessions } = sessionLimits(this.system);
    const running = this.tasks().filter(task => this.isRunning(task)).length;
    if (running + request.tasks.length > maxSessions)
      throw new Problem(`${running} tasks run, and at most ${maxSessions} may`, {
        kind: "refused",
        fix: "wait for one, `amplihack multitask stop NAME`, or set AMPLIHACK_MAX_SESSIONS",
      });
    const started: Task[] = [];
    for (const text of request.tasks) started.push(await this.startOne(text, request));
    return started;
  }

  private async startOne(text: string, request: StartRequest): Promise<Task> {
    const { system, top } = this;
    const name = this.freeName(request.name ?? text, request.name !== undefined);
    const branch = `${DEFAULT_BRANCH_FOLDER}/${name}`;
    const path = worktreeDirectory(system, top, branch);
    const { start } = await openWorktree(system, top, path, branch).catch(error => {
      throw new Problem(`no worktree for ${name}: ${errorText(error)}`, {
        kind: "failed",
        fix: "tasks begin at the commit that is checked out: git log -1",
      });
    });
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const context = join(this.folder, `${name}.json`);
    const given = { task_description: text, repo_path: path, worktree: "no", deliver: "commit" };
    removeIfThere(system.files, context);
    system.files.createExclusive(context, system.text.encode(JSON.stringify(given)), 0o600);
    const [program, ...words] = request.launcher;
    const log = openSync(this.logPath({ name }), "w", 0o600);
    const child = spawn(
      program,
      [
        ...[...words, "recipe", "run", request.recipe, "-w", path, "--context-file", context, "--verbose"],
        ...(request.agent === undefined ? [] : ["--agent-binary", request.agent]),
      ],
      {
        cwd: path,
        env: { ...inheritedEnvironment(system), AMPLIHACK_NONINTERACTIVE: "1" },
        detached: true,
        stdio: ["ignore", log, log],
      },
    );
    closeSync(log);
    child.unref();
    await new Promise<void>((resume, fail) => child.once("spawn", resume).once("error", fail));
    const pid = child.pid ?? 0;
    const task: Task = {
      name,
      task: text,
      recipe: request.recipe,
      branch,
      worktree: path,
      base: start,
      startedMs: system.clock.nowMs(),
      process: { pid, host: system.processes.self.host, start: system.processes.look(pid)?.start },
    };
    this.file.update(tasks => [...tasks, task], []);
    return task;
  }

  private freeName(words: string, isGiven: boolean): string {
    const taken = new Set(this.tasks().map(({ name }) => name));
    const name = slugify(words) || "task";
    if (!taken.has(name)) return name;
    if (isGiven)
      throw new Problem(`there is a task ${name} already`, {
        kind: "usage",
        fix: "choose another --name",
        exitCode: 2,
      });
    for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
  }

  /** All tasks with how far they are. `changes` are those of the history since the first of them began. */
  async look(changes: readonly Change[]): Promise<readonly TaskView[]> {
    const tasks = this.tasks();
    const files = new Map<string, readonly string[]>();
    for (const task of tasks) files.set(task.name, await this.changedFiles(task));
    const crossings = findCrossings(tasks, this.top, changes);
    return tasks.map(task => {
      const own = files.get(task.name) ?? [];
      const overlaps = tasks.flatMap(({ name }) => {
        const both = name === task.name ? [] : (files.get(name) ?? []).filter(path => own.includes(path));
        return both.length === 0 ? [] : [{ task: name, files: both }];
      });
      const touching = crossings.filter(({ by, into }) => by === task.name || into === task.name);
      return { ...task, ...this.readState(task), files: own, overlaps, crossings: touching };
    });
  }

  private readState(task: Task): { readonly state: TaskState; readonly step: string | undefined } {
    const isRunning = this.isRunning(task);
    const stateDir = stateDirectory(this.system);
    const runId = this.findRunId(task);
    const run =
      runId === undefined || stateDir === undefined ? undefined : findRun(this.system, stateDir, runId);
    const step = run?.steps.findLast(({ status }) => status === "running" || status === "failed")?.path;
    if (isRunning) return { state: "running", step };
    if (run === undefined) return { state: "not-started", step };
    return { state: run.state, step: run.state === "done" ? undefined : step };
  }

  /** The runner says it on the first line that programs read. */
  private findRunId(task: Task): string | undefined {
    const log = this.system.text.decode(this.readLog(task, 0)).text;
    const line = /^amplihack\.recipe\.log_pointer (\{.*\})$/m.exec(log)?.[1];
    return line === undefined ? undefined : stringAt(parseJsonObject(line, 10), "run_id");
  }

  private async changedFiles(task: Task): Promise<readonly string[]> {
    const { worktree, base, branch } = task;
    if (!this.hasWorktree(task)) {
      const { text } = await this.git(this.top, "diff", "--name-only", "-z", base, branch);
      return text.split("\0").filter(path => path !== "");
    }
    const changed = await this.git(worktree, "diff", "--name-only", "-z", base);
    const others = await this.git(worktree, "ls-files", "-z", "--others", "--exclude-standard");
    return [...new Set(`${changed.text}\0${others.text}`.split("\0").filter(path => path !== ""))].sort();
  }

  /** Ends it as a person would, and by force where it does not end. */
  async stop(task: Task, interruption: Interruption): Promise<boolean> {
    if (!this.isRunning(task)) return false;
    this.signal(task, "SIGTERM");
    for (let look = 0; look < STOP_LOOKS && this.isRunning(task); look++) await interruption.pause(LOOK_MS);
    if (this.isRunning(task)) this.signal(task, "SIGKILL");
    return true;
  }

  private signal({ process: { pid } }: Task, signal: NodeJS.Signals): void {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }

  /** The next piece of what it printed. */
  readLog(task: Task, from: number): Uint8Array {
    const { files } = this.system;
    const path = this.logPath(task);
    const length = Math.min((files.follow(path)?.size ?? 0) - from, MAX_PIECE_BYTES);
    return length <= 0 ? new Uint8Array(0) : files.readRange(path, from, length);
  }

  /** Merges the branch of a task that has ended into the branch at hand, and removes its worktree. */
  async merge(task: Task, crossings: readonly Crossing[], isForced: boolean): Promise<TaskEnd> {
    this.refuseRunning(task);
    const foreign = crossings.filter(({ into }) => into === task.name);
    if (foreign.length > 0 && !isForced)
      throw new Problem(`files of ${task.name} were written by others, and it is not merged`, {
        kind: "refused",
        causes: foreign.map(
          ({ path, by, session }) => `${path}: by ${by ?? `session ${session ?? "unknown"}`}`,
        ),
        fix: `look at them, then \`amplihack multitask merge ${task.name} --force\``,
      });
    await this.commitRest(task);
    const files = await this.changedFiles(task);
    await this.refuseFiltered(this.top, files);
    const title = `Merge task ${task.name}: ${(task.task.split("\n")[0] ?? "").slice(0, MAX_TITLE)}`;
    const merged = await this.git(this.top, "merge", "--no-ff", "--no-edit", "-m", title, task.branch);
    if (!merged.isOk) throw await this.describeConflict(task, merged.problem);
    const commit = (await this.must(this.top, "rev-parse", "HEAD")).trim();
    await this.remove(task, "-d");
    return { task: task.name, commit, files };
  }

  /** A merge that git could not finish is taken back, so that the tree is as before. */
  private async describeConflict(task: Task, problem: string): Promise<Problem> {
    const unmerged = await this.git(this.top, "diff", "--name-only", "-z", "--diff-filter=U");
    const files = unmerged.text.split("\0").filter(path => path !== "");
    if (files.length > 0) await this.git(this.top, "merge", "--abort");
    return new Problem(`${task.name} cannot be merged as it is; nothing was changed`, {
      kind: "conflict",
      causes: files.length > 0 ? files.map(path => `both changed ${path}`) : [problem],
      fix:
        files.length > 0
          ? `in ${task.worktree}: git merge ${await this.branchHere()}, resolve, commit; then merge the task again`
          : "fix that and merge it again",
    });
  }

  private async branchHere(): Promise<string> {
    const { isOk, text } = await this.git(this.top, "symbolic-ref", "--short", "HEAD");
    return isOk ? text.trim() : (await this.must(this.top, "rev-parse", "HEAD")).trim();
  }

  /** Forgets a task. What it did is in a commit that can still be reached by its id. */
  async discard(task: Task): Promise<TaskEnd> {
    this.refuseRunning(task);
    await this.commitRest(task);
    const files = await this.changedFiles(task);
    const commit = (await this.must(this.top, "rev-parse", task.branch)).trim();
    await this.remove(task, "-D");
    return { task: task.name, commit: commit === task.base ? undefined : commit, files };
  }

  private refuseRunning(task: Task): void {
    if (!this.isRunning(task)) return;
    throw new Problem(`${task.name} still runs`, {
      kind: "refused",
      fix: `wait for it with \`amplihack multitask attach ${task.name}\`, or \`amplihack multitask stop ${task.name}\``,
    });
  }

  /** Somebody may have removed it by hand; its branch is still there. */
  private hasWorktree({ worktree }: Task): boolean {
    return isDirectory(this.system.files, worktree);
  }

  private async commitRest(task: Task): Promise<void> {
    if (!this.hasWorktree(task)) return;
    const status = await this.must(task.worktree, "status", "--porcelain", "-z", "--no-renames");
    if (status === "") return;
    const paths = status.split("\0").flatMap(line => (line === "" ? [] : [line.slice(3)]));
    await this.refuseFiltered(task.worktree, paths);
    await this.must(task.worktree, "add", "-A");
    await this.must(task.worktree, "commit", "-q", "-m", `What ${task.name} had not committed`);
  }

  /** A filter of the repository is a program of it, which nothing here starts. */
  private async refuseFiltered(cwd: string, paths: readonly string[]): Promise<void> {
    const [path] = await filteredPaths(this.system, paths, { cwd, timeoutMs: GIT_MS });
    if (path === undefined) return;
    throw new Problem(`${path} needs a filter of the repository`, {
      kind: "refused",
      fix: `commit and merge with git yourself, in ${cwd}`,
    });
  }

  private async remove(task: Task, how: "-d" | "-D"): Promise<void> {
    await this.must(
      this.top,
      "worktree",
      ...(this.hasWorktree(task) ? ["remove", task.worktree] : ["prune"]),
    );
    await this.must(this.top, "branch", "-q", how, task.branch);
    this.file.update(tasks => tasks.filter(({ name }) => name !== task.name), []);
    for (const path of [this.logPath(task), join(this.folder, `${task.name}.json`)])
      removeIfThere(this.system.files, path);
  }

  private git(cwd: string, ...words: readonly string[]) {
    return runGit(this.system, words, { cwd, timeoutMs: GIT_MS });
  }

  private async must(cwd: string, ...words: readonly string[]): Promise<string> {
    const { isOk, text, problem } = await this.git(cwd, ...words);
    if (isOk) return text;
    throw new Problem(problem, { kind: "failed", fix: `look at ${cwd} with git status` });
  }
}

/** One task that runs beside others, as it is remembered. */
interface Task {
  readonly name: string;
  /** what is to be done, as it was given */
  readonly task: string;
  readonly recipe: string;
  readonly branch: string;
  readonly worktree: string;
  /** the commit that the branch began at */
  readonly base: string;
  readonly startedMs: number;
  readonly process: ProcessIdentity;
}

/** A file in a place of one that a session of another wrote, as the history says. */
interface Crossing {
  readonly path: string;
  /** the task whose session wrote it; undefined for a session of none */
  readonly by: string | undefined;
  /** the task in whose worktree it lies; undefined for the repository itself */
  readonly into: string | undefined;
  readonly session: string | undefined;
}

/** Who wrote where another works. A session belongs to the task in whose worktree it began. */
function findCrossings(tasks: readonly Task[], top: string, changes: readonly Change[]): readonly Crossing[] {
  const taskAt = (path: string): Task | undefined => tasks.find(({ worktree }) => isInside(worktree, path));
  const found = new Map<string, Crossing>();
  for (const { kind, project, session, files, undoneBy, undonePaths } of changes) {
    if (kind !== "call" || undoneBy !== undefined) continue;
    const by = taskAt(project);
    for (const { path, what } of files) {
      const into = taskAt(path);
      if (by === into || what === "time" || undonePaths.includes(path)) continue;
      if (into === undefined && !isInside(top, path)) continue;
      const crossing = { path, by: by?.name, into: into?.name, session };
      found.set(JSON.stringify(crossing), crossing);
    }
  }
  return [...found.values()];
}

function parseTasks(value: Json): readonly Task[] {
  return listAt({ tasks: value }, "tasks").map(each => {
    const task = new StrictMembers(each);
    const own = new StrictMembers(memberAt(each, "process"), "process");
    return {
      name: task.string("name"),
      task: task.string("task"),
      recipe: task.string("recipe"),
      branch: task.string("branch"),
      worktree: task.string("worktree"),
      base: task.string("base"),
      startedMs: task.number("startedMs"),
      process: { pid: own.number("pid"), host: own.string("host"), start: own.optional("start", own.string) },
    };
  });
}
