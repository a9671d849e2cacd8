import { hasHeuristic } from "./heuristics.ts";
import type { SessionType } from "./session-type.ts";

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
