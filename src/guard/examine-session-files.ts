import type { RuleId } from "../config/index.ts";
import { analyseFile, filesRunBy } from "../programs/index.ts";
import { type Invocation, knownText, type ShellContext, type ShellFacts } from "../shell/index.ts";
import { basename, globMatches, isInside } from "../system/index.ts";
import { clip, count } from "../text/index.ts";
import { collectEffects } from "./collect.ts";
import { collectFindings } from "./collect-findings.ts";
import { type Details, type Finding, isAnswered, makeFinding, settleVerdict, withStamp } from "./finding.ts";
import type { GuardWorkspace } from "./judgement.ts";
import { isOfFamily, type Rule } from "./rule.ts";
import { findRule } from "./rules.ts";
import { isCodeFile, isHookFile } from "./session-files.ts";

const RULE = "exec.session" satisfies RuleId;
/** Those that were written last are read, up to so much text that is new; there is a question about the rest. */
const MAX_FILES = 256;
const MAX_SEEN = 4096;
const MAX_NEW_BYTES = 512 * 1024;
const MAX_FILE_BYTES = 128 * 1024;
const MAX_TOLD = 3;
const MAX_WHAT = 160;
const HOOKS = "hooks";
const CHANGING = "may still be changed by a command in the background";

/** Questions about the files of the session that a command may run though it does not name them. */
export function findSessionFiles(
  facts: ShellFacts,
  workspace: GuardWorkspace,
  shell: ShellContext,
): readonly Finding[] {
  const { given } = workspace;
  if (given.written === undefined) return [];
  const changing = findChanging(facts, workspace);
  if (changing.length > 0) return changing;
  const starters = facts.invocations.flatMap(invocation => {
    const patterns = filesRunBy(invocation);
    return patterns === undefined ? [] : [{ invocation, patterns }];
  });
  if (starters.length === 0) return [];
  const place = workspace.project ?? workspace.directory;
  // What lies elsewhere is not found by itself; what names it is judged by that name.
  const all = (given.written()?.files() ?? []).filter(path => isCodeFile(path) && isInside(place, path));
  const files = all.slice(-MAX_SEEN).reverse();
  const known = judgedBefore(given.facts?.judged ?? []);
  const found: Finding[] = [];
  const unread: Unread[] = [];
  let bytes = 0;
  for (const [index, path] of files.entries()) {
    const starter = starters.find(({ patterns }) => isMatched(patterns, path));
    if (starter === undefined || found.length >= MAX_TOLD || isNamed(path, facts)) continue;
    const stamp = readStamp(workspace, path);
    if (stamp === undefined) continue;
    if (given.written()?.mayStillWrite(path) === true) {
      found.push(...questionAbout(path, CHANGING, starter.invocation, workspace));
      continue;
    }
    let what = known.get(`${path}\n${stamp}`);
    if (what === undefined) {
      const isRead = index < MAX_FILES && bytes <= MAX_NEW_BYTES;
      const content = isRead ? workspace.disk.text(path, MAX_FILE_BYTES) : undefined;
      if (content === undefined) {
        if (!isData(path, place) && shell.files?.isBinary?.(path) !== true)
          unread.push({ path, stamp, by: starter.invocation });
        continue;
      }
      bytes += content.length;
      what = describeDanger(path, content, workspace, shell);
      given.onJudged?.(`${path}\n${stamp}\n${what}`);
    }
    if (what !== "") found.push(...questionAbout(path, what, starter.invocation, workspace));
  }
  const older = all.length - files.length;
  return found.length > 0
    ? found
    : questionAboutRest(unread, older, place, starters[0]?.invocation, workspace);
}

/** What is read now is not what runs where a command in the background writes the file in between. */
function findChanging(facts: ShellFacts, workspace: GuardWorkspace): readonly Finding[] {
  return facts.codeRuns.flatMap(({ path, invocation: id = 0 }) => {
    const file = path === undefined ? undefined : knownText(path);
    return file !== undefined && workspace.given.written?.()?.mayStillWrite(file) === true
      ? questionAbout(file, CHANGING, { id }, workspace)
      : [];
  });
}

interface Unread {
  readonly path: string;
  readonly stamp: string;
  readonly by: Invocation;
}

const LOCK = /(?:[-.]lock|-shrinkwrap)\.(?:json|ya?ml)$|\.lock$/;
const DATA = /\.(?:json|ya?ml|xml|toml)$/i;

