import {
  booleanAt,
  errorText,
  type InputOf,
  type Json,
  memberAt,
  numberAt,
  ownValue,
  parseJsonObject,
  StrictMembers,
  stringAt,
} from "../../protocol/index.ts";
import {
  AtomicFlag,
  AtomicJsonFile,
  findLocksRoot,
  removeIfThere,
  runtimePath,
  VARIABLES,
} from "../../state/index.ts";
import { attempt, type HookContext } from "../program/hook-context.ts";
import type { Observation } from "../program/observers.ts";

/** A development request whose workflow has not shown itself yet. */
interface Tracking {
  /** seconds since 1970 */
  readonly dev_invoked_at: number;
  readonly tool_calls_since: number;
  readonly warning_emitted: boolean;
  readonly source?: string;
}

const CALLS_BEFORE_WARNING = 3;
const FORGOTTEN_AFTER_S = 24 * 60 * 60;
const LOCK_TIMEOUT_MS = 2_000;

const WORKFLOW_SKILL =
  /^(?:dev-orchestrator|default-workflow|(?:amplihack:amplihack|\.claude:amplihack|amplihack):(?:dev|default-workflow))$/;

/** Signs that the workflow runs, by canonical tool; each is looked for in one text of the call. */
const EVIDENCE: Readonly<
  Record<string, { readonly in: (call: ToolCall) => string; readonly signs: RegExp }>
> = {
  Bash: {
    in: call => call.command,
    signs:
      /run_recipe_by_name|smart-orchestrator|recipe_runner|amplihack\.recipes|amplihack recipe run|git checkout -b|git switch -c|git branch |gh pr create|gh issue create/,
  },
  Read: {
    in: call => call.paths.join("\n"),
    signs:
      /DEFAULT_WORKFLOW\.md|smart-orchestrator\.yaml|default-workflow\.yaml|investigation-workflow\.yaml/,
  },
  TodoWrite: {
    in: call => call.todos,
    signs: /Step |step |STEP |Create GitHub issue|Create feature branch|Recipe Runner|recipe runner/,
  },
};
const TOOLS_OF_WORKFLOWS: ReadonlySet<string> = new Set(["Agent", "TaskCreate"]);

interface ToolCall {
  readonly name: string;
  readonly command: string;
  readonly paths: readonly string[];
  readonly todos: string;
}

/** Begins to watch: called when a prompt asks for development. */
export function startTracking(context: HookContext, source?: string): void {
  const fresh = freshTracking(context, source);
  openState(context).write(fresh);
}

/** Watches one call; once, after three calls without a sign of the workflow, it warns. */
export function trackWorkflow(input: InputOf<"tool">, context: HookContext): Observation | undefined {
  try {
    const skill = input.tool.canonicalName === "Skill" ? stringAt(input.tool.input, "skill") : undefined;
    if (skill !== undefined && WORKFLOW_SKILL.test(skill)) {
      startTracking(context);
      return undefined;
    }
    const state = openState(context);
    if (!isTracking(context, state)) return undefined;
    if (showsWorkflow(describeCall(input))) {
      removeIfThere(context.system.files, state.path);
      return undefined;
    }
    return countCall(context, state);
  } catch (error) {
    context.log("ERROR", `workflow tracking failed: ${errorText(error)}`);
    return { metadata: { workflow_enforcement_error: errorText(error) } };
  }
}

function openState(context: HookContext): AtomicJsonFile<Tracking> {
  const path = context.path("workflow-enforcement", `${context.sessionId ?? "current"}.json`);
  return new AtomicJsonFile(path, {
    system: context.system,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    parse: parseTracking,
  });
}

function freshTracking(context: HookContext, source: string | undefined): Tracking {
  return {
    dev_invoked_at: context.system.clock.nowMs() / 1000,
    tool_calls_since: 0,
    warning_emitted: false,
    ...(source === undefined ? {} : { source }),
  };
}

/** A state that cannot be read watches nothing; one of yesterday is forgotten. */
function isTracking(context: HookContext, state: AtomicJsonFile<Tracking>): boolean {
  try {
    const tracking = state.read();
    if (tracking === undefined) return false;
    return context.system.clock.nowMs() / 1000 - tracking.dev_invoked_at <= FORGOTTEN_AFTER_S;
  } catch (error) {
    context.log("WARNING", `workflow tracking is off: ${errorText(error)}`);
    return false;
  }
}

