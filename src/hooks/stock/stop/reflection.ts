import {
  errorText,
  type InputOf,
  isTruthy,
  type JsonObject,
  ownValue,
  parseJsonObject,
} from "../../../protocol/index.ts";
import { AtomicFlag, compactTimestamp, readText, VARIABLES } from "../../../state/index.ts";
import { join, writeAtomically } from "../../../system/index.ts";
import { firstCharacters } from "../../../text/index.ts";
import { callBridge } from "../../program/bridge/call.ts";
import type { ReflectReply } from "../../program/bridge/contracts.ts";
import { attempt, type HookContext } from "../../program/hook-context.ts";
import { HOLD_MARK } from "./lock-mode.ts";
import { transcriptId } from "./power-steering/source.ts";

const CONFIG_BYTES = 64 * 1024;

/** The text with which a stop is held so that the findings get presented; undefined when there are none. */
export async function reflectOnSession(
  input: InputOf<"stop">,
  context: HookContext,
): Promise<string | undefined> {
  if (!isSwitchedOn(context)) return undefined;
  const sessionId = context.sessionId ?? "unknown";
  const { system } = context;
  const presented = new AtomicFlag(context.path("reflection", `.reflection_presented_${sessionId}`), {
    system,
  });
  if (presented.isSet()) {
    presented.clear();
    return undefined;
  }
  context.notify("reflecting on the session; this may take up to a minute");
  const path = input.transcriptPath;
  const redirects =
    path === undefined ? undefined : context.path("power-steering", transcriptId(path), "redirects.jsonl");
  const hasRedirects = redirects !== undefined && system.files.follow(redirects)?.kind === "file";
  const answer = await callBridge(context, "reflect", {
    transcript_path: path ?? null,
    session_id: sessionId,
    ...(hasRedirects ? { redirects_path: redirects } : {}),
  });
  if (answer.kind !== "reply") {
    context.metric("reflection_execution_errors", 1);
    tellFailure(context, answer);
    return undefined;
  }
  const text = renderReply(context, answer.reply);
  if (text === undefined) {
    context.metric("reflection_empty_results", 1);
    return undefined;
  }
  context.metric("reflection_success", 1);
  const file = saveFindings(context, sessionId, text);
  presented.set();
  context.metric("reflection_blocked", 1);
  return renderHold(file);
}

/** A timeout counts as "nothing to say"; everything else is an error. */
function tellFailure(
  context: HookContext,
  { kind, problem }: { readonly kind: string; readonly problem: string },
): void {
  if (kind !== "timeout") {
    context.report(problem);
    return;
  }
  context.log("WARNING", problem);
  context.notify(problem);
}

function isSwitchedOn(context: HookContext): boolean {
  const { system } = context;
  if (VARIABLES.AMPLIHACK_SKIP_REFLECTION.get(system)) {
    context.metric("reflection_env_skips", 1);
    return false;
  }
  const path = join(context.projectRoot, ".claude", "tools", "amplihack", ".reflection_config");
  const config = readConfig(context, path);
  if (config === undefined) return false;
  if (!isTruthy(ownValue(config, "enabled"))) {
    context.metric("reflection_disabled_checks", 1);
    return false;
  }
  if (system.files.inspect(context.path("reflection", ".reflection_lock")) !== undefined) {
    context.metric("reflection_concurrent_skips", 1);
    return false;
  }
  return true;
}

/** A file that is not there or cannot be used leaves reflection off, and a metric says which. */
function readConfig(context: HookContext, path: string): JsonObject | undefined {
  let problem = "is not a JSON object";
  try {
    const text = readText(context.system, path, CONFIG_BYTES);
    if (text === undefined) {
      context.metric("reflection_no_config", 1);
      return undefined;
    }
    const config = parseJsonObject(text, 16);
    if (config !== undefined) return config;
  } catch (error) {
    problem = `cannot be read: ${errorText(error)}`;
  }
  context.metric("reflection_config_errors", 1);
  context.log("WARNING", `.reflection_config ${problem}; reflection stays off`);
  return undefined;
}

/** The report, or severity and findings in its place; undefined when there is nothing to present. */
function renderReply(context: HookContext, reply: ReflectReply): string | undefined {
  if (!reply.should_block) return undefined;
  const report = reply.report?.trim() ?? "";
  if (report !== "") return report;
  if (reply.findings.length === 0) {
    context.log("WARNING", "reflection wants to hold the stop but found nothing");
    context.notify("reflection wanted to hold the stop but found nothing; it is let through");
    return undefined;
  }
  return [
    `# Reflection`,
    "",
    `Severity: ${reply.severity}`,
    "",
    ...reply.findings.map(text => `- ${text}`),
  ].join("\n");
}

function saveFindings(context: HookContext, sessionId: string, text: string): string {
  const { system } = context;
  const bytes = system.text.encode(`${text}\n`);
  const name = `reflection-${slugify(text)}-${compactTimestamp(system.clock.nowMs())}.md`;
  const file = context.path("reflection", name);
  writeAtomically(system, file, bytes);
  for (const copy of [
    context.path("reflection", "current_findings.md"),
    context.path("logs", sessionId, "FEEDBACK_SUMMARY.md"),
  ]) {
    if (!attempt(context, "the findings were not copied", () => writeAtomically(system, copy, bytes)))
      context.metric("backward_compat_write_errors", 1);
  }
  return file;
}

/** A file name from the first sentence of the task summary. */
export function slugify(text: string): string {
  const lines = text.split("\n");
  const isBlank = (line: string) => line.trim() === "";
  const below = lines.slice(lines.findIndex(line => /^## Task Summary\b/.test(line)) + 1);
  const rest = below.slice(below.findIndex(isBlank) + 1);
  const from = below.length === lines.length ? -1 : rest.findIndex(line => !isBlank(line));
  const paragraph =
    from < 0
      ? []
      : rest.slice(from, undefinedIfNegative(rest.findIndex((line, at) => at > from && isBlank(line))));
  const sentence = firstCharacters(paragraph.join(" ").split(".")[0] ?? "", 100);
  const slug = sentence
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 50)
    .replace(/(?<!-)-+$/, "");
  return slug === "" ? "session" : slug;
}

function undefinedIfNegative(index: number): number | undefined {
  return index < 0 ? undefined : index;
}

function renderHold(file: string): string {
  return [
    `${HOLD_MARK} The reflection on this session is finished. Its findings are in ${file}`,
    "",
    "Read that file now and present to the user: a short summary, the findings, the recommendations ranked by",
    "weight, and the choices: file issues for them, work on them now, discuss them, or stop.",
    "The next stop will succeed.",
  ].join("\n");
}
