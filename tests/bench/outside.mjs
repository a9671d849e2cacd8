// How the guard does on public sets that the user has a checkout of, beside `cc-safety-net`, by the sets' own categories:
//   npm run bench outside -- --redcode DIR --dcg DIR --tldr DIR --nl2bash FILE --trajectories DIR
// Of dangerous commands the share that is stopped, of ordinary ones the share that is bothered. What is counted stands in
// outside-categories.json. No text of those sets is in this repository.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { parse as parseToml } from "smol-toml";

const CATEGORIES = JSON.parse(readFileSync(new URL("outside-categories.json", import.meta.url), "utf8"));
const PEER = resolve("node_modules/cc-safety-net/dist/api.js");
const MAX_COMMAND = 20_000;
const READERS = {
  redcode: readRedcode,
  dcg: readDcg,
  tldr: readTldr,
  nl2bash: readNl2bash,
  trajectories: readTrajectories,
};

/** What a user has to put right. */
class WrongSet extends Error {}

/** Rows of figures; none without a set. */
export async function bench(given = {}) {
  const sets = Object.keys(READERS).filter(name => given[name] !== undefined);
  if (sets.length === 0) {
    process.stderr.write(
      "outside: no set was named; see docs/maintainers/performance.md, Public sets of others\n",
    );
    return [];
  }
  const judges = await openJudges();
  try {
    return sets.flatMap(set => rowsOf(set, readSet(set, given[set]), judges.judges));
  } catch (error) {
    if (!(error instanceof WrongSet)) throw error;
    console.error(`outside: ${error.message}`);
    process.exit(2);
  } finally {
    judges.close();
  }
}

/** The cases of one set: `{ category, kind, command }`. An empty set is an error, not a figure. */
export function readSet(set, place) {
  if (!existsSync(place)) throw new WrongSet(`--${set}: there is no ${place}`);
  const cases = READERS[set](place, CATEGORIES[set]).filter(
    ({ command }) => command.trim() !== "" && command.length <= MAX_COMMAND,
  );
  if (cases.length === 0)
    throw new WrongSet(`--${set}: nothing in ${place} has the form: ${CATEGORIES[set].files}`);
  return cases;
}

/** Stopped or bothered, in per cent, of each category and each guard. */
export function rowsOf(set, cases, judges) {
  const groups = Map.groupBy?.(cases, ({ kind, category }) => `${kind} ${category}`) ?? groupBy(cases);
  return [...groups]
    .sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }))
    .flatMap(([, group]) => {
      const [{ kind, category }] = group;
      const verb = kind === "dangerous" ? "stopped" : "bothered";
      return Object.entries(judges).map(([name, isStopped]) => ({
        name: `${set}, ${category}: ${verb} by ${name} (${group.length})`,
        p50: (100 * group.filter(({ command }) => isStopped(command)).length) / group.length,
        unit: "%",
      }));
    });
}

function groupBy(cases) {
  const groups = new Map();
  for (const each of cases) {
    const key = `${each.kind} ${each.category}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups;
}

async function openJudges() {
  const load = path => import(pathToFileURL(path).href);
  const {
    contextOf,
    DEFAULT_GUARD_SETTINGS: settings,
    judgeTool,
  } = await load(resolve("dist/guard/index.js"));
  const { createNodeSystem } = await load(resolve("dist/engine/index.js"));
  // Outside of temporary folders, where deleting is nobody's loss.
  const home = mkdtempSync(join(homedir(), ".amplihack-outside-"));
  const system = createNodeSystem();
  const ours = command => {
    const input = {
      kind: "tool",
      cwd: home,
      tool: { name: "Bash", canonicalName: "Bash", input: { command } },
      facts: { command, paths: [] },
    };
    return judgeTool(input, contextOf(input, system, { home, cwd: home, settings })).verdict !== "allow";
  };
  const judges = { amplihack: ours };
  if (existsSync(PEER)) {
    const { checkCommand } = await load(PEER);
    judges["cc-safety-net"] = command => checkCommand({ command, cwd: home }).kind !== "allow";
  }
  return { judges, close: () => rmSync(home, { recursive: true, force: true }) };
}

function filesBelow(place, pattern) {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true })
    .map(name => join(place, name))
    .filter(path => pattern.test(path) && statSync(path).isFile())
    .sort();
}

function readRedcode(place, { kind, names }) {
  return filesBelow(place, /index\d+[^/]*\.json$/).flatMap(path => {
    const number = /index(\d+)/.exec(basename(path))[1];
    if (!Object.hasOwn(names, number)) return [];
    // By the set's own folders: where the checkout lies says nothing.
    const isPython = /python|py2|py_/i.test(relative(dirname(resolve(place)), path));
    return readJson(path).map(({ Code = "" }) => ({
      kind,
      category: `${number} ${names[number]}${isPython ? ", Python" : ""}`,
      command: isPython ? `python3 - <<'REDCODE'\n${Code}\nREDCODE` : Code,
    }));
  });
}

function readDcg(place, { dangerous, ordinary }) {
  return filesBelow(place, /\.toml$/).flatMap(path => {
    const { case: cases } = parseToml(readFileSync(path, "utf8"));
    return (Array.isArray(cases) ? cases : []).flatMap(({ command, expected }) => {
      const word = String(expected).toLowerCase();
      const kind = dangerous.includes(word) ? "dangerous" : ordinary.includes(word) ? "ordinary" : undefined;
      const category = relative(place, path).replace(/\.toml$/, "") || basename(path);
      return kind === undefined || typeof command !== "string" ? [] : [{ kind, category, command }];
    });
  });
}

function readTldr(place, { kind, dangerousWords }) {
  const dangerous = new RegExp(dangerousWords, "i");
  return filesBelow(place, /pages[/\\][^/\\]+[/\\][^/\\]+\.md$/).flatMap(path => {
    const category = path.split(sep).at(-2);
    const examples = [...readFileSync(path, "utf8").matchAll(/^- (.*)\n\n`(.+)`$/gm)];
    return examples.flatMap(([, about, command]) =>
      dangerous.test(about) ? [] : [{ kind, category, command: command.replace(/\{\{(.*?)\}\}/g, "$1") }],
    );
  });
}

function readNl2bash(place, { kind, destructive }) {
  const pattern = new RegExp(destructive);
  return filesBelow(place, /\.cm$/).flatMap(path =>
    readFileSync(path, "utf8")
      .split("\n")
      .map(command => ({ kind, category: pattern.test(command) ? "destructive" : "others", command })),
  );
}

function readTrajectories(place, { kind }) {
  return filesBelow(place, /\.(?:traj|json|jsonl)$/).flatMap(path => {
    const values = path.endsWith(".jsonl") ? readLines(path) : [readJson(path)];
    const category = relative(place, path).split(sep)[0];
    return [...new Set(values.flatMap(commandsIn))].map(command => ({ kind, category, command }));
  });
}

/** Another file of a checkout may have the name and not the form: it is left out, and told. */
function readJson(path, text = readFileSync(path, "utf8")) {
  try {
    return JSON.parse(text);
  } catch {
    process.stderr.write(`left out, because it is no JSON: ${path}\n`);
    return [];
  }
}

function readLines(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(line => line.trim() !== "")
    .map(line => readJson(path, line));
}

function commandsIn(value) {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" && (name === "action" || name === "command") ? [member] : commandsIn(member),
  );
}
