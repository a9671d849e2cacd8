// What the history costs: a command that only reads, a deletion beside `cp -a`, an unknown command beside `git status` and,
// in a small repository, beside one that is known to read; an undo of many files beside `git checkout`; and how cost grows
// with files and with the length of the history. What has a bar is given by the clock and in
// processor time, which other work on the machine disturbs less. The time that a call may wait is set far above what
// is needed (`history.budgetMs`), so that all of the work is seen. Everything happens in a directory of its own below HOME,
// since nothing is kept of temporary directories.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fillHistory } from "./history-length.mjs";
import { percentiles, runCommands } from "./measure.mjs";

const PROGRAMS = {
  native: [resolve("dist/native/amplihack-hooks")],
  Node: [process.execPath, resolve("dist/bin/amplihack-hooks.cjs")],
};
const CLI = [process.execPath, resolve("dist/bin/amplihack.cjs")];
const AMPLE_MS = 60_000;
const READING = ["git status", "git diff | head -50"];
const FILES = [100, 1_000, 10_000];
const CHANGES = [10, 100, 1_000, 5_000];
const SMALL_TREE = 100;
const LARGE_REPOSITORY = 10_000;
const CHANGED = 100;
const DELETIONS = 12;
const STATUSES = 15;
const SMALL_REPOSITORY = 5;
const UNDOS = 4;
/** Fewer rounds for what takes long. */
const GROWTH_ROUNDS = { 100: 6, 1000: 4, 10000: 2 };
// A tidying that git starts in the background would be measured too, and write into what is removed at the end.
const GIT =
  "git -c user.name=bench -c user.email=bench@example.org -c gc.auto=0 -c maintenance.auto=false".split(" ");

