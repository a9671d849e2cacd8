import type { RuleId } from "../config/index.ts";
import { analyseFile, filesRunBy } from "../programs/index.ts";
import type { Invocation, ShellContext, ShellFacts } from "../shell/index.ts";
import { basename, globMatches, isInside } from "../system/index.ts";
import { clip } from "../text/index.ts";
import { collectEffects } from "./collect.ts";
import { collectFindings } from "./collect-findings.ts";
import { type Finding, isAnswered, makeFinding, settleVerdict, withStamp } from "./finding.ts";
import type { GuardWorkspace } from "./judgement.ts";
import { isOfFamily, type Rule } from "./rule.ts";
import { findRule } from "./rules.ts";
import { isCodeFile, isHookFile } from "./session-files.ts";

const RULE = "exec.session" satisfies RuleId;
/** Those that were written last are looked at, up to so many files and so much text that is new. */
const MAX_FILES = 256;
const MAX_NEW_BYTES = 512 * 1024;
const MAX_FILE_BYTES = 128 * 1024;
const MAX_TOLD = 3;
const MAX_WHAT = 160;
const HOOKS = "hooks";

/** Questions about the files of the session that a command may run though it does not name them. */
export function findSessionFiles(
  facts: ShellFacts,
  workspace: GuardWorkspace,
  shell: ShellContext,
): readonly Finding[] {
  const { given } = workspace;
  if (given.written === undefined) return [];
  const starters = facts.invocations.flatMap(invocation => {
    const patterns = filesRunBy(invocation);
    return patterns === undefined ? [] : [{ invocation, patterns }];
  });
  if (starters.length === 0) return [];
  const place = workspace.project ?? workspace.directory;
  // What lies elsewhere is not found by itself; what names it is judged by that name.
  const files = (given.written()?.files() ?? [])
    .filter(path => isCodeFile(path) && isInside(place, path))
    .slice(-MAX_FILES)
    .reverse();
  const known = judgedBefore(given.facts?.judged ?? []);
  const found: Finding[] = [];
  let bytes = 0;
  for (const path of files) {
    const starter = starters.find(({ patterns }) => isMatched(patterns, path));
    if (starter === undefined || found.length >= MAX_TOLD || isNamed(path, facts)) continue;
    const stamp = stampOf(workspace, path);
    if (stamp === undefined) continue;
    let what = known.get(`${path}\n${stamp}`);
    if (what === undefined) {
      const content = bytes > MAX_NEW_BYTES ? undefined : workspace.disk.text(path, MAX_FILE_BYTES);
      if (content === undefined) continue;
      bytes += content.length;
      what = dangerOf(path, content, workspace, shell);
      given.onJudged?.(`${path}\n${stamp}\n${what}`);
    }
    if (what !== "") found.push(...questionAbout(path, what, starter.invocation, workspace));
  }
  return found;
}

function isMatched(patterns: string, path: string): boolean {
  if (patterns === HOOKS) return isHookFile(path);
  return patterns.split(" ").some(pattern => globMatches(pattern, basename(path)));
}

/** What a command runs by its name is judged with the command. */
function isNamed(path: string, { codeRuns }: ShellFacts): boolean {
  return codeRuns.some(
    ({ path: run }) =>
      run?.pieces.length === 1 && run.pieces[0]?.kind === "text" && run.pieces[0].text === path,
  );
}

function judgedBefore(entries: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    entries.map(entry => {
      const [path = "", stamp = "", what = ""] = entry.split("\n");
      return [`${path}\n${stamp}`, what];
    }),
  );
}

function stampOf({ given }: GuardWorkspace, path: string): string | undefined {
  try {
    const facts = given.system.files.exactFacts(path);
    return facts?.kind === "file" ? facts.stamp : undefined;
  } catch {
    return undefined;
  }
}

const COMPOSE = /^(?:docker-)?compose[^/]*\.ya?ml$/;
const MOUNTS_HOME =
  /(?:^|[\s'"[,-])(?:~|\$\{?HOME\}?|\/|\/home(?:\/[^/\s:]+)?|\/root|\/Users\/[^/\s:]+)\/?:\//m;

/** The gravest thing that the text would do, in words; empty for nothing that would be asked about. */
function dangerOf(path: string, content: string, workspace: GuardWorkspace, shell: ShellContext): string {
  if (content.includes("\0")) return "";
  // What runs in a container is judged by what is mounted there.
  if (COMPOSE.test(basename(path))) return MOUNTS_HOME.test(content) ? "mounts a home or the whole disk" : "";
  const facts = analyseFile(path, content, { ...shell, hasArguments: true }, workspace.settings.programs);
  const findings = collectFindings(workspace, facts, content, collectEffects(facts, workspace));
  const grave = findings.filter(finding => isGrave(finding, workspace));
  const worst = grave.find(({ verdict }) => verdict === "deny") ?? grave[0];
  return worst === undefined ? "" : clip(`${worst.title} (${worst.target})`.replaceAll("\n", " "), MAX_WHAT);
}

/** Too little was understood, or it is what programs of a project do. */
const EVERYDAY: readonly Rule["id"][] = [
  "exec.computed",
  "fs.unresolved",
  "sec.read",
  "sec.write",
  "net.sequence",
] satisfies RuleId[];

function isGrave({ rule, verdict, atRisk }: Finding, { project }: GuardWorkspace): boolean {
  if (isOfFamily(rule, "guard", "text", "pkg") || EVERYDAY.includes(rule))
    return verdict === "deny" && isOfFamily(rule, "sec");
  // What is lost in the project is kept first.
  const isKept =
    atRisk !== undefined && project !== undefined && atRisk.every(path => isInside(project, path));
  return verdict === "deny" || !isKept;
}

function questionAbout(
  path: string,
  what: string,
  { id }: Invocation,
  { settings, given }: GuardWorkspace,
): readonly Finding[] {
  const rule = findRule(RULE);
  const verdict = settleVerdict(rule, undefined, settings);
  if (verdict === "allow") return [];
  const made = makeFinding(rule, verdict, id, `${path} (${what})`, { file: path, what });
  const finding = withStamp(made, path, given.system.files);
  return isAnswered(finding, given.facts?.permitted ?? []) ? [] : [finding];
}
