import { basename } from "../../../../system/index.ts";
import { findStatement, saysWords, wordPattern } from "../../../../text/index.ts";
import { promisedSteps } from "./ending.ts";
import { quoteAt, type SessionFacts, type SessionType } from "./facts.ts";

/** What a check found missing. */
export interface CheckFailure {
  readonly reason: string;
  readonly quote?: string;
}

/** What a heuristic may ask besides the session itself. */
export interface ProjectFacts {
  readonly forbidsMerge: boolean;
  /** text of the project's README, empty when there is none */
  readonly readme: string;
}

/** What is missing, a text where there is nothing to quote; false when nothing is. */
type Heuristic = (facts: SessionFacts, project: ProjectFacts) => CheckFailure | string | false;

const COMPLETION = wordPattern(`
  completed? | finished | done | implemented | successfully | all tests pass(?:ed|ing)?
  pr (?:created|ready) | pushed to | merged | no bugs? | no issues? found | not a bug | as expected
  by design | no changes needed
`);

const NEXT_STEPS = wordPattern(`
  next steps? | follow[- ]ups? | future work | remaining (?:work|tasks?) | still needs? to | todos?(?! (?:app|page|view|model|component|list (?:shows?|now|has)))
  to-dos? | (?:left|more) to do | to do(?=\\s*(?:[:.;,)]|lists?|items?|$)) | (?:additional|further) work
  still (?:to be \\w+|missing|to come)
  (?:is|are|comes?) next(?=\\s*(?:[.!;:]|$)) | remaining(?=\\s*:) | (?:go on|continue|proceed|carry on) with the (?:rest|remaining \\w+) | will (?:be (?:added|done)|follow|come) later
  outstanding | not yet (?:complete|done) | incomplete | planned for later | deferred
  pending(?! (?:items?|jobs?|requests?|orders?|messages?|entries|tasks? first|state|status))
  (?:so far|only) \\d+ of (?:the )?\\d+ | \\d+ of (?:the )?\\d+ \\w+ are \\w+ so far
`);

/** Sentences of the closing messages that announce more work. */
export function announcedSteps({ recent }: SessionFacts, limit: number): readonly string[] {
  const found: string[] = [];
  for (const text of closingMessages(recent)) {
    for (const line of text.split(/(?<=[.!?])\s+|\n/)) {
      const at = found.length < limit ? findStatement(line, NEXT_STEPS) : undefined;
      if (at !== undefined && !isSettled(line, at) && !isOffer(line)) found.push(quoteAt(line, at));
    }
  }
  return found;
}

/** "All todos are completed" announces nothing. */
function isSettled(sentence: string, at: number): boolean {
  const isAboutAll = /\b(?:all|every|each)(?:\s+(?:of|the|my|our))*\s+$/i.test(sentence.slice(0, at));
  return isAboutAll && /\b(?:completed?|done|finished|resolved|addressed|closed)\b/i.test(sentence.slice(at));
}