export async function bench() {
  const folder = mkdtempSync(join(homedir(), ".amplihack-bench-"));
  const programs = Object.entries(PROGRAMS).filter(([, argv]) => existsSync(argv.at(-1)));
  try {
    const rows = [];
    // Some of it takes a while, so that figures are shown as they come.
    const add = found => {
      for (const { name, p50, ratio } of found)
        process.stderr.write(`  ${name}: ${p50.toPrecision(3)} ms, ${ratio.toFixed(2)} ×\n`);
      rows.push(...found);
    };
    for (const measure of [readingRows, deletionRows, unknownRows, smallRows, undoRows])
      for (const program of programs) add(measure(program, folder));
    add(await lengthRows(programs, folder));
    for (const program of programs) add(fileRows(program, folder));
    return rows;
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
  const history = { enabled: isEnabled, budgetMs: AMPLE_MS };
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

/** Medians of runs, by the clock and of the processors. */
function summarise(runs) {
  const known = runs.flatMap(({ processor }) => processor ?? []);
  return { ...percentiles(runs.map(({ wall }) => wall)), processor: percentiles(known).p50 };
}

/** Runs of commands that come again after `count` of them, by their place in that row. */
function summariseTurns(commands, count) {
  const runs = runCommands(commands).flat();
  return Array.from({ length: count }, (_, at) => summarise(runs.filter((_, index) => index % count === at)));
}

/** The row by the clock, and where it can be told the same in processor time. */
function compared(name, { p50, p95, processor }, base, target) {
  const row = { name, p50, p95, ratio: p50 / base.p50, target };
  if (processor === undefined) return [row];
  const inTime = {
    name: `${name}, processor time`,
    p50: processor,
    ratio: processor / base.processor,
    target,
  };
  return [row, inTime];
}

function readingRows([program, argv], folder) {
  const off = openPlace(folder, `${program} reading off`, false);
  const on = openPlace(folder, `${program} reading on`);
  return READING.flatMap(command => {
    const commands = [hook(argv, off, command), hook(argv, on, command)];
    const runs = runCommands(commands, { rounds: program === "native" ? 100 : 15 });
    const [without, with_] = runs.map(list => summarise(list.slice(3)));
    return [
      ...compared(`${program}: ${command}, history off`, without, without),
      ...compared(`${program}: ${command}, history on`, with_, without, "1.00 × off"),
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
  const [copy, nothing, tree] = summariseTurns(commands, 3);
  return { copy, nothing, tree };
}

function deletionRows([program, argv], folder) {
  const place = openPlace(folder, `${program} deleting`);
  const { copy, nothing, tree } = timeDeletions(argv, place, SMALL_TREE, DELETIONS);
  requireKept(place, SMALL_TREE * DELETIONS);
  const name = `${program}: ${SMALL_TREE} small files`;
  const less = Object.fromEntries(
    Object.entries(tree).map(([figure, value]) => [figure, Math.max(0, value - nothing[figure])]),
  );
  return [
    ...compared(`${name}, cp -a`, copy, copy),
    ...compared(`${name}, rm -rf`, tree, copy),
    ...compared(`${name}, rm -rf, less the hook`, less, copy, "3 × cp -a"),
  ];
}

function unknownRows([program, argv], folder) {
  const place = openPlace(folder, `${program} unknown`);
  makeRepository(place, LARGE_REPOSITORY, CHANGED);
  const { status, before, after } = timeUnknown(argv, place, STATUSES);
  requireKept(place, CHANGED);
  const name = `${program}: ${LARGE_REPOSITORY} files, ${CHANGED} changed`;
  return [
    ...compared(`${name}, git status --porcelain`, status, status),
    ...compared(`${name}, make, before`, before, status, "1.2 × git status"),
    ...compared(`${name}, make, after`, after, status),
  ];
}

/** Beside a command of which the prefilter says that it only reads. */
function smallRows([program, argv], folder) {
  const place = openPlace(folder, `${program} small`);
  makeRepository(place, SMALL_REPOSITORY, 1);
  runCommands([1, 2, 3].flatMap(() => wholeCall(argv, place, "npm test")));
  const rounds = program === "native" ? 60 : 15;
  const commands = Array.from({ length: rounds }, () => [
    hook(argv, place, "ls"),
    ...wholeCall(argv, place, "npm test"),
  ]).flat();
  const [reading, before, after] = summariseTurns(commands, 3);
  requireKept(place, 1);
  const name = `${program}: ${SMALL_REPOSITORY} files`;
  return [
    ...compared(`${name}, ls`, reading, reading),
    ...compared(`${name}, npm test, before`, before, reading, "2 × ls"),
    ...compared(`${name}, npm test, after`, after, reading),
  ];
}

/** All tracked files are deleted, and come back by git and by an undo in turns. */
function undoRows([program, argv], folder) {
  const place = openPlace(folder, `${program} undo`);
  const tree = makeRepository(place, LARGE_REPOSITORY, 0);
  const env = { HOME: place.home };
  const remove = { argv: ["rm", "-rf", join(place.project, tree)] };
  const commands = Array.from({ length: UNDOS }, () => {
    const [before, after] = wholeCall(argv, place, `rm -rf ${tree}`);
    return [
      remove,
      // The launcher parts commands by two dashes.
      { argv: ["git", "checkout", "."], env },
      before,
      remove,
      after,
      { argv: [...CLI, "undo", "--yes"], env },
    ];
  }).flat();
  const runs = runCommands(commands, { cwd: place.project }).flat();
  const [, checkOut, , , , undo] = Array.from({ length: 6 }, (_, at) =>
    summarise(runs.filter((_, index) => index % 6 === at)),
  );
  const count = readdirSync(join(place.project, tree), { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile(),
  ).length;
  if (count !== LARGE_REPOSITORY) throw new Error(`${count} of ${LARGE_REPOSITORY} files came back`);
  const name = `${program}: ${LARGE_REPOSITORY} tracked files`;
  return [
    ...compared(`${name}, git checkout -- .`, checkOut, checkOut),
    ...compared(`${name}, amplihack undo`, undo, checkOut, "3 × git checkout"),
  ];
}

/** Nothing is new since the last capture. */
function timeUnknown(argv, place, rounds) {
  // What was written a moment ago is looked at again.
  runCommands([1, 2, 3].flatMap(() => wholeCall(argv, place, "make")));
  const asked = { argv: ["git", "-C", place.project, "status", "--porcelain"], env: { HOME: place.home } };
  const commands = Array.from({ length: rounds }, () => [asked, ...wholeCall(argv, place, "make")]).flat();
  const [status, before, after] = summariseTurns(commands, 3);
  return { status, before, after };
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
      const trees = Array.from({ length: size === 10_000 ? 1 : rounds }, () => makeTree(place, size));
      return summarise(runCommands(trees.map(tree => hook(argv, place, `rm -rf ${tree}`))).flat());
    },
  };
  // Node does the same work with another constant; once is enough to see it.
  const chosen = Object.entries(work).slice(0, program === "Node" ? 1 : undefined);
  return chosen.flatMap(([name, time]) => {
    const figures = new Map();
    for (const size of FILES) {
      const place = openPlace(folder, `${program} ${name} ${size}`);
      const found = time(place, size, GROWTH_ROUNDS[size]);
      // On a machine that is very busy the hook's own time limit may come first.
      if (countKept(place) >= (name.endsWith(", git") ? size / 100 : size)) figures.set(size, found);
      else console.error(`${program}: ${name}, ${size} files: not all was kept, so that there is no figure`);
      rmSync(place.home, { recursive: true, force: true });
    }
    return growthRows("history-files", `${program}: ${name}`, "files", figures, "per file ≤ 1 ×");
  });
}

async function lengthRows(programs, folder) {
  const place = openPlace(folder, "length");
  makeRepository(place, SMALL_TREE, 10);
  const figures = new Map();
  const note = (name, count, found) => figures.set(name, (figures.get(name) ?? new Map()).set(count, found));
  for (const count of CHANGES) {
    await fillHistory(place, count);
    for (const [name, argv] of programs) {
      const { before, after } = timeUnknown(argv, place, 6);
      note(`${name}: unknown command, before`, count, before);
      note(`${name}: unknown command, after`, count, after);
    }
    const words = ["history", "undo --dry-run", "undo --yes", "redo --yes"];
    const commands = words.map(text => ({ argv: [...CLI, ...text.split(" ")], env: { HOME: place.home } }));
    const runs = runCommands(commands, { rounds: 4, cwd: place.project });
    for (const [at, text] of words.entries()) note(`amplihack ${text}`, count, summarise(runs[at].slice(1)));
  }
  return [...figures].flatMap(([name, found]) => lengthSeries(name, found));
}

/** `ratio` is to the shortest history: 1 is no growth at all. */
function lengthSeries(series, figures) {
  let shortest;
  return [...figures].map(([size, { p50, p95, processor }]) => {
    shortest ??= processor ?? p50;
    const name = `${series}, ${size} changes`;
    const ratio = (processor ?? p50) / shortest;
    return { name, p50, p95, ratio, part: "history-length", series, size, sizeUnit: "changes" };
  });
}

/** `ratio` is the cost of one file against that at the smallest number of them: 1 is linear. */
function growthRows(part, series, sizeUnit, figures, target) {
  let smallest;
  return [...figures].map(([size, { p50, p95, processor }]) => {
    const cost = (processor ?? p50) / size;
    smallest ??= cost;
    const name = `${series}, ${size} ${sizeUnit}`;
    return { name, p50, p95, ratio: cost / smallest, target, part, series, size, sizeUnit };
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
  return tree;
}

/** A history that keeps nothing is always fastest. */
function requireKept(place, files) {
  const kept = countKept(place);
  if (kept < files) throw new Error(`the history has ${kept} files where ${files} should have been kept`);
}

function countKept({ home }) {
  const objects = join(home, ".amplihack/history/objects");
  if (!existsSync(objects)) return 0;
  return readdirSync(objects, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    .length;
}
