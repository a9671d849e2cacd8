// Collects the shell commands that the development of this project has used: from every version of its scripts, pipelines,
// documentation, tests and tools that git knows. No command is run here.
import { spawnSync } from "node:child_process";
import { parse } from "unbash";

/** Files whose commands are judged or parsed and never run, or are dangers that a picture shows: attacks, shapes of syntax. */
const CORPORA =
  /^tests\/(guard|shell|code|programs|property|golden|fixtures|faults|hosts-protocol|native|dashboard\/day)\/|^tests\/history\/commands\/|^src\/(code|shell|programs|guard)\//;
const CODE = /^(tests|scripts|src|native)\/.*\.(ts|mjs)$/;
const RELEVANT =
  /^(package\.json|\.pre-commit-hooks\.yaml)$|\.(md|sh|ya?ml|ts|mjs)$|(^|\/)[^./]+$|^\.ci\/|(^|\/)Dockerfile/;
const MAX_TEXT_CHARACTERS = 1_000_000;

/**
 * Every version of every file that may hold commands, reachable from a commit.
 * @returns {readonly { path: string, text: string }[]}
 */
export function readVersions(root, commit = "HEAD") {
  const listed = git(root, ["rev-list", "--objects", commit]).toString().trimEnd().split("\n");
  const wanted = listed
    .map(line => ({ id: line.slice(0, 40), path: line.slice(41) }))
    .filter(({ path }) => RELEVANT.test(path) && !CORPORA.test(path) && !path.startsWith("node_modules/"));
  const bytes = git(root, ["cat-file", "--batch"], wanted.map(({ id }) => `${id}\n`).join(""));
  const found = [];
  let at = 0;
  for (const { path } of wanted) {
    const end = bytes.indexOf("\n", at);
    const [, kind, size] = bytes.toString("utf8", at, end).split(" ");
    const text = bytes.toString("utf8", end + 1, end + 1 + Number(size));
    at = end + 2 + Number(size);
    if (kind === "blob" && text.length < MAX_TEXT_CHARACTERS) found.push({ path, text });
  }
  return found;
}

function git(root, words, input = "") {
  const ran = spawnSync("git", words, { cwd: root, input, maxBuffer: 1024 ** 3 });
  if (ran.status !== 0) throw new Error(`git ${words.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
}

/**
 * The distinct commands of these versions, with their source, the file that was seen first and the number of versions.
 * @param {{ readSnippets: Function, isProgram: (name: string) => boolean, quoteWord: (word: string) => string }} tools
 */
export function collectCommands(versions, tools) {
  const commands = new Map();
  const omitted = { variable: 0, unreadable: 0 };
  for (const { path, text } of versions) {
    const source = sourceOf(path);
    let texts;
    try {
      texts = textsIn(path, text, tools, omitted);
    } catch {
      // A version in the middle of a change may be no YAML.
      omitted.unreadable += 1;
      continue;
    }
    for (const each of new Set(texts.map(one => one.trim()))) {
      if (each === "") continue;
      const known = commands.get(each);
      if (known === undefined) commands.set(each, { command: each, source, file: path, versions: 1 });
      else known.versions += 1;
    }
  }
  return { commands: [...commands.values()], omitted };
}

const SOURCES = ["scripts and pipelines", "documentation", "tests and tools"];

function sourceOf(path) {
  return SOURCES[path.endsWith(".md") ? 1 : CODE.test(path) ? 2 : 0];
}

function textsIn(path, text, tools, omitted) {
  if (path.endsWith(".md")) return blocksIn(text).flatMap(statementsIn);
  if (CODE.test(path)) return callsIn(path, text, tools, omitted);
  if (path === ".pre-commit-hooks.yaml")
    return [...text.matchAll(/^\s*entry:\s*(.+)$/gm)].map(([, entry]) => entry);
  const snippets = tools.readSnippets(path, text);
  const runs = snippets.filter(({ isPowerShell }) => isPowerShell !== true);
  const names = path === "package.json" ? runs.map(({ name }) => name.replace(/^script /, "npm run ")) : [];
  return [...runs.map(({ text: command }) => command), ...names];
}

/** The shell blocks of a page; of a recorded terminal the lines that were typed. */
function blocksIn(text) {
  const blocks = [...text.matchAll(/^```(sh|bash|shell|console)\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, language, block]) =>
    language === "console" ? [...block.matchAll(/^\$ (.*)$/gm)].map(([, typed]) => typed).join("\n") : block,
  );
}

