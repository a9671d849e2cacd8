import { isJsonObject, type JsonObject } from "../protocol/index.ts";
import { interpretClaude } from "./claude-output.ts";
import { readObject } from "./decode.ts";
import {
  type HandlerVerdict,
  type InterpretOptions,
  type RawResult,
  readVerdict,
  toFailure,
} from "./result.ts";

/** On these events AtomCode reads nothing of what a hook says. */
const UNHEARD: ReadonlySet<string> = new Set(["SessionEnd", "Stop", "StopFailure"]);

/**
 * What a hook of AtomCode's present form said: Claude's contract, in which the last line is the answer and lines above
 * it are the hook's own log, and beside Claude's members an `action`.
 */
export function interpretAtomcodeJson(raw: RawResult, options: InterpretOptions): HandlerVerdict {
  if (!UNHEARD.has(options.event.name)) return interpretClaude(inClaudeWords(raw, options), options);
  const isSuccess = raw.end.kind === "exit" && raw.end.code === 0;
  return readVerdict({}, raw.diagnostics, isSuccess ? undefined : toFailure(raw.end));
}

function inClaudeWords(raw: RawResult, options: InterpretOptions): RawResult {
  const { stdout } = raw;
  const { jsonDepth } = options.limits;
  const text = (stdout.isTruncated ? stdout.tail : stdout.text).trim();
  const lastLine = text.slice(text.lastIndexOf("\n") + 1);
  const answer = readObject(lastLine, jsonDepth, false, []) ?? readObject(text, jsonDepth, false, []);
  if (answer === undefined) return withReason(raw, text);
  const said = JSON.stringify(translate(answer, options));
  return { ...raw, stdout: stdout.isTruncated ? { ...stdout, tail: said } : { ...stdout, text: said } };
}

/** A refusal by exit code may state its reason on stdout. */
function withReason(raw: RawResult, text: string): RawResult {
  const isBlock = raw.end.kind === "exit" && raw.end.code === 2;
  return isBlock && raw.stderr.trim() === "" ? { ...raw, stderr: text } : raw;
}

/** `action` counts before a tool, and as a block at the prompt. Two decisions in one answer: the stricter counts. */
function translate(answer: JsonObject, { event }: InterpretOptions): JsonObject {
  const { action, args, ...rest } = answer;
  if (action === "block") return { ...rest, decision: "block" };
  const inner = rest["hookSpecificOutput"] ?? {};
  if (event.name !== "PreToolUse" || !isJsonObject(inner)) return rest;
  if (action === "modify") return { ...rest, hookSpecificOutput: { updatedInput: args ?? null, ...inner } };
  if (action === "allow") return { ...rest, hookSpecificOutput: { permissionDecision: "allow", ...inner } };
  return rest;
}
