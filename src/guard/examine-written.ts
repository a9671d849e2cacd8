import type { RuleId } from "../config/index.ts";
import { analyseCommand, isInstaller, mayBringOrSend } from "../programs/index.ts";
import type { ShellContext } from "../shell/index.ts";
import { clip, liveTokenIn } from "../text/index.ts";
import {
  classifyPath,
  findRepository,
  isIgnoredNow,
  partsBelow,
  secretAt,
  startsLater,
} from "../workspace/index.ts";
import { collectEffects } from "./collect.ts";
import { collectFindings } from "./collect-findings.ts";
import { describeDanger, findingsOfFile } from "./examine-session-files.ts";
import { type Details, type Finding, makeFinding, settleVerdict } from "./finding.ts";
import { liftsQuestions } from "./injection/lifted-questions.ts";
import type { GuardWorkspace } from "./judgement.ts";
import { findRule } from "./rules.ts";
import { isCodeFile } from "./session-files.ts";

const RULE = "exec.elsewhere" satisfies RuleId;

/** A text that a call writes; `invocation` says which command of it. */
export interface WrittenText {
  readonly path: string;
  readonly text: string;
  readonly invocation: number | undefined;
}

/** What a service runs for everybody who pushes, with the secrets of the project. */
const PIPELINE =
  /\/\.(?:github|gitea|forgejo)\/(?:workflows|actions)\/.+\.ya?ml$|\/(?:\.gitlab-ci[^/]*|bitbucket-pipelines|azure-pipelines[^/]*|\.travis|\.drone|appveyor|cloudbuild)\.ya?ml$|\/\.(?:circleci|buildkite|woodpecker|gitlab|tekton)\/.+\.ya?ml$/;
/** By a path below the repository. */
export function isPipeline(path: string): boolean {
  return PIPELINE.test(`/${path}`);
}

/** What an editor or a notebook runs when a person opens it. */
const OPENED =
  /\.ipynb$|\/\.vscode\/(?:tasks|launch|settings)\.json$|\/\.idea\/.+\.xml$|\/\.?devcontainer(?:\/[^/]+)?\.json$/;
const MAX_TEXT = 64 * 1024;
const MAX_STEPS = 64;
const MAX_WHAT = 160;

/** Questions about texts that run where no call of the session is judged any more. */
export function findWritten(
  texts: readonly WrittenText[],
  workspace: GuardWorkspace,
  shell: () => ShellContext,
): readonly Finding[] {
  return texts.flatMap(({ path, text, invocation }) => {
    if (text.length > MAX_TEXT) return [];
    const token = newToken(path, text, workspace);
    if (token !== undefined) return ask("git.secret-add", `${path} (${token})`, { name: path });
    const what = whatOf(path, text, workspace, shell);
    return what === "" ? [] : ask(RULE, `${path} (${what})`, { file: path, what });

    function ask(id: RuleId, target: string, details: Details): readonly Finding[] {
      const rule = findRule(id);
      const verdict = settleVerdict(rule, undefined, workspace.settings);
      return verdict === "allow" ? [] : [makeFinding(rule, verdict, invocation, target, details)];
    }
  });
}

/** A live credential in a file that git will take along, where none was before. */
function newToken(path: string, text: string, workspace: GuardWorkspace): string | undefined {
  const { disk, project } = workspace;
  const token = liveTokenIn(text);
  if (token === undefined || project === undefined || secretAt(workspace, path) !== undefined)
    return undefined;
  const below = partsBelow(project, path);
  const isTaken =
    below !== undefined &&
    classifyPath(workspace, path) === "source" &&
    !isIgnoredNow(workspace, project, below) &&
    findRepository(disk, path) !== undefined;
  return isTaken && liveTokenIn(disk.text(path, MAX_TEXT) ?? "") === undefined ? token : undefined;
}

