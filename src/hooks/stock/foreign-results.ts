import { BUILT_IN, type GuardSettings } from "../../config/index.ts";
import { type InjectionFinding, loadFind, loadFinding, type Rule } from "../../guard/index.ts";
import { type InputOf, type Json, stringAt } from "../../protocol/index.ts";
import { isInside, resolve } from "../../system/index.ts";
import { clip, escapeHidden } from "../../text/index.ts";
import { configurationFor } from "../program/guard-context.ts";
import type { HookContext } from "../program/hook-context.ts";

/** What is told about a result from outside that reads like instructions. */
export interface ForeignWarning {
  /** for the model */
  readonly warning: string;
  /** for the person */
  readonly message: string;
  readonly rules: readonly string[];
  /** where the text came from */
  readonly source: string;
}

const WEB_TOOLS: ReadonlySet<string> = new Set(["WebFetch", "WebSearch"]);
/** Programs that print what others wrote somewhere else. */
const FETCHES =
  /\b(?:curl|wget|https?|xhs?|lynx|w3m|aria2c|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\s|\bgh\s+(?:issue|pr|api|release|gist|search|run|discussion)\b|\bglab\s+(?:issue|mr|api|release)\b|\b(?:npm|pnpm|yarn)\s+(?:view|info|show)\b|\bamplihack(?:\.cjs)?\s+(?:-\S+\s+)*memory\s/;
/** Folders in a project whose files others wrote. */
const FOREIGN_FOLDER =
  /(?:^|[\s/"'=])(?:node_modules|vendor|third_party|site-packages|\.venv|[Dd]ownloads)\//;
const MAX_SHOWN = 120;

/** Warns when a call brought text from outside that speaks to the agent. The result itself is never changed. */
export async function inspectForeign(
  input: InputOf<"tool">,
  context: HookContext,
): Promise<ForeignWarning | undefined> {
  const result = input.result ?? input.error;
  if (result === undefined || result === "" || !isForeign(input, context)) return undefined;
  const [first, ...others] = await findOrders(result, input.cwd, context);
  return first === undefined ? undefined : render([first, ...others], input);
}

/** What in a text of others is worded as orders for an agent, as far as the configuration wants to hear of it. */
export async function findOrders(
  text: Json,
  cwd: string | undefined,
  context: HookContext,
): Promise<readonly Spoken[]> {
  if (!context.hasPart("guard")) return [];
  return spokenOrders(text, () => (configurationFor(context.system, cwd)?.config ?? BUILT_IN).guard);
}

function isForeign({ tool, facts, cwd }: InputOf<"tool">, context: HookContext): boolean {
  const { canonicalName, name } = tool;
  if (WEB_TOOLS.has(canonicalName) || /^mcp(?:__|:)/i.test(canonicalName) || /^mcp(?:__|:)/i.test(name))
    return true;
  if (canonicalName === "Bash") {
    const command = facts.command ?? "";
    return FETCHES.test(command) || FOREIGN_FOLDER.test(command);
  }
  if (canonicalName !== "Read") return false;
  return facts.paths.some(path => {
    const whole = resolve(cwd ?? context.directory, path);
    return FOREIGN_FOLDER.test(whole) || !isInside(context.projectRoot, whole);
  });
}

/** The same by the settings alone, which are read only when there is something to say. */
export async function spokenOrders(text: Json, settings: () => GuardSettings): Promise<readonly Spoken[]> {
  const { findInjections, injectionRule } = await loadFind();
  const found = findInjections(text);
  if (found.length === 0) return [];
  const { settleVerdict } = await loadFinding();
  const guard = settings();
  return found
    .map(finding => ({ ...finding, text: injectionRule(finding.rule) }))
    .filter(({ text: rule }) => settleVerdict(rule, undefined, guard) !== "allow");
}

interface Spoken extends InjectionFinding {
  readonly text: Rule;
}

function render(found: readonly [Spoken, ...Spoken[]], { tool }: InputOf<"tool">): ForeignWarning {
  const rules = found.map(({ rule }) => rule);
  const [{ rule, text }] = found;
  const shownTool = clip(escapeHidden(tool.name), MAX_SHOWN);
  const list = found
    .map(({ what, line }) => (line === undefined ? what : `${what} (line ${line})`))
    .join("; ");
  return {
    rules,
    source: `what ${shownTool} returned${describeSource(tool.input)}`,
    warning: `[${rules.join(", ")}] The result of ${shownTool} was written by others, and parts of it read like instructions to an agent: ${list}. ${text.model}`,
    message: `amplihack guard: what ${shownTool} returned${describeSource(tool.input)} reads like instructions to the agent: ${list} [${rule}]. ${text.person} More: amplihack guard why ${rule}`,
  };
}

function describeSource(input: Json): string {
  const place = stringAt(input, "url", "file_path", "path", "query");
  return place === undefined ? "" : ` from ${clip(escapeHidden(place), MAX_SHOWN)}`;
}
