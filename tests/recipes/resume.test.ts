import type { ChildProcess } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";
import { buildCli } from "./built-cli.ts";
import { noneLeft } from "./marked-processes.ts";
import { type RecipeMachine, recipeMachine } from "./recipe-machine.ts";
import { ANSWERS, say, TASK, workflowMachine } from "./workflow-machine.ts";

const cli = buildCli();
const yaml = (value: unknown): string => JSON.stringify(value);

function start(machine: RecipeMachine, resume?: string): ChildProcess {
  const more = resume === undefined ? [] : ["--resume", resume];
  return cli.start(machine, "recipe", "run", "recipe.yaml", "--format", "json", ...more);
}

/** Runs until a file appears, then kills the runner without warning. */
async function killWhen(
  machine: RecipeMachine,
  file: string,
  before: (runner: number) => void = () => {},
): Promise<void> {
  const child = start(machine);
  const ended = new Promise<void>(resolve => child.once("exit", () => resolve()));
  const path = join(machine.project, file);
  const isThere = new Promise<void>(resolve => {
    const look = () => (existsSync(path) ? resolve() : setTimeout(look, 5));
    look();
  });
  await Promise.race([isThere, ended]);
  before(child.pid ?? 0);
  child.kill("SIGKILL");
  await ended;
  expect(existsSync(path)).toBe(true);
}

/** Ends the runner that started the step in which this runs, the first time. */
const DIE_ONCE = `[ -e "$HOME/died" ] || { touch "$HOME/died"; runner=$PPID
  until tr '\\0' ' ' < /proc/$runner/cmdline | grep -q amplihack.cjs; do runner=$(awk '{print $4}' /proc/$runner/stat); done
  kill -KILL "$runner"; sleep 600; }`;

/** Ends the shell that would end the steps of a killed runner. */
function killWatcher(runner: number): void {
  const children = readFileSync(`/proc/${runner}/task/${runner}/children`, "utf8").split(" ").filter(Boolean);
  const watchers = children.filter(pid => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("any_left"));
  expect(watchers).toHaveLength(1);
  for (const pid of watchers) process.kill(Number(pid), "SIGKILL");
}

const checkpointsOf = (machine: RecipeMachine): readonly string[] => {
  const folder = join(machine.home, ".amplihack/recipes/checkpoints");
  return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith(".json")) : [];
};
const logOf = (machine: RecipeMachine): readonly string[] =>
  readFileSync(join(machine.project, "log"), "utf8").trim().split("\n");
/** The same, also before the first step. */
const linesIn = (machine: RecipeMachine): readonly string[] =>
  existsSync(join(machine.project, "log")) ? logOf(machine) : [];
/** The id of the run that can go on. */
const resumable = (machine: RecipeMachine): string | undefined =>
  checkpointsOf(machine)[0]?.replace(/\.json$/, "");
const exitCodeOf = (child: ChildProcess): Promise<number | null> =>
  new Promise(resolve => child.once("close", resolve));