/** What the agent could do if it was asked to, and what is for the user to do, is not left undone. */
const OFFER =
  /\bif you(?:['’]d)? (?:like|want|wish|prefer)\b|\bi can(?: also)?\b|\blet me know\b|\boptional(?:ly)?\b|\b(?:steps?|work|tasks?) (?:for|on) (?:you|your)\b|\byour next steps?\b|\byou (?:can|may|could|might)\b/i;

function isOffer(sentence: string): boolean {
  return OFFER.test(sentence);
}

/** The last ten assistant messages among the last twenty entries. */
function closingMessages(recent: SessionFacts["recent"]): readonly string[] {
  return recent
    .filter(entry => entry.isAssistant && entry.text !== "")
    .slice(-10)
    .map(entry => entry.text);
}

/** Sentences in which the agent says that it is done. */
export function completionClaims({ recent }: SessionFacts, limit: number): readonly string[] {
  return closingMessages(recent)
    .flatMap(text => {
      const at = findStatement(text, COMPLETION);
      return at === undefined ? [] : [quoteAt(text, at)];
    })
    .slice(-limit);
}

const BUILT_IN_COMMANDS = new Set(
  (
    "add-dir agents bashes bug clear compact config context cost doctor effort exit export fast feedback help " +
    "hooks ide init install-github-app login logout mcp memory model output-style permissions plan plugin " +
    "pr-comments privacy-settings release-notes rename resume rewind sandbox stats status statusline " +
    "terminal-setup theme todos upgrade usage vim"
  ).split(" "),
);

const USUAL_ROOT_FILES =
  /^(?:\.[^/]+|README[^/]*|LICEN[CS]E[^/]*|CHANGELOG[^/]*|CONTRIBUTING[^/]*|SECURITY[^/]*|CODE_OF_CONDUCT[^/]*|CLAUDE\.md|AGENTS\.md|GEMINI\.md|Makefile|Dockerfile[^/]*|docker-compose[^/]*|Justfile|Procfile|[^/]+\.(?:toml|json|lock|cfg|ini|ya?ml|gradle|mod|sum|sln|csproj)|[^/]+\.config\.[cm]?[jt]s|setup\.py|conftest\.py|manage\.py|requirements[^/]*\.txt|go\.(?:mod|sum)|build\.rs)$/i;

const HEURISTICS: Readonly<Record<string, Heuristic>> = {
  todos_complete: ({ todos }) => {
    const open = todos.filter(todo => todo.status !== "completed").length;
    return open > 0 && `${open} of ${todos.length} todo entries are not completed`;
  },
  objective_completion: facts => {
    if (facts.hasCreatedPullRequest || facts.hasPushed) return false;
    const closing = facts.recent.slice(-10).filter(entry => entry.isAssistant);
    return (
      !closing.some(entry => saysWords(entry.text, COMPLETION)) &&
      "nothing in the last messages says that the objective was reached"
    );
  },
  next_steps: facts => {
    const [quote] = [...announcedSteps(facts, 1), ...promisedSteps(facts)];
    return quote !== undefined && { reason: "the last messages announce more work", quote };
  },
  skill_invocation: ({ commandsTyped, skillsCalled }) => {
    const isMissing = (name: string) => !BUILT_IN_COMMANDS.has(name) && !skillsCalled.has(name);
    const missing = [...commandsTyped].filter(isMissing).map(name => `/${name}`);
    return missing.length > 0 && `asked for but never invoked: ${missing.join(", ")}`;
  },
  no_direct_main_commit: ({ mainBranchCommand }) =>
    mainBranchCommand !== undefined && `${mainBranchCommand} went straight to the main branch`,
  dev_workflow_complete: facts =>
    facts.writes.length > 0 &&
    !(facts.hasRunTests || facts.hasLinted || facts.hasStaticCheck || facts.hasInlineValidation) &&
    "files were written, but no test, linter or other validation was run",
  philosophy_compliance: ({ writes }) => {
    const write = writes.find(candidate => candidate.leftover !== undefined);
    return write !== undefined && `${write.path} contains ${write.leftover}`;
  },
  local_testing: facts =>
    (facts.lastTestRun === "failed" && "the last run of the tests did not pass") ||
    (facts.hasFailedBuild && "the last build did not pass") ||
    (!(facts.hasPassingTests || facts.hasStaticCheck || facts.hasInlineValidation) &&
      "no test run with a passing result was seen"),
  review_responses: ({ user, assistant }) =>
    user.has("review") &&
    !assistant.has("response") &&
    "review comments were mentioned, but nothing says that they were addressed",
  ci_status: ({ assistant }, { forbidsMerge }) => {
    if (forbidsMerge) return judgeWithoutMerge(assistant);
    if (assistant.openFailure !== undefined) return notPutRight(assistant.openFailure);
    const isOpen = assistant.has("continuousIntegration") && !assistant.has("mergeable");
    return isOpen && "CI was mentioned, but not that the pull request is mergeable";
  },
  agent_unnecessary_questions: ({ counts }) =>
    counts.assistantQuestionMarks > 3 && `the agent asked ${counts.assistantQuestionMarks} questions`,
  documentation_updates: ({ writes }) =>
    writes.some(write => write.isCode) &&
    !writes.some(write => write.isDocument) &&
    "code was written, but no document",
  tutorial_needed: ({ user, writes }) =>
    user.has("feature") &&
    !writes.some(write => /example|tutorial|how_?to|guide|demo/i.test(write.path)) &&
    "a new feature has no example or tutorial",
  feature_docs_discoverable: ({ writes }, { readme }) => {
    const feature = writes.find(
      ({ path, isNew }) => isNew && /(?:^|\/)(?:commands|agents|skills|scenarios)\//.test(path),
    );
    const pages = writes.filter(write => /(?:^|\/)docs\//.test(write.path));
    const isLinked = pages.some(page => readme.split(basename(page.path)).length > 2);
    return (
      feature !== undefined && !isLinked && `${feature.path} has no page in docs/ linked twice in the README`
    );
  },
  presentation_needed: () => false,
  docs_organization: ({ writes }) => {
    const stray = writes.find(
      ({ path }) =>
        /(?:investigation|session|(?:^|[_\-/])log)[^/]*\.(?:md|txt|log)$/i.test(path) &&
        !/(?:^|\/)\.claude\//.test(path),
    );
    return stray !== undefined && `${stray.path} belongs below .claude`;
  },
  investigation_docs: ({ user, assistant, writes }) =>
    (user.has("investigation") || assistant.has("investigation")) &&
    !writes.some(write => write.isDocument) &&
    "the investigation left no document",
  shortcuts: ({ writes }) => {
    const write = writes.find(candidate => candidate.hasShortcut);
    return write !== undefined && `${write.path} has a comment that admits a shortcut`;
  },
  interactive_testing: ({ user, assistant, mostTestsPassed }) =>
    !(user.has("manualTest") || assistant.has("manualTest") || mostTestsPassed >= 10) &&
    "no manual test and no run with ten or more passing tests",
  unrelated_changes: ({ writes }) => writes.length > 20 && `${writes.length} writes in one session`,
  root_pollution: ({ writes }) => {
    const stray = writes.find(
      ({ path, isNew }) => isNew && !path.includes("/") && !USUAL_ROOT_FILES.test(path),
    );
    return stray !== undefined && `${stray.path} was written to the project root`;
  },
  pr_description: ({ pullRequestTexts }) => {
    const missing = ["summary", "test", "plan"].filter(word =>
      pullRequestTexts.some(text => !text.toLowerCase().includes(word)),
    );
    return missing.length > 0 && `the pull request text lacks: ${missing.join(", ")}`;
  },
  branch_rebase: ({ isBehind }) => isBehind && "the branch is behind or has diverged from its base",
  ci_precommit_mismatch: ({ hasPassedPreCommit, assistant }) =>
    hasPassedPreCommit && assistant.has("continuousIntegrationFailed") && "pre-commit passed, but CI failed",
};

/** The user wants to merge by hand: passing or ready for review is enough, a draft is not. */
function judgeWithoutMerge(assistant: SessionFacts["assistant"]): ReturnType<Heuristic> {
  const isReady = assistant.has("readyForReview");
  if (assistant.has("draft") && !isReady) return "the pull request is still a draft";
  if (assistant.has("passing") || isReady) return false;
  if (assistant.openFailure !== undefined) return notPutRight(assistant.openFailure);
  return assistant.has("continuousIntegration") && "CI was mentioned, but not that it passes";
}

function notPutRight(quote: string): CheckFailure {
  return { reason: "a failure was reported and not fixed", quote };
}

/** What the heuristic of that name misses; undefined when it misses nothing. */
export function applyHeuristic(
  name: string,
  facts: SessionFacts,
  project: ProjectFacts,
): CheckFailure | undefined {
  const failure = hasHeuristic(name) && HEURISTICS[name]?.(facts, project);
  return typeof failure === "string" ? { reason: failure } : failure || undefined;
}

export function hasHeuristic(name: string): boolean {
  return Object.hasOwn(HEURISTICS, name);
}

/** One question asked at the end of a session. */
export interface Consideration {
  readonly id: string;
  readonly category: string;
  readonly question: string;
  readonly severity: "blocker" | "warning";
  readonly enabled: boolean;
  readonly sessionTypes: readonly SessionType[] | "all";
  /** the name of its heuristic; undefined when only a model could answer, which then counts as satisfied */
  readonly heuristic: string | undefined;
}

const ALL = "all" as const;
const D: readonly SessionType[] = ["DEVELOPMENT"];
const DI: readonly SessionType[] = ["DEVELOPMENT", "INVESTIGATION"];
const DM: readonly SessionType[] = ["DEVELOPMENT", "MAINTENANCE"];
const DMI: readonly SessionType[] = ["DEVELOPMENT", "MAINTENANCE", "INVESTIGATION"];
const MI: readonly SessionType[] = ["MAINTENANCE", "INVESTIGATION"];

function row(
  id: string,
  severity: Consideration["severity"],
  sessionTypes: Consideration["sessionTypes"],
  category: string,
  question: string,
  enabled = true,
): Consideration {
  const heuristic = hasHeuristic(id) ? id : undefined;
  return { id, category, question, severity, enabled, sessionTypes, heuristic };
}

const SESSION = "Session completion";
const WORKFLOW = "Workflow";
const QUALITY = "Code quality";
const TESTING = "Testing";
const PULL_REQUEST = "Pull request";
const DOCUMENTS = "Documentation";

/** What is asked when the project has no list of its own. */
export const SHIPPED_CONSIDERATIONS: readonly Consideration[] = [
  row("todos_complete", "blocker", D, SESSION, "Are all entries of the todo list completed?"),
  row("objective_completion", "blocker", ALL, SESSION, "Was the user's objective reached?"),
  row("next_steps", "blocker", DI, SESSION, "Is no further work announced?"),
  row("workflow_invocation", "blocker", DI, WORKFLOW, "Was the workflow followed?"),
  row("skill_invocation", "blocker", DMI, WORKFLOW, "Was every skill the user asked for invoked?"),
  row("no_direct_main_commit", "blocker", D, WORKFLOW, "Did nothing go straight to the main branch?"),
  row("dev_workflow_complete", "blocker", D, WORKFLOW, "Was the change validated?"),
  row("philosophy_compliance", "blocker", DM, QUALITY, "Is the code free of stubs and placeholders?"),
  row("local_testing", "blocker", D, TESTING, "Did the tests pass locally?"),
  row("review_responses", "blocker", D, PULL_REQUEST, "Were review comments addressed?"),
  row("ci_status", "blocker", D, PULL_REQUEST, "Does CI pass?"),
  row(
    "agent_unnecessary_questions",
    "warning",
    ALL,
    SESSION,
    "Did the agent go on without needless questions?",
  ),
  row("documentation_updates", "warning", DMI, DOCUMENTS, "Were documents updated with the code?"),
  row("tutorial_needed", "warning", D, DOCUMENTS, "Does a new feature have an example?"),
  row("feature_docs_discoverable", "warning", D, DOCUMENTS, "Can new features be found in the README?"),
  row("presentation_needed", "warning", D, DOCUMENTS, "Does the work need a presentation?", false),
  row("docs_organization", "warning", MI, DOCUMENTS, "Are notes kept where they belong?"),
  row("investigation_docs", "warning", ["INVESTIGATION"], DOCUMENTS, "Was the investigation written down?"),
  row("shortcuts", "warning", D, QUALITY, "Were no shortcuts taken?"),
  row("interactive_testing", "warning", D, TESTING, "Was the change tried by hand?"),
  row("unrelated_changes", "warning", D, QUALITY, "Does the change keep to its subject?"),
  row("root_pollution", "warning", D, QUALITY, "Is the project root free of new stray files?"),
  row("pr_description", "warning", D, PULL_REQUEST, "Does the pull request say what, how tested and why?"),
  row("branch_rebase", "warning", D, PULL_REQUEST, "Is the branch up to date?"),
  row("ci_precommit_mismatch", "warning", D, PULL_REQUEST, "Do pre-commit and CI agree?"),
];

const BUILT_IN_IDS = [
  "todos_complete",
  "dev_workflow_complete",
  "philosophy_compliance",
  "local_testing",
  "ci_status",
];

/** What is asked when the project's own list cannot be used. */
export const FALLBACK_CONSIDERATIONS: readonly Consideration[] = SHIPPED_CONSIDERATIONS.filter(({ id }) =>
  BUILT_IN_IDS.includes(id),
).map(consideration => ({ ...consideration, sessionTypes: D }));