/** A block has several commands, which an agent runs one by one; the text of a here-document belongs to its command. */
export function statementsIn(block) {
  const starts = parse(block).commands.map(({ pos }) => pos);
  const ends = parse(block).commands.map(({ end }) => end);
  return starts.map((start, index) => {
    const text = block.slice(start, ends[index]);
    return /<<-?\s*["'\w]/.test(text) ? block.slice(start, starts[index + 1]) : text;
  });
}

const TEXT = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\`(?:\\[\s\S]|[^\`\\])*\``;
/** Functions that hand a text to a shell. */
const SHELL_CALL = new RegExp(String.raw`\b(?:shell|exec|execSync)\(\s*(${TEXT})`, "g");
/** The same in tests that let an agent, played or real, run it. */
const AGENT_CALL = new RegExp(String.raw`\b(?:bash|command|run|call)\(\s*(?:\w+,\s*)?(${TEXT})`, "g");
const WITH_AGENT = /^tests\/(history|hosts)\//;
/** Functions that start a program with its words. */
const LIST_CALL = new RegExp(
  String.raw`\b(?:spawn|spawnSync|execFile|execFileSync|run|mustRun|runProgram|start)\(\s*(?:\[\s*(${TEXT})\s*,?((?:\s*(?:${TEXT})\s*,?)*)\]|(${TEXT})\s*,\s*\[((?:\s*(?:${TEXT})\s*,?)*)\])`,
  "g",
);
const GIT_CALL = new RegExp(String.raw`\bgit\(((?:\s*(?:${TEXT})\s*,?)+)\)`, "g");

function callsIn(path, code, { isProgram, quoteWord }, omitted) {
  const valuesOf = list =>
    [...(list ?? "").matchAll(new RegExp(TEXT, "g"))].map(([text]) => literalValue(text));
  const lists = [
    ...[...code.matchAll(LIST_CALL)].map(([, first, rest, program, words]) => [
      literalValue(first ?? program),
      ...valuesOf(first === undefined ? words : rest),
    ]),
    ...[...code.matchAll(GIT_CALL)].map(([, words]) => ["git", ...valuesOf(words)]),
  ];
  const joined = lists.map(words => (words.includes(undefined) ? undefined : words.map(quoteWord).join(" ")));
  const calls = [
    ...(path.startsWith("src/") ? [] : [SHELL_CALL]),
    ...(WITH_AGENT.test(path) ? [AGENT_CALL] : []),
  ];
  const texts = calls.flatMap(call => [...code.matchAll(call)]).map(([, text]) => literalValue(text));
  const all = [...joined, ...texts];
  omitted.variable += all.filter(text => text === undefined).length;
  return all.filter(text => text !== undefined && isCommand(text, isProgram));
}

/** The value of a literal; undefined where part of it is known only when the program runs. */
function literalValue(literal) {
  const inner = literal.slice(1, -1);
  if (literal.startsWith("`") && /(^|[^\\])\$\{/.test(inner)) return undefined;
  return inner.replace(
    /\\(?:\n|u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi,
    (_, long, short, hex, plain) => {
      const code = long ?? short ?? hex;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      return { n: "\n", t: "\t", r: "\r", 0: "\0" }[plain] ?? plain ?? "";
    },
  );
}

/** A sentence is no command: its first word is no program. Nor is what no shell can be given. */
function isCommand(text, isProgram) {
  if (!/\s/.test(text.trim()) || text.includes("\0")) return false;
  const { commands, errors } = parse(text);
  const name = /^(?:[\w]+=\S*\s+)*(?:\S*\/)?([\w.+-]+)/.exec(text.trim())?.[1] ?? "";
  return (errors?.length ?? 0) === 0 && commands.length > 0 && isProgram(name);
}