describe("a checkpoint", () => {
  const text = yaml({
    name: "r",
    context: { keep: 1 },
    steps: [
      { id: "a", command: "echo a >> log; echo made", output: "v" },
      { id: "b", command: "echo b >> log; test -e fixed" },
      { id: "c", command: "echo c-{{v}}-{{keep}} >> log" },
    ],
  });

  it("is left by a run that failed, private, and names what is done", async () => {
    const machine = recipeMachine();
    const { document } = await machine.runText(text);
    expect(checkpointsOf(machine)).toEqual([`${document.run_id}.json`]);
    const path = join(machine.home, ".amplihack/recipes/checkpoints", `${document.run_id}.json`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = readFileSync(path, "utf8");
    expect(written.match(/"made"/g)).toHaveLength(1);
    expect(JSON.parse(written)).toMatchObject({
      recipe_name: "r",
      recipe_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      completed_steps: ["a"],
      context: { keep: 1, v: "made" },
      timestamp: expect.stringMatching(/^\d{4}-/),
    });
  });

  it("lets the run go on where it stopped, with its context, and is removed at the end", async () => {
    const machine = recipeMachine();
    const first = await machine.runText(text);
    machine.write("fixed", "");
    const second = await machine.runText(text, {
      resume: String(first.document.run_id),
      contextPairs: ["keep=2"],
    });
    expect(second.results.map(result => [result.step_id, result.status, result.error])).toEqual([
      ["a", "skipped", "skipped (resume from checkpoint)"],
      ["b", "completed", ""],
      ["c", "completed", ""],
    ]);
    expect(second.document).toMatchObject({ success: true, run_id: first.document.run_id });
    expect(logOf(machine)).toEqual(["a", "b", "b", "c-made-2"]);
    expect(checkpointsOf(machine)).toEqual([]);
  });

  it("names a step before its end is reported, also in groups and sub-recipes", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({ name: "child", steps: ["x", "y"].map(id => ({ id, command: "true" })) }),
    );
    const recipe = machine.write(
      "recipe.yaml",
      yaml({
        name: "r",
        steps: [
          { id: "a", command: "true" },
          { id: "never", command: "true", condition: "1 == 2" },
          { id: "p", command: "true", parallel_group: "g" },
          { id: "q", command: "exit 1", parallel_group: "g", continue_on_error: true },
          { id: "sub", recipe: "child" },
        ],
      }),
    );
    const recorded: Record<string, boolean> = {};
    await machine.run({
      recipe,
      observer: event => {
        if (event.kind !== "step_end") return;
        const folder = join(machine.home, ".amplihack/recipes/checkpoints");
        const written = JSON.parse(readFileSync(join(folder, checkpointsOf(machine)[0] ?? ""), "utf8"));
        const frame = event.step.depth === 0 ? written : written.sub_recipes.sub;
        const { id, path } = event.step;
        recorded[path] = frame.completed_steps.includes(id) || Object.hasOwn(frame.held, id);
      },
    });
    expect(recorded).toEqual({
      a: true,
      never: true,
      p: true,
      q: true,
      "sub/x": true,
      "sub/y": true,
      sub: true,
    });
  });

  it("may be given as a file", async () => {
    const machine = recipeMachine();
    const first = await machine.runText(text);
    machine.write("fixed", "");
    const resume = join(machine.home, ".amplihack/recipes/checkpoints", `${first.document.run_id}.json`);
    expect((await machine.runText(text, { resume })).exitCode).toBe(0);
  });

  it("may be named by the beginning of the id, if only one begins like this", async () => {
    const machine = recipeMachine();
    const first = await machine.runText(text);
    machine.write("fixed", "");
    const id = String(first.document.run_id);
    const folder = join(machine.home, ".amplihack/recipes/checkpoints");
    const twin = join(folder, `${id.slice(0, 8)}-twin.json`);
    writeFileSync(twin, readFileSync(join(folder, `${id}.json`)));
    const refused = await machine.runText(text, { resume: id.slice(0, 8) });
    expect(refused.exitCode).toBe(4);
    expect(refused.document.error).toMatch(/^Cannot resume: 2 runs begin with \w{8}: /);
    expect(refused.document.error).toContain(id);
    unlinkSync(twin);
    const second = await machine.runText(text, { resume: id.slice(0, 8) });
    expect(second.document).toMatchObject({ success: true, run_id: id });
  });

  it("is the newest of this recipe in this directory for `last`", async () => {
    const machine = recipeMachine();
    const folder = join(machine.home, ".amplihack/recipes/checkpoints");
    const runs = [
      await machine.runText(text),
      await machine.runText(text),
      await machine.runText(text.replace('"name":"r"', '"name":"other"')),
      await machine.runText(text),
    ].map(({ document }) => String(document.run_id));
    const [oldest = "", wanted = "", , elsewhere = ""] = runs;
    for (const [index, id] of runs.entries())
      utimesSync(join(folder, `${id}.json`), 1_000 + index, 1_000 + index);
    const moved = join(folder, `${elsewhere}.json`);
    writeFileSync(
      moved,
      readFileSync(moved, "utf8").replace(/"working_dir":"[^"]*"/, '"working_dir":"/elsewhere"'),
    );
    machine.write("fixed", "");
    const resumed = await machine.runText(text, { resume: "last" });
    expect(resumed.document).toMatchObject({ success: true, run_id: wanted });
    expect((await machine.runText(text, { resume: "last" })).document.run_id).toBe(oldest);
    const none = await machine.runText(text, { resume: "last" });
    expect(none.exitCode).toBe(4);
    expect(none.document.error).toMatch(/^Cannot resume: no run of r in .* is left to go on$/);
  });

  it("of a recipe that has changed is refused unless forced", async () => {
    const machine = recipeMachine();
    const first = await machine.runText(text);
    machine.write("fixed", "");
    const changed = text.replace("echo c-", "echo changed-");
    const refused = await machine.runText(changed, { resume: String(first.document.run_id) });
    expect(refused).toMatchObject({ exitCode: 4, document: { error_kind: "bad_args", step_results: [] } });
    expect(refused.document.error).toContain("--force");
    const forced = await machine.runText(changed, { resume: String(first.document.run_id), isForced: true });
    expect(forced.exitCode).toBe(0);
    expect(logOf(machine).at(-1)).toBe("changed-made-1");
  });

  it.each([["00000000-0000-0000-0000-000000000000"], ["../../etc/passwd"], ["no such id!"]])(
    "that does not exist is refused: %s",
    async resume => {
      const { exitCode, document } = await recipeMachine().runText(text, { resume });
      expect(exitCode).toBe(4);
      expect(document.error).toContain("Cannot resume");
    },
  );

  it("of a run that is still going on is refused, and that run is left in peace", async () => {
    const machine = recipeMachine();
    machine.write(
      "recipe.yaml",
      yaml({
        name: "r",
        steps: [
          { id: "a", command: "true" },
          { id: "b", command: "touch at-b; while [ ! -e go ]; do sleep 0.02; done" },
        ],
      }),
    );
    const child = start(machine);
    const ended = exitCodeOf(child);
    await new Promise<void>(resolve => {
      const look = () => (existsSync(join(machine.project, "at-b")) ? resolve() : setTimeout(look, 5));
      look();
    });
    const { exitCode, document } = await machine.run({
      recipe: "recipe.yaml",
      resume: resumable(machine) ?? "",
    });
    expect(exitCode).toBe(4);
    expect(document.error).toBe("Cannot resume: another process is running it");
    machine.write("go", "");
    expect(await ended).toBe(0);
  });

  it("is not kept by a run that succeeds or executes nothing", async () => {
    const machine = recipeMachine();
    machine.write("fixed", "");
    await machine.runText(text);
    await machine.runText(text, { isDryRun: true });
    expect(checkpointsOf(machine)).toEqual([]);
  });

  it("remembers that something was not perfect", async () => {
    const machine = recipeMachine();
    const flawed = yaml({
      name: "r",
      steps: [
        { id: "a", command: "exit 1", continue_on_error: true },
        { id: "b", command: "test -e fixed" },
      ],
    });
    const first = await machine.runText(flawed);
    machine.write("fixed", "");
    const second = await machine.runText(flawed, { resume: String(first.document.run_id) });
    expect(second.document).toMatchObject({ success: true, status: "PARTIAL" });
  });

  it("that cannot be written is said, and the run goes on", async () => {
    const machine = recipeMachine();
    machine.write(join(machine.home, ".amplihack/recipes/checkpoints"), "a file in the way");
    const { document, exitCode } = await machine.runText(
      yaml({ name: "r", steps: [{ id: "a", command: "true" }] }),
    );
    expect(exitCode).toBe(0);
    expect(JSON.stringify(document.warnings)).toContain("The checkpoint could not be written");
  });
});

