import { runGit } from "../history/index.ts";
import { defined, isJsonObject, type Json, readJson, StrictMembers } from "../protocol/index.ts";
import { AtomicJsonFile, findProgram } from "../state/index.ts";
import { childEnvironment, join, type System } from "../system/index.ts";
import { findTop, GIT_MS, repositoryDirectory } from "./orchestration/worktrees.ts";

/** What is known of a branch's protection. A member is missing where the server did not tell it. */
interface Protection {
  readonly isProtected?: boolean | undefined;
  /** the classic settings, which only administrators read: `enforce_admins.enabled=true` */
  readonly settings?: readonly string[] | undefined;
  /** of rulesets, which everybody reads: `pull_request.required_approving_review_count=2` */
  readonly rules?: readonly string[] | undefined;
}

export interface ProtectionReport {
  readonly branch: string;
  /** `first`: nothing was known before. `unknown`: the server did not answer. */
  readonly kind: "as-before" | "first" | "none" | "weaker" | "unknown";
  /** rules that went away and permissions that came, in the server's words; or why it is not known */
  readonly lines: readonly string[];
}

interface Request {
  readonly directory: string;
  /** the one that the remote calls its own, and those seen before, when absent */
  readonly branch?: string | undefined;
  /** what is there now counts from now on */
  readonly accepts?: boolean | undefined;
}

const MAX_BRANCHES = 10;
const GH_MS = 20_000;
const MAX_ANSWER = 4 * 1024 * 1024;
const MAX_DEPTH = 20;

/** Compares the protection of branches with the last one that was seen. What became weaker is told until it is accepted. */
export async function checkProtection(
  system: System,
  request: Request,
): Promise<readonly ProtectionReport[]> {
  const top = await findTop(system, request.directory);
  const listed = await runGit(system, ["worktree", "list", "--porcelain"], { cwd: top, timeoutMs: GIT_MS });
  const main = /^worktree (.+)$/m.exec(listed.text)?.[1] ?? top;
  const file = new AtomicJsonFile(join(repositoryDirectory(system, "protection", main), "branches.json"), {
    system,
    parse: parseKept,
  });
  const kept = file.readOrDefault({});
  const branches =
    request.branch === undefined
      ? [...new Set([...Object.keys(kept), ...(await mainBranch(system, top))])].slice(0, MAX_BRANCHES)
      : [request.branch];
  const reports: ProtectionReport[] = [];
  for (const branch of branches) {
    const now = await readProtection(system, top, branch);
    if (typeof now === "string") {
      reports.push({ branch, kind: "unknown", lines: [now] });
      continue;
    }
    const before = kept[branch];
    const lines = before === undefined || request.accepts === true ? [] : weakerIn(before, now);
    if (lines.length === 0) {
      const next = request.accepts === true ? now : { ...before, ...now };
      file.update(current => ({ ...current, [branch]: next }), {});
    }
    const isNone = now.isProtected === false && (now.rules ?? []).length === 0;
    const kind = lines.length > 0 ? "weaker" : isNone ? "none" : before === undefined ? "first" : "as-before";
    reports.push({ branch, kind, lines });
  }
  return reports;
}

