import {
  clipText,
  decodeOutput,
  diagnose,
  type HandlerVerdict,
  hasProtocolKey,
  type InterpretOptions,
  interpretClaude,
  type RawResult,
  readObject,
  verdictOf,
} from "../../handlers/index.ts";
import { booleanAt, stringAt } from "../../protocol/index.ts";

/**
 * A model judges in its own form, `{"ok": false, "reason": …}`, or answers as a command hook would. Prose is
 * neither: a judge that did not judge has failed.
 */
export function interpretModel(raw: RawResult, options: InterpretOptions): HandlerVerdict {
  if (raw.end.kind !== "exit") return interpretClaude(raw, options);
  const { jsonDepth, reasonChars } = options.limits;
  const answer = raw.stdout.isTruncated
    ? undefined
    : readObject(stripFence(raw.stdout.text.trim()), jsonDepth, false, []);
  const ok = booleanAt(answer, "ok");
  if (ok === undefined) {
    const { decoded } = decodeOutput(raw.stdout, jsonDepth);
    if (decoded.kind === "object" && hasProtocolKey(decoded.value)) return interpretClaude(raw, options);
    const detail = `the model did not answer with {"ok": true or false}`;
    return verdictOf({}, raw.diagnostics, { code: "output-invalid-json", detail });
  }
  if (ok) return { effect: {} };
  const reason = stringAt(answer, "reason")?.trim() ?? "";
  if (reason !== "") return { effect: { decision: { kind: "deny", reason: clipText(reason, reasonChars) } } };
  const missing = diagnose("reason-missing", "the model refused without a reason");
  return verdictOf({ decision: { kind: "deny" } }, [missing]);
}

/** Models like to wrap JSON in a code fence. */
function stripFence(text: string): string {
  return /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text)?.[1] ?? text;
}