describe("a runner killed without warning", () => {
  const loop = (id: string) =>
    `echo ${id} >> log; touch at-${id}; while [ ! -e go ]; do sleep 0.02; done; echo ${id}-end >> log`;

  it("during a step: that step runs again, finished ones do not, and no orphan goes on", async () => {
    const machine = recipeMachine();
    machine.write(
      "recipe.yaml",
      yaml({
        name: "r",
        steps: [
          { id: "a", command: "echo a >> log; echo value", output: "v" },
          { id: "b", command: loop("b") },
          { id: "c", command: "echo c-{{v}} >> log" },
        ],
      }),
    );
    // Nobody watches over the step any more, so the resumed run still finds it.
    await killWhen(machine, "at-b", killWatcher);
    // The orphan still waits; the resumed run must end it before anything can let it go on.
    const resumed = start(machine, resumable(machine));
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    resumed.stdout?.on("data", chunk => output.push(chunk));
    resumed.stderr?.on("data", chunk => {
      errors.push(chunk);
      if (Buffer.concat(errors).includes("▶ b")) machine.write("go", "");
    });
    expect(await exitCodeOf(resumed)).toBe(0);
    expect(logOf(machine)).toEqual(["a", "b", "b", "b-end", "c-value"]);
    expect(Buffer.concat(errors).toString()).toContain("was still running");
    expect(checkpointsOf(machine)).toEqual([]);
    expect(readdirSync(machine.env["TMPDIR"] ?? "")).toEqual([]);
  });

  it("takes the programs of its steps with it", async () => {
    const mark = `watched-${process.pid}-${Date.now()}`;
    const machine = recipeMachine({ MARK: mark });
    const wait = "sleep 600 & sleep 600 | cat";
    machine.write(
      "recipe.yaml",
      yaml({
        name: "r",
        steps: [
          { id: "before", command: "true" },
          {
            id: "p",
            command: `until [ -e at-q ]; do sleep 0.02; done; touch at-p; ${wait}`,
            parallel_group: "g",
          },
          { id: "q", command: `touch at-q; ${wait}`, parallel_group: "g" },
        ],
      }),
    );
    await killWhen(machine, "at-p");
    await noneLeft(mark);
  });

  it("inside a sub-recipe: its finished steps do not run again", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        steps: [
          { id: "x", command: "echo x-{{given}} >> log; echo made", output: "from_child" },
          { id: "y", command: loop("y") },
          { id: "z", command: "echo z-{{from_child}} >> log" },
        ],
      }),
    );
    machine.write(
      "recipe.yaml",
      yaml({
        name: "r",
        steps: [
          { id: "a", command: "echo a >> log" },
          { id: "sub", recipe: "child", sub_context: { given: "g" } },
          { id: "end", command: "echo end-{{from_child}} >> log" },
        ],
      }),
    );
    await killWhen(machine, "at-y");
    const resumed = start(machine, resumable(machine));
    let errors = "";
    resumed.stderr?.on("data", chunk => {
      errors += String(chunk);
      if (errors.includes("▶ y")) machine.write("go", "");
    });
    expect(await exitCodeOf(resumed)).toBe(0);
    expect(logOf(machine)).toEqual(["a", "x-g", "y", "y", "y-end", "z-made", "end-made"]);
  });

  it("inside a group: members that are over do not run again and their variables are not lost", async () => {
    const machine = recipeMachine();
    machine.write(
      "recipe.yaml",
      yaml({
        name: "r",
        steps: [
          { id: "p", command: "echo p >> log; echo from-p", output: "p", parallel_group: "g" },
          {
            id: "q",
            command: `until grep -q '"p"' "$HOME"/.amplihack/recipes/checkpoints/*.json 2>/dev/null; do sleep 0.02; done; ${loop("q")}`,
            parallel_group: "g",
          },
          { id: "end", command: "echo end-{{p}} >> log" },
        ],
      }),
    );
    await killWhen(machine, "at-q");
    const resumed = start(machine, resumable(machine));
    let errors = "";
    resumed.stderr?.on("data", chunk => {
      errors += String(chunk);
      if (errors.includes("▶ q")) machine.write("go", "");
    });
    expect(await exitCodeOf(resumed)).toBe(0);
    expect(logOf(machine)).toEqual(["p", "q", "q", "q-end", "end-from-p"]);
  });

  it("in the middle of the workflow: it goes on there, and publishes nothing twice", async () => {
    // The runner dies when the reviewer is asked, and again when the pull request has just been opened.
    const once = (mark: string) =>
      `test -e "$HOME/${mark}" || { touch "$HOME/${mark}"; kill -KILL $PPID; sleep 600; }`;
    const { machine, git, forgeCalls, agentCalls } = workflowMachine(
      { ...ANSWERS, "Review the uncommitted": `${once("at-review")}; ${say({ approved: true })}` },
      { remote: true, forge: true },
    );
    const gh = join(machine.home, "bin/gh");
    const opened = 'tee "$HOME/pr"';
    machine.write(gh, readFileSync(gh, "utf8").replace(opened, `${opened}; ${DIE_ONCE}`), 0o755);
    const run = (...more: readonly string[]) =>
      exitCodeOf(cli.start(machine, "recipe", "run", "default-workflow", ...more));
    expect(await run("-c", `task_description=${TASK}`)).toBeNull();
    expect(await run("--resume", "last")).toBeNull();
    expect(await run("--resume", "last")).toBe(0);
    // understand, plan, tests, write, repair, review, review again, repair of CI
    expect(agentCalls()).toBe(8);
    expect(forgeCalls().filter(call => call.endsWith(" create"))).toEqual(["issue create", "pr create"]);
    const remote = join(machine.home, "remote.git");
    expect(git("--git-dir", remote, "log", "--format=%s", "main..", "--branches=feat/*").split("\n")).toEqual(
      ["fix what CI found: Add numbers", "Add numbers"],
    );
    expect(git("worktree", "list").split("\n")).toHaveLength(2);
  });

  it("by the last act of a step: that step runs again, because its end was not recorded", async () => {
    const machine = recipeMachine();
    const lastAct = "test -e killed || { touch killed; sleep 600; }";
    machine.write(
      "recipe.yaml",
      yaml({
        name: "r",
        steps: [
          { id: "a", command: "echo a >> log" },
          { id: "b", command: `echo b >> log; ${lastAct}` },
          { id: "c", command: "echo c >> log" },
        ],
      }),
    );
    await killWhen(machine, "killed");
    expect(await exitCodeOf(start(machine, resumable(machine)))).toBe(0);
    expect(logOf(machine)).toEqual(["a", "b", "b", "c"]);
  });

  describe("again and again: no step is lost, and none runs again whose end was shown", () => {
    const ids = Array.from({ length: 8 }, (_, index) => `s${index}`);
    const untilSeen = (id: string | undefined): string =>
      id === undefined ? "" : `until [ -e seen-${id} ]; do sleep 0.01; done;`;

    /**
     * Runs to the end however often it is killed, `watch` decides when. No step ends before the end of the one before it
     * was seen here, or a quick runner could be done before it is killed for the first time.
     */
    async function runWithKills(watch: (child: ChildProcess, progress: () => string) => void): Promise<void> {
      const machine = recipeMachine();
      machine.write(
        "recipe.yaml",
        yaml({
          name: "r",
          context: { last: "start" },
          steps: ids.map((id, index) => ({
            id,
            command: `echo {{last}}:${id} >> log; ${untilSeen(ids[index - 1])} echo ${id}`,
            output: "last",
          })),
        }),
      );
      const shown = new Set<string>();
      const again: string[] = [];
      let resume: string | undefined;
      do {
        const before = linesIn(machine).length;
        const child = start(machine, resume);
        let progress = "";
        child.stderr?.on("data", chunk => {
          progress += String(chunk);
        });
        watch(child, () => progress);
        child.stderr?.on("data", () => {
          for (const id of ids) if (progress.includes(`✓ ${id} `)) machine.write(`seen-${id}`, "");
        });
        await exitCodeOf(child);
        const begun = linesIn(machine)
          .slice(before)
          .map(line => line.split(":").at(-1) ?? "");
        again.push(...begun.filter(id => shown.has(id)));
        for (const id of ids) if (progress.includes(`✓ ${id} `)) shown.add(id);
        resume = resumable(machine);
        // Without a checkpoint nothing was recorded yet, or all is done.
      } while (resume !== undefined || shown.size === 0);
      expect(again).toEqual([]);
      const lines = linesIn(machine);
      expect(lines.filter((line, index) => line !== lines[index - 1])).toEqual(
        ids.map((id, index) => `${ids[index - 1] ?? "start"}:${id}`),
      );
    }

    it("killed whenever the end of a step is shown", async () => {
      const killedAt = new Set<string>();
      await runWithKills((child, progress) => {
        child.stderr?.on("data", () => {
          const id = ids.find(each => !killedAt.has(each) && progress().includes(`✓ ${each} `));
          if (id === undefined) return;
          killedAt.add(id);
          child.kill("SIGKILL");
        });
      });
      expect(killedAt.size).toBeGreaterThan(1);
    });

    it.skipIf(runs(0, 1) === 0)("killed at random moments, which takes the long run", async () => {
      await runWithKills(child => {
        const timer = setTimeout(() => child.kill("SIGKILL"), 100 + Math.random() * 400);
        child.once("close", () => clearTimeout(timer));
      });
    });
  });
});