async function mainBranch(system: System, cwd: string): Promise<readonly string[]> {
  const ref = await runGit(system, ["symbolic-ref", "--short", "refs/remotes/origin/HEAD"], {
    cwd,
    timeoutMs: GIT_MS,
  });
  const known = ref.isOk ? ref.text.trim().replace(/^origin\//, "") : "";
  if (known !== "") return [known];
  const found = await runGit(
    system,
    [
      "for-each-ref",
      "--format=%(refname:lstrip=3)",
      "refs/remotes/origin/main",
      "refs/remotes/origin/master",
    ],
    { cwd, timeoutMs: GIT_MS },
  );
  return found.text.split("\n").filter(Boolean).slice(0, 1);
}

/** Why it is not known, as a text. */
async function readProtection(system: System, cwd: string, branch: string): Promise<Protection | string> {
  const gh = findProgram(system, "gh", { directory: cwd });
  if (gh === undefined) return "the program gh is not installed";
  const path = `repos/{owner}/{repo}/branches/${encodeURIComponent(branch)}`;
  const ask = (address: string) => askServer(system, cwd, gh, address);
  const [facts, settings, rules] = await Promise.all([
    ask(path),
    ask(`${path}/protection`),
    ask(`repos/{owner}/{repo}/rules/branches/${encodeURIComponent(branch)}`),
  ]);
  const isProtected = isJsonObject(facts.json) ? facts.json["protected"] : undefined;
  const listed = Array.isArray(rules.json) ? rules.json : undefined;
  if (typeof isProtected !== "boolean" && listed === undefined && settings.json === undefined)
    return facts.problem || "the server did not say";
  return defined({
    isProtected: typeof isProtected === "boolean" ? isProtected : undefined,
    settings:
      settings.json !== undefined
        ? listLines(settings.json)
        : /branch not protected/i.test(settings.problem)
          ? []
          : undefined,
    rules: listed?.flatMap(rule => {
      if (!isJsonObject(rule)) return [];
      const { type, parameters } = rule;
      return [String(type), ...listLines(parameters ?? null).map(line => `${String(type)}.${line}`)];
    }),
  });
}

async function askServer(
  system: System,
  cwd: string,
  gh: string,
  address: string,
): Promise<{ readonly json: Json | undefined; readonly problem: string }> {
  const { end, stdout, stderr } = await system.processes.start({
    argv: [gh, "api", address],
    cwd,
    env: childEnvironment(system, { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" }),
    input: new Uint8Array(0),
    timeoutMs: GH_MS,
    limits: { stdoutBytes: MAX_ANSWER, tailBytes: 0, stderrBytes: 2_000, drainBytes: MAX_ANSWER },
    endsGroup: true,
  }).done;
  const said = `${system.text.decode(stderr).text.trim().split("\n").at(-1)}`;
  if (end.kind !== "exit" || end.code !== 0)
    return { json: undefined, problem: said === "" ? `gh: ${end.kind}` : said };
  const read = readJson(system.text.decode(stdout).text, { recover: false, maxDepth: MAX_DEPTH });
  return read.ok ? { json: read.value, problem: "" } : { json: undefined, problem: "gh printed no JSON" };
}

/** One line for each value that says something; addresses and what is off say nothing. */
function listLines(value: Json, path = ""): readonly string[] {
  if (value === null || value === false || value === "") return [];
  if (Array.isArray(value)) return value.flatMap(item => listLines(item, `${path}[]`)).sort();
  if (!isJsonObject(value)) return [`${path}=${String(value)}`];
  return Object.entries(value)
    .flatMap(([name, member]) =>
      /url$/.test(name) || name === "node_id"
        ? []
        : listLines(member, path === "" ? name : `${path}.${name}`),
    )
    .sort();
}

/** What permits more instead of less. */
const OPENS = /(?:^|[._])(?:allow|bypass)/;

function weakerIn(before: Protection, now: Protection): readonly string[] {
  const isOff = before.isProtected === true && now.isProtected === false;
  const lists = [
    [before.settings, now.settings],
    [before.rules, now.rules],
  ].flatMap(([old, current]) =>
    old === undefined || current === undefined ? [] : weakerLines(old, current),
  );
  return isOff && lists.length === 0 ? ["the branch is no longer protected"] : lists;
}

function weakerLines(old: readonly string[], current: readonly string[]): readonly string[] {
  const gone = old.filter(line => !OPENS.test(line) && !current.includes(line) && !isRaised(line, current));
  const opened = current.filter(line => OPENS.test(line) && !old.includes(line));
  return [...gone.map(line => `gone: ${line}`), ...opened.map(line => `new: ${line}`)];
}

/** Three reviews in place of two protect more. */
function isRaised(line: string, current: readonly string[]): boolean {
  const [, key, number] = /^(.*)=(\d+)$/.exec(line) ?? [];
  return (
    key !== undefined &&
    current.some(each => each.startsWith(`${key}=`) && Number(each.slice(key.length + 1)) > Number(number))
  );
}

function parseKept(value: Json): Readonly<Record<string, Protection>> {
  const branches = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    branches.map(([name, each]) => {
      const kept = new StrictMembers(each, name);
      return [
        name,
        defined({
          isProtected: kept.optional("isProtected", kept.boolean),
          settings: kept.optional("settings", kept.strings),
          rules: kept.optional("rules", kept.strings),
        }),
      ];
    }),
  );
}
