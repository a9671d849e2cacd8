// What the history costs: a command that only reads, a deletion beside `cp -a`, an unknown command beside `git status`,
// and how cost grows with files and with the length of the history. The time that a call may wait is set as high as it
// can be (`history.budgetMs`), so that all of the work is seen. Everything happens in a directory of its own below HOME, since
// nothing is kept of temporary directories.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fillHistory } from "./history-length.mjs";
import { percentiles, timeCommands } from "./measure.mjs";

const PROGRAMS = {
  native: [resolve("dist/native/amplihack-hooks")],
  Node: [process.execPath, resolve("dist/bin/amplihack-hooks.cjs")],
};
const CLI = [process.execPath, resolve("dist/bin/amplihack.cjs")];
const MAX_BUDGET_MS = 5_000;
const READING = ["git status", "git diff | head -50"];
const FILES = [100, 1_000, 10_000];
const CHANGES = [10, 1_000, 10_000];
const SMALL_TREE = 100;
const LARGE_REPOSITORY = 10_000;
const CHANGED = 100;
const DELETIONS = 10;
const STATUSES = 10;
/** Fewer rounds for what takes long. */
const GROWTH_ROUNDS = { 100: 8, 1000: 4, 10000: 2 };
const GIT = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.org"];

export async function bench() {
  const folder = mkdtempSync(join(homedir(), ".amplihack-bench-"));
  const programs = Object.entries(PROGRAMS).filter(([, argv]) => existsSync(argv.at(-1)));
  try {
    const rows = programs.flatMap(program => readingRows(program, folder));
    for (const program of programs) {
      rows.push(...deletionRows(program, folder));
      rows.push(...unknownRows(program, folder));
      rows.push(...fileRows(program, folder));
    }
    return [...rows, ...(await lengthRows(programs, folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A home with a setting for the history, and a project in it. */
function openPlace(folder, name, isEnabled = true) {
  const home = join(folder, name.replaceAll(" ", "-"));
  const project = join(home, "project");
  mkdirSync(join(home, ".amplihack"), { recursive: true, mode: 0o700 });
  mkdirSync(project);
  const history = { enabled: isEnabled, budgetMs: MAX_BUDGET_MS };
  writeFileSync(join(home, ".amplihack/config.jsonc"), JSON.stringify({ history }), { mode: 0o600 });
  return { home, project };
}

let calls = 0;

/** The hook before or after one call of a shell; every call has an id of its own. */
function hook(argv, { home, project }, command, { event = "PreToolUse", call = ++calls } = {}) {
  const input = JSON.stringify({
    hook_event_name: event,
    session_id: "bench",
    cwd: project,
    tool_name: "Bash",
    tool_use_id: `call-${call}`,
    tool_input: { command },
    ...(event === "PostToolUse" ? { tool_response: { stdout: "", stderr: "", interrupted: false } } : {}),
  });
  const name = event === "PreToolUse" ? "pre-tool-use" : "post-tool-use";
  return { argv: [...argv, name], input, env: { HOME: home } };
}

function wholeCall(argv, place, command) {
  const before = hook(argv, place, command);
  return [before, hook(argv, place, command, { event: "PostToolUse", call: calls })];
}

function readingRows([program, argv], folder) {
  const off = openPlace(folder, `${program} reading off`, false);
  const on = openPlace(folder, `${program} reading on`);
  return READING.flatMap(command => {
    const commands = [hook(argv, off, command), hook(argv, on, command)];
    const samples = timeCommands(commands, { rounds: program === "native" ? 150 : 30 });
    const [without, with_] = samples.map(list => percentiles(list.slice(3)));
    return [
      { name: `${program}: ${command}, history off`, ...without, ratio: 1 },
      {
        name: `${program}: ${command}, history on`,
        ...with_,
        ratio: with_.p50 / without.p50,
        target: "1.03 × off",
      },
    ];
  });
}

/** `cp -a` of a tree, the hook before a deletion of nothing, and the hook before that of the tree. */
function timeDeletions(argv, place, size, rounds) {
  mkdirSync(join(place.project, "empty"), { recursive: true });
  const trees = Array.from({ length: rounds + 1 }, () => makeTree(place, size));
  const commands = trees.flatMap(tree => [
    { argv: ["cp", "-a", join(place.project, tree), join(place.home, `copy-${tree}`)] },
    hook(argv, place, "rm -rf empty"),
    hook(argv, place, `rm -rf ${tree}`),
  ]);
  const samples = timeCommands(commands).flat().slice(3);
  const every = at => percentiles(samples.filter((_, index) => index % 3 === at));
  return { copy: every(0), nothing: every(1), tree: every(2) };
}

function deletionRows([program, argv], folder) {
  const place = openPlace(folder, `${program} deleting`);
  const { copy, nothing, tree } = timeDeletions(argv, place, SMALL_TREE, DELETIONS);
  requireKept(place, SMALL_TREE * DELETIONS);
  const name = `${program}: ${SMALL_TREE} small files`;
  const p50 = Math.max(0, tree.p50 - nothing.p50);
  const p95 = Math.max(0, tree.p95 - nothing.p95);
  return [
    { name: `${name}, cp -a`, ...copy, ratio: 1 },
    { name: `${name}, rm -rf`, ...tree, ratio: tree.p50 / copy.p50 },
    { name: `${name}, rm -rf, less the hook`, p50, p95, ratio: p50 / copy.p50, target: "3 × cp -a" },
  ];
}

function unknownRows([program, argv], folder) {
  const place = openPlace(folder, `${program} unknown`);
  makeRepository(place, LARGE_REPOSITORY, CHANGED);
  const { status, before, after } = timeUnknown(argv, place, STATUSES);
  requireKept(place, CHANGED);
  const name = `${program}: ${LARGE_REPOSITORY} files, ${CHANGED} changed`;
  return [
    { name: `${name}, git status --porcelain`, ...status, ratio: 1 },
    { name: `${name}, make, before`, ...before, ratio: before.p50 / status.p50, target: "1.5 × git status" },
    { name: `${name}, make, after`, ...after, ratio: after.p50 / status.p50 },
  ];
}

/** Nothing is new since the last capture. */
function timeUnknown(argv, place, rounds) {
  timeCommands([...wholeCall(argv, place, "make"), ...wholeCall(argv, place, "make")]);
  const status = { argv: ["git", "-C", place.project, "status", "--porcelain"], env: { HOME: place.home } };
  const commands = Array.from({ length: rounds }, () => [status, ...wholeCall(argv, place, "make")]).flat();
  const samples = timeCommands(commands).flat();
  const every = at => percentiles(samples.filter((_, index) => index % 3 === at));
  return { status: every(0), before: every(1), after: every(2) };
}

function fileRows([program, argv], folder) {
  const work = {
    "unknown command, git": (place, size, rounds) => {
      makeRepository(place, size, size / 100);
      return timeUnknown(argv, place, rounds).before;
    },
    "unknown command, no git": (place, size, rounds) => {
      makeTree(place, size);
      return timeUnknown(argv, place, rounds).before;
    },
    "rm -rf": (place, size, rounds) => {
      const trees = Array.from({ length: rounds }, () => makeTree(place, size));
      const [first, ...others] = timeCommands(trees.map(tree => hook(argv, place, `rm -rf ${tree}`)));
      return percentiles((others.length === 0 ? [first] : others).flat());
    },
  };
  // Node does the same work with another constant; once is enough to see it.
  const chosen = Object.entries(work).slice(0, program === "Node" ? 1 : undefined);
  return chosen.flatMap(([name, time]) => {
    const figures = new Map();
    for (const size of FILES) {
      const place = openPlace(folder, `${program} ${name} ${size}`);
      figures.set(size, time(place, size, GROWTH_ROUNDS[size]));
      rmSync(place.home, { recursive: true, force: true });
    }
    return growthRows("history-files", `${program}: ${name}`, "files", figures, "per file ≤ 1 ×");
  });
}

async function lengthRows(programs, folder) {
  const place = openPlace(folder, "length");
  makeRepository(place, SMALL_TREE, 10);
  const work = Object.fromEntries(programs.map(([name, argv]) => [`${name}: unknown command`, argv]));
  const figures = new Map(
    [...Object.keys(work), "amplihack history", "amplihack undo --dry-run"].map(name => [name, new Map()]),
  );
  for (const count of CHANGES) {
    await fillHistory(place, count);
    for (const [name, argv] of Object.entries(work))
      figures.get(name).set(count, timeUnknown(argv, place, 10).before);
    for (const words of ["history", "undo --dry-run"]) {
      const command = { argv: [...CLI, ...words.split(" ")], env: { HOME: place.home } };
      const [samples] = timeCommands([command], { rounds: 6, cwd: place.project });
      figures.get(`amplihack ${words}`).set(count, percentiles(samples.slice(1)));
    }
  }
  return [...figures].flatMap(([name, found]) =>
    growthRows("history-length", name, "changes", found, "per change < 1 ×"),
  );
}

/** `ratio` is the cost of one file or change against that at the smallest number of them: 1 is linear. */
function growthRows(part, series, sizeUnit, figures, target) {
  let smallest;
  return [...figures].map(([size, { p50, p95 }]) => {
    smallest ??= p50 / size;
    const name = `${series}, ${size} ${sizeUnit}`;
    return { name, p50, p95, ratio: p50 / size / smallest, target, part, series, size, sizeUnit };
  });
}

let trees = 0;

/** Files of about a kilobyte, a hundred to a directory, of which no two are alike. */
function makeTree({ project }, size) {
  const tree = `tree-${++trees}`;
  for (let number = 0; number < size; number++) {
    const directory = join(project, tree, `part-${Math.floor(number / 100)}`);
    if (number % 100 === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${number}.ts`), `// ${tree} ${number} ${Math.random()}\n`.repeat(25));
  }
  return tree;
}

function makeRepository(place, size, changed) {
  const run = (...words) => {
    const { status, stderr } = spawnSync(GIT[0], [...GIT.slice(1), ...words], {
      cwd: place.project,
      env: { ...process.env, HOME: place.home },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  };
  const tree = makeTree(place, size);
  run("init", "--quiet");
  run("add", "--all");
  run("commit", "--quiet", "--message", "All");
  for (let number = 0; number < changed; number++) {
    const at = Math.floor((number * size) / changed);
    writeFileSync(
      join(place.project, tree, `part-${Math.floor(at / 100)}`, `file-${at}.ts`),
      `// changed ${number}\n`,
    );
  }
  run("status");
}

/** A history that keeps nothing is always fastest. */
function requireKept({ home }, files) {
  const history = join(home, ".amplihack/history");
  const kept = existsSync(history)
    ? readdirSync(history, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()).length
    : 0;
  if (kept < files) throw new Error(`the history has ${kept} files where ${files} should have been kept`);
}
