import { ownValue } from "../../protocol/index.ts";
import { diagnose } from "../diagnostics.ts";
import { interpretClaude } from "./claude.ts";
import { decodeOutput, hasProtocolKey, readObject } from "./decode.ts";
import { type HandlerVerdict, type InterpretOptions, type RawResult, withDiagnostics } from "./result.ts";
import { clipText } from "./text.ts";

/**
 * A model judges in its own form, `{"ok": false, "reason": …}`, or answers as a command hook would. Prose is
 * neither: a judge that did not judge has failed.
 */
export function interpretModel(raw: RawResult, reading: InterpretOptions): HandlerVerdict {
  if (raw.end.kind !== "exit") return interpretClaude(raw, reading);
  const { jsonDepth, reasonChars } = reading.limits;
  const answer = raw.stdout.isTruncated
    ? undefined
    : readObject(stripFence(raw.stdout.text.trim()), jsonDepth, false, []);
  const ok = answer === undefined ? undefined : ownValue(answer, "ok");
  if (answer === undefined || typeof ok !== "boolean") {
    const { decoded } = decodeOutput(raw.stdout, jsonDepth);
    if (decoded.kind === "object" && hasProtocolKey(decoded.value)) return interpretClaude(raw, reading);
    return {
      effect: withDiagnostics({}, raw.diagnostics),
      failure: { code: "output-invalid-json", detail: `the model did not answer with {"ok": true or false}` },
    };
  }
  if (ok) return { effect: {} };
  const reason = ownValue(answer, "reason");
  if (typeof reason === "string" && reason.trim() !== "")
    return { effect: { decision: { kind: "deny", reason: clipText(reason.trim(), reasonChars) } } };
  const missing = diagnose("reason-missing", "the model refused without a reason");
  return { effect: withDiagnostics({ decision: { kind: "deny" } }, [missing]) };
}

/** Models like to wrap JSON in a code fence. */
function stripFence(text: string): string {
  return /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text)?.[1] ?? text;
}
