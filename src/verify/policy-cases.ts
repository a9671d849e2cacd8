import { parseDocument } from "yaml";
import { type GuardSettings, LEVELS, type Level } from "../config/index.ts";
import { type GuardContext, judgeTool, type Verdict } from "../guard/index.ts";
import { normalise } from "../hosts/index.ts";
import { checkInput, isJsonObject, type Json, type JsonObject } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { createMemorySystem } from "../system/memory.ts";

/** The answer that is expected of a policy for one call. */
export interface PolicyCase {
  readonly name: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly level: Level | undefined;
  /** a machine made for the case; without it the call is judged where the command runs */
  readonly scene: Scene | undefined;
  readonly verdict: Verdict;
  readonly rules: readonly string[];
}

interface Scene {
  /** by path below the project, below `~/`, or absolute */
  readonly files: Readonly<Record<string, string>>;
  readonly branch: string | undefined;
  readonly hasRemote: boolean;
}

export interface PolicyResult {
  readonly name: string;
  readonly expected: { readonly verdict: Verdict; readonly rules: readonly string[] };
  readonly verdict: Verdict;
  readonly rules: readonly string[];
  /** why the case failed */
  readonly problem: string | undefined;
}

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;
const VERDICTS: readonly Verdict[] = ["allow", "ask", "deny"];
const MEMBERS = ["name", "command", "tool", "input", "level", "scene", "verdict", "rule"];
const SCENE_MEMBERS = ["files", "branch", "remote"];
const MAX_ALIASES = 100;

/** The cases of a file: a list, or an object with the list as `cases`. */
export function readPolicyCases(text: string, file: string): readonly PolicyCase[] {
  const document = parseDocument(text, { version: "1.2", schema: "core", merge: false });
  const [error] = document.errors;
  if (error !== undefined) throw broken(file, error.message);
  const root = document.toJS({ maxAliasCount: MAX_ALIASES }) as Json;
  const list = isJsonObject(root) ? root["cases"] : root;
  if (!Array.isArray(list) || list.length === 0)
    throw broken(file, "it must be a list of cases, or a list named cases");
  return list.map((value, index) =>
    readCase(value, message => broken(file, `case ${index + 1}: ${message}`)),
  );
}

type Refuse = (message: string) => Problem;

function broken(file: string, message: string): Problem {
  return new Problem(`${file} cannot be used: ${message}`, {
    kind: "broken-cases",
    fix: "a case looks like this: - { command: git push --force origin main, verdict: deny, rule: git.push }",
  });
}

function readCase(value: Json, refuse: Refuse): PolicyCase {
  if (!isJsonObject(value)) throw refuse("it must be an object");
  onlyKnown(value, MEMBERS, "", refuse);
  const { command, tool, input = {}, level, verdict, rule = [], scene } = value;
  if ((command === undefined) === (tool === undefined))
    throw refuse("it needs command or tool, and not both");
  const name =
    textIn(value, "name", refuse) ?? textIn(value, "command", refuse) ?? textIn(value, "tool", refuse);
  if (!isJsonObject(input) || (command !== undefined && value["input"] !== undefined))
    throw refuse("input must be the object of a tool's arguments");
  if (!isListed(VERDICTS, verdict))
    throw refuse(`verdict must be ${VERDICTS.join(", ")}, not ${shown(verdict)}`);
  if (level !== undefined && !isListed(LEVELS, level))
    throw refuse(`level must be ${LEVELS.join(", ")}, not ${shown(level)}`);
  const rules = Array.isArray(rule) ? rule : [rule];
  if (!rules.every(id => typeof id === "string")) throw refuse("rule must be a rule's id, or a list of them");
  return {
    name: name ?? "",
    tool: textIn(value, "tool", refuse) ?? "Bash",
    input: command === undefined ? input : { command },
    level,
    scene: scene === undefined ? undefined : readScene(scene, refuse),
    verdict,
    rules,
  };
}

function readScene(value: Json, refuse: Refuse): Scene {
  if (!isJsonObject(value)) throw refuse("scene must be an object");
  onlyKnown(value, SCENE_MEMBERS, "scene.", refuse);
  const { files = {}, remote = false } = value;
  if (!isJsonObject(files) || !Object.values(files).every(text => typeof text === "string"))
    throw refuse("scene.files must be an object of texts by path");
  if (typeof remote !== "boolean") throw refuse("scene.remote must be true or false");
  const branch = textIn(value, "branch", refuse);
  return { files: files as Readonly<Record<string, string>>, branch, hasRemote: remote };
}