/** What the text would do by itself at this place; empty where it does nothing, or only what a later call would start. */
function whatOf(path: string, text: string, workspace: GuardWorkspace, shell: () => ShellContext): string {
  if (PIPELINE.test(path)) {
    const opens = FOREIGN_EVENT.test(text) && !WHOLE_PIPELINE.test(text) && !FOREIGN_EVENT.test(readNow());
    return opens ? FOREIGN_RIGHTS : describeLeak(text, workspace, shell());
  }
  if (MANIFEST.test(path)) {
    for (const [, command = ""] of text.matchAll(LIFECYCLE)) {
      const danger = describeDanger(`${path}.sh`, command.replaceAll('\\"', '"'), workspace, shell());
      if (danger !== "") return danger;
    }
    return "";
  }
  if (INSTRUCTIONS.test(path) && liftsQuestions(text)) return "tells agents not to ask";
  if (SETTINGS.test(path) && LIFTS.test(text)) return "lets an agent or an editor act without asking";
  // Git and package managers run hooks whatever they are called with.
  const isStarted = OPENED.test(path) || (STARTED.test(path) && startsLater(workspace, path));
  const danger = isStarted
    ? describeDanger(HOOK.test(path) ? `${path}.sh` : path, text, workspace, shell())
    : "";
  return danger === "" ? describeAttack(path, text, workspace, shell) : danger;

  function readNow(): string {
    return workspace.disk.text(path, MAX_TEXT) ?? "";
  }
}

/** A piece of one, that takes the place of another, has none. */
const WHOLE_PIPELINE = /^["']?jobs["']?:/m;
const FOREIGN_RIGHTS = "runs code of foreign pull requests with the rights of the project";

/** What agents read at the start of each session. */
const INSTRUCTIONS =
  /\/(?:CLAUDE|AGENTS?|GEMINI|QWEN|CRUSH|copilot-instructions)(?:\.local)?\.md$|\/\.(?:cursorrules|windsurfrules|clinerules|goosehints)$|\/\.[\w-]+\/(?:rules|skills|commands|agents|prompts|instructions|steering)\/.+\.(?:md|mdc|txt)$/;
/** Settings of editors and agents, in which nobody is asked any more what they do by themselves. */
const SETTINGS = /\/\.[^/]+\/(?:[^/]+\/)*[^/]+\.(?:jsonc?|toml|ya?ml)$|\.code-workspace$/;
const LIFTS =
  /"runOn"\s*:\s*"folderOpen"|\b(?:auto_?-?(?:approve|accept|run|allow)\w*|allowAutomaticTasks|yolo\w*|dangerously\w*|bypass_?-?permissions\w*|(?:skip|disable|no)_?-?(?:confirm|approval|permission)\w*|trust_?-?all\w*)"?\s*[:=]\s*(?:true|"(?:on|always|all|true|never|\*)"|\{|\[\s*")|workspace\.trust\.enabled"\s*:\s*false|"?(?:defaultMode|approval_?-?(?:policy|mode))"?\s*[:=]\s*"(?:bypassPermissions|never|yolo|auto_edit|full-auto)"/i;

/** Data, and what a container does to itself. */
const NO_CODE =
  /\.(?:jsonc?|ya?ml|xml|toml|cfg|ini|tf|hcl)$|\/(?:Dockerfile|Containerfile|Earthfile)[^/]*$|\.lock$/;
/** Code is judged when it is written, whatever starts it: what brings in code from outside and runs it, and what sends secrets. */
function describeAttack(
  path: string,
  text: string,
  workspace: GuardWorkspace,
  shell: () => ShellContext,
): string {
  if (!isCodeFile(path) || NO_CODE.test(path) || !mayBringOrSend(text)) return "";
  return describeAttacks(findingsOfFile(path, text, workspace, shell()));
}

function describeAttacks(findings: readonly Finding[]): string {
  const found = findings.find(isAttack);
  return found === undefined ? "" : clip(`${found.title} (${found.target})`.replaceAll("\n", " "), MAX_WHAT);
}

function isAttack({ rule, verdict, target }: Finding): boolean {
  if (rule === "exec.remote") return !isInstaller(/https?:\/\/\S+/.exec(target)?.[0] ?? "");
  return rule === "exec.netshell" || (rule === "sec.exfil" && verdict === "deny");
}

const MANIFEST = /\/package\.json$/;
/** Scripts that installing runs without being asked to, whole or in a piece of the manifest. */
const LIFECYCLE =
  /"(?:pre|post)?(?:install|prepare|prepublish(?:Only)?|prepack)"\s*:\s*"((?:[^"\\]|\\.){1,2000})"/g;
const STARTED = /\/(?:\.husky|\.githooks|\.git-hooks|\.[\w-]+\/hooks)\/[^/]+$|\/\.envrc$/;
const HOOK = /hooks?\/[^/.]+$|\.husky\/[^/.]+$|\.envrc$/;