function countCall(context: HookContext, state: AtomicJsonFile<Tracking>): Observation | undefined {
  let isFirstWarning = false;
  const { tool_calls_since: calls } = state.update(
    tracking => {
      const calls = tracking.tool_calls_since + 1;
      isFirstWarning = calls >= CALLS_BEFORE_WARNING && !tracking.warning_emitted;
      return {
        ...tracking,
        tool_calls_since: calls,
        warning_emitted: tracking.warning_emitted || isFirstWarning,
      };
    },
    freshTracking(context, undefined),
  );
  if (!isFirstWarning) return undefined;
  return {
    warnings: [
      `Workflow bypass detected: ${calls} tool calls since the development request and no sign of the workflow. ` +
        "Run the recipe runner now (amplihack recipe run smart-orchestrator); implementing directly is not allowed.",
    ],
    metadata: { workflow_enforcement: "WARNING", tool_calls_without_evidence: calls },
  };
}

function describeCall({ tool, facts }: InputOf<"tool">): ToolCall {
  const todos = memberAt(tool.input, "todos");
  const path = stringAt(tool.input, "file_path", "path");
  return {
    name: tool.canonicalName,
    command: facts.command ?? stringAt(tool.input, "command") ?? "",
    paths: facts.paths.length > 0 || path === undefined ? facts.paths : [path],
    todos: typeof todos === "string" ? todos : Array.isArray(todos) ? todos.map(todoText).join("\n") : "",
  };
}

function todoText(todo: Json): string {
  return `${stringAt(todo, "content") ?? ""} ${stringAt(todo, "activeForm") ?? ""}`;
}

function showsWorkflow(call: ToolCall): boolean {
  if (TOOLS_OF_WORKFLOWS.has(call.name)) return true;
  const evidence = ownValue(EVIDENCE, call.name);
  return evidence?.signs.test(evidence.in(call)) === true;
}

function parseTracking(value: Json): Tracking {
  const tracking = new StrictMembers(value);
  const source = stringAt(value, "source");
  return {
    dev_invoked_at: tracking.number("dev_invoked_at"),
    tool_calls_since: tracking.optional("tool_calls_since", tracking.count) ?? 0,
    warning_emitted: booleanAt(value, "warning_emitted") === true,
    ...(source === undefined ? {} : { source }),
  };
}

const STALE_AFTER_MS = 7_200_000;

/** Another agent started this one: what concerns the person's own session is left out. */
export function isNested(context: HookContext): boolean {
  return VARIABLES.AMPLIHACK_SESSION_DEPTH.get(context.system, text => context.log("WARNING", text)) > 0;
}

/**
 * A workflow is running in this project. Its marker counts while the process it names lives and the marker is
 * not too old; one that no longer counts is removed.
 */
export function isWorkflowActive(context: HookContext, cwd: string | undefined): boolean {
  const { system } = context;
  const path = runtimePath(system, findLocksRoot(system, cwd), "locks", ".workflow_active");
  const marker = new AtomicFlag(path, { system });
  let isActive = false;
  attempt(context, "the workflow marker cannot be used", () => {
    const facts = system.files.inspect(path);
    if (facts === undefined) return;
    const isFresh = system.clock.nowMs() - facts.modifiedMs <= STALE_AFTER_MS;
    isActive = isFresh && namesLivingProcess(context, marker.content() ?? "");
    if (isActive) return;
    context.log("INFO", "the marker of a workflow that no longer runs is removed");
    marker.clear();
  });
  return isActive;
}

/** A marker without a process is believed; one that is not JSON is not. */
function namesLivingProcess({ system }: HookContext, content: string): boolean {
  const marker = parseJsonObject(content, 16);
  if (marker === undefined) return false;
  const pid = numberAt(marker, "pid") ?? 0;
  if (pid <= 0) return true;
  return Number.isSafeInteger(pid) && system.processes.look(pid) !== undefined;
}

const DEV_COMMAND = /^(?:\/dev(?=\s|$)|\/amplihack:dev|\/\.claude:amplihack:dev)/i;

/** An explicit call of the development workflow. */
export function isDevCommand(prompt: string): boolean {
  return DEV_COMMAND.test(prompt.trim());
}