function onlyKnown(value: JsonObject, known: readonly string[], at: string, refuse: Refuse): void {
  const other = Object.keys(value).find(key => !known.includes(key));
  if (other !== undefined) throw refuse(`${at}${other} is none of ${known.join(", ")}`);
}

function textIn(value: JsonObject, key: string, refuse: Refuse): string | undefined {
  const text = value[key];
  if (text === undefined || (typeof text === "string" && text !== "")) return text;
  throw refuse(`${key} must be a text, not ${shown(text)}`);
}

function isListed<T extends string>(known: readonly T[], value: Json | undefined): value is T {
  return typeof value === "string" && (known as readonly string[]).includes(value);
}

function shown(value: Json | undefined): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

/** Judges each case by the settings in force, and compares. Nothing runs. */
export function runPolicyCases(
  cases: readonly PolicyCase[],
  here: GuardContext & { readonly settings: GuardSettings },
): readonly PolicyResult[] {
  return cases.map(one => {
    const { verdict, findings } = judgeCase(one, here);
    const rules: readonly string[] = [...new Set(findings.map(({ rule }) => rule))];
    const expected = { verdict: one.verdict, rules: one.rules };
    const missing = one.rules.filter(rule => !rules.includes(rule));
    const by = rules.length === 0 ? "" : ` by ${rules.join(", ")}`;
    const problem =
      verdict !== one.verdict
        ? `${one.verdict} was expected, and it is ${verdict}${by}`
        : missing.length > 0
          ? `${missing.join(", ")} did not speak: it is ${verdict}${by}`
          : undefined;
    return { name: one.name, expected, verdict, rules, problem };
  });
}

function judgeCase(
  { tool, input, level, scene }: PolicyCase,
  here: GuardContext & { settings: GuardSettings },
) {
  const settings = level === undefined ? here.settings : { ...here.settings, level };
  const context = { ...(scene === undefined ? here : sceneContext(scene)), settings, machineKey: undefined };
  const payload = { hook_event_name: "PreToolUse", cwd: context.cwd, tool_name: tool, tool_input: input };
  const normalised = normalise(JSON.stringify(payload), {
    env: { get: () => undefined },
    event: "PreToolUse",
    host: undefined,
  });
  const checked = normalised.ok ? checkInput(normalised.value) : undefined;
  if (checked?.ok !== true || checked.input.kind !== "tool") throw new Error(`${tool} cannot be judged`);
  return judgeTool(checked.input, context);
}

/** A machine in memory: a home, a project with a repository, and what the case puts there. */
function sceneContext({ files, branch = "feature", hasRemote }: Scene): GuardContext {
  const place = (path: string): string => {
    if (path.startsWith("~/")) return join(HOME, path.slice(2));
    return path.startsWith("/") ? path : join(PROJECT, path);
  };
  const remote = '[remote "origin"]\n\turl = https://example.com/project.git\n';
  const system: System = createMemorySystem({
    cwd: PROJECT,
    env: { HOME },
    files: {
      [`${PROJECT}/.git/HEAD`]: `ref: refs/heads/${branch}\n`,
      [`${PROJECT}/.git/config`]: hasRemote ? remote : "[core]\n",
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [place(path), text])),
    },
  });
  return { cwd: PROJECT, home: HOME, user: "user", tmpdir: "/tmp", system };
}

/** The results as JUnit reads them. */
export function renderJUnit(results: readonly PolicyResult[]): string {
  const failed = results.filter(({ problem }) => problem !== undefined).length;
  const lines = results.map(({ name, problem }) =>
    problem === undefined
      ? `  <testcase classname="guard" name="${escapeXml(name)}"/>`
      : `  <testcase classname="guard" name="${escapeXml(name)}"><failure message="${escapeXml(problem)}"/></testcase>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="amplihack guard" tests="${results.length}" failures="${failed}">`,
    ...lines,
    "</testsuite>",
    "",
  ].join("\n");
}

/** XML has no way to write control characters: a mark stands for each. */
function escapeXml(text: string): string {
  const marks: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text
    .replace(/[&<>"]/g, mark => marks[mark] ?? mark)
    .replace(/\n/g, "&#10;")
    .replace(/[^\P{Cc}\t]|\p{Cs}|[\uFFFE\uFFFF]/gu, "\uFFFD");
}