const SECRET = /\$\{\{[^}]{0,200}\bsecrets\b[^}]{0,200}\}\}/g;
const WHOLE = /\$\{\{\s*to_?json\(\s*secrets\s*\)\s*\}\}/i;
const NAMED = /\b([A-Za-z_]\w{0,100})\s*[:=]\s*["']?\$\{\{[^}]{0,200}\bsecrets\b/g;
const PLACEHOLDER = "CI_SECRET_TOKEN";

/** Started by strangers, with the rights of the project; what they wrote is what runs. */
const FOREIGN_EVENT = /\b(?:pull_request_target|workflow_run|issue_comment)\b/;
const FOREIGN_CODE = /\bpull_request\.head\.(?:sha|ref)\b|\bhead_(?:ref|sha|branch)\b|\brefs\/pull\//;
const MAY_WRITE = /\bwrite-all\b|:\s*write\b/;
/** Looking for what is dangerous, and not doing so. */
const CHECKS =
  /codeql|\b(?:trivy|snyk|semgrep|gitleaks|trufflehog|gosec|bandit|checkov|tfsec|grype|osv-scanner|dependency-review|scorecard|sonar\w*|\w+[ -]audit|govulncheck)\b/i;
const SKIPS = /^\s*(?:-\s*)?if:\s*["']?(?:\$\{\{\s*)?false\b|^\s*continue-on-error:\s*true\b|\|\|\s*true\b/m;

/** A step of a pipeline that shows secrets or sends them away; empty for none. Where one is used, it is used. */
function describeLeak(text: string, workspace: GuardWorkspace, shell: ShellContext): string {
  if (WHOLE.test(text)) return "takes all secrets of the project at once";
  if (
    FOREIGN_EVENT.test(text) &&
    FOREIGN_CODE.test(text) &&
    (MAY_WRITE.test(text) || text.search(SECRET) >= 0)
  )
    return FOREIGN_RIGHTS;
  if (SKIPS.test(text) && CHECKS.test(text)) return "leaves out a check";
  const names = [...text.matchAll(NAMED)].map(([, name = ""]) => name);
  const plain = names.reduce(
    (all, name) => all.replaceAll(`\${${name}}`, `$${PLACEHOLDER}`).replaceAll(`$${name}`, `$${PLACEHOLDER}`),
    text.replace(SECRET, `$${PLACEHOLDER}`),
  );
  for (const step of stepsIn(plain)) {
    const facts = analyseCommand(step, shell, workspace.settings.programs);
    const findings = collectFindings(workspace, facts, step, collectEffects(facts, workspace));
    const leak = findings.find(
      ({ rule, verdict }) => rule === "sec.read" || (rule === "sec.exfil" && verdict === "deny"),
    );
    if (leak !== undefined && plain !== text) return clip(`${leak.title} in a step`, MAX_WHAT);
    const attack = describeAttacks(findings);
    if (attack !== "") return attack;
  }
  return "";
}

const KEY = /^(\s*)(?:- )?(?:run|script|command|before_script|after_script|bash|pwsh)\s*:\s*(.*)$/;
/** The same in a piece of JSON, or in the words of a program that changes one. */
const MEMBER = /["']?\b(?:run|script|command)["']?\s*[:=]\s*(["'])((?:(?!\1)[^\\\n]|\\.){1,500})\1/g;

/** Commands of a pipeline: what stands behind `run:` and its like, on the line or indented below it. */
function stepsIn(text: string): readonly string[] {
  const lines = text.split("\n");
  const found = [...text.matchAll(MEMBER)].slice(0, MAX_STEPS).map(([, , step = ""]) => step);
  for (const [index, line] of lines.entries()) {
    const [, indent = "", value = ""] = KEY.exec(line) ?? [];
    if (!KEY.test(line) || found.length >= MAX_STEPS) continue;
    if (value !== "" && !/^[|>]/.test(value)) {
      found.push(value.replace(/^(["'])([\s\S]*)\1$/, "$2"));
      continue;
    }
    const rest = lines.slice(index + 1);
    const end = rest.findIndex(
      one => one.trim() !== "" && one.length - one.trimStart().length <= indent.length,
    );
    const block = end < 0 ? rest : rest.slice(0, end);
    found.push(block.map(one => one.replace(/^\s*-\s+/, "").trim()).join("\n"));
  }
  return found;
}