describe("a signal to the runner", () => {
  it("is heard by recipes that do nothing but call each other", async () => {
    const machine = recipeMachine();
    const call = (id: string) => ({ id, recipe: "recipe", parallel_group: "g", continue_on_error: true });
    machine.write(
      "recipe.yaml",
      yaml({
        name: "recipe",
        recursion: { max_depth: 40, max_total_steps: 1_000_000_000 },
        steps: [call("a"), call("b")],
      }),
    );
    const child = start(machine);
    let hasBegun = false;
    child.stderr?.on("data", chunk => {
      if (hasBegun || !String(chunk).includes("▶ a")) return;
      hasBegun = true;
      child.kill("SIGTERM");
    });
    expect(await exitCodeOf(child)).toBe(143);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the step, prints the result and exits %i", async (signal, code) => {
    const mark = `sig-${signal}-${process.pid}`;
    const machine = recipeMachine({ MARK: mark });
    machine.write("recipe.yaml", yaml({ name: "r", steps: [{ id: "a", command: "touch at-a; sleep 100" }] }));
    const child = start(machine);
    let output = "";
    child.stdout?.on("data", chunk => {
      output += String(chunk);
    });
    const poll = setInterval(() => {
      if (!existsSync(join(machine.project, "at-a"))) return;
      clearInterval(poll);
      child.kill(signal);
    }, 5);
    expect(await exitCodeOf(child)).toBe(code);
    expect(JSON.parse(output)).toMatchObject({
      success: false,
      step_results: [{ step_id: "a", status: "failed", error: `interrupted by ${signal}` }],
    });
    await noneLeft(mark);
  });
});