/** What programs write for themselves, and what lies in a folder of its own: large ones are everyday, and nothing runs them. */
function isData(path: string, place: string): boolean {
  const below = path.slice(place.length + 1);
  return LOCK.test(path) || (DATA.test(path) && below.includes("/") && !below.startsWith("."));
}

/** Not known is not harmless. A yes is for all that was written until then. */
function questionAboutRest(
  unread: readonly Unread[],
  older: number,
  place: string,
  first: Invocation | undefined,
  workspace: GuardWorkspace,
): readonly Finding[] {
  const { given } = workspace;
  const [one] = unread;
  const by = one?.by ?? first;
  if (by === undefined || unread.length + older === 0) return [];
  const prefix = `${RULE}\n${place}\n`;
  const isKnown = given.facts?.permitted.some(key => {
    const untilMs = key.startsWith(prefix) ? Number(key.slice(prefix.length)) : 0;
    return untilMs > 0 && older === 0 && unread.every(({ stamp }) => changedMs(stamp) <= untilMs);
  });
  if (isKnown === true) return [];
  const more = unread.length + older - 1;
  const named = `${one?.path ?? place}${more > 0 ? ` and ${count(more, "other file")}` : ""}`;
  const what = "is more than can be read before it runs";
  const [made] = makeQuestion(place, { file: named, what }, by, workspace);
  return made === undefined ? [] : [{ ...made, stamp: String(given.nowMs ?? 0) }];
}

/** A stamp ends with the times of modification and of change, of which nobody can set the last one. */
function changedMs(stamp: string): number {
  return Math.max(...stamp.split(":").slice(-2).map(Number)) / 1e6;
}

function isMatched(patterns: string, path: string): boolean {
  if (patterns === HOOKS) return isHookFile(path);
  return patterns.split(" ").some(pattern => globMatches(pattern, basename(path)));
}

/** What a command runs by its name is judged with the command. */
function isNamed(path: string, { codeRuns }: ShellFacts): boolean {
  return codeRuns.some(({ path: run }) => run !== undefined && knownText(run) === path);
}

function judgedBefore(entries: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    entries.map(entry => {
      const [path = "", stamp = "", what = ""] = entry.split("\n");
      return [`${path}\n${stamp}`, what];
    }),
  );
}

function readStamp({ given }: GuardWorkspace, path: string): string | undefined {
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
export function describeDanger(
  path: string,
  content: string,
  workspace: GuardWorkspace,
  shell: ShellContext,
): string {
  if (content.includes("\0")) return "";
  // What runs in a container is judged by what is mounted there.
  if (COMPOSE.test(basename(path))) return MOUNTS_HOME.test(content) ? "mounts a home or the whole disk" : "";
  const { facts, findings } = examineFile(path, content, workspace, shell);
  const grave = findings.filter(finding => isGrave(finding, workspace));
  const worst = grave.find(({ verdict }) => verdict === "deny") ?? grave[0];
  const isCut = facts.unexamined.some(({ reason }) => reason === "steps" || reason === "input-size");
  if (worst === undefined && isCut) return "is more than can be read before it runs";
  return worst === undefined ? "" : clip(`${worst.title} (${worst.target})`.replaceAll("\n", " "), MAX_WHAT);
}

/** What is found in the text, as if a program had loaded it. */
export function findingsOfFile(
  path: string,
  content: string,
  workspace: GuardWorkspace,
  shell: ShellContext,
): readonly Finding[] {
  return examineFile(path, content, workspace, shell).findings;
}

function examineFile(path: string, content: string, workspace: GuardWorkspace, shell: ShellContext) {
  const facts = analyseFile(path, content, { ...shell, hasArguments: true }, workspace.settings.programs);
  return { facts, findings: collectFindings(workspace, facts, content, collectEffects(facts, workspace)) };
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
  by: Pick<Invocation, "id">,
  workspace: GuardWorkspace,
): readonly Finding[] {
  const { system, facts } = workspace.given;
  return makeQuestion(`${path} (${what})`, { file: path, what }, by, workspace)
    .map(made => withStamp(made, path, system.files))
    .filter(finding => !isAnswered(finding, facts?.permitted ?? []));
}

function makeQuestion(
  target: string,
  details: Details,
  { id }: Pick<Invocation, "id">,
  { settings }: GuardWorkspace,
): readonly Finding[] {
  const rule = findRule(RULE);
  const verdict = settleVerdict(rule, undefined, settings);
  return verdict === "allow" ? [] : [makeFinding(rule, verdict, id, target, details)];
}
