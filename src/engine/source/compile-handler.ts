import type { EventDescriptor } from "../../protocol/index.ts";
import { type Condition, compileCondition } from "../condition.ts";
import type { DiagnosticCode } from "../diagnostics.ts";
import { compileMatcher, isMatcherIgnored, type Matcher, namesOnlyAServer } from "../match.ts";
import type { Delegates } from "../options.ts";
import type { ActionKind, HandlerSpec } from "./handler.ts";

/** A handler compiled: what its spec says, in a form that can be asked. */
export interface CompiledHandler {
  readonly event: EventDescriptor;
  readonly matcher: Matcher;
  readonly condition: Condition | undefined;
}

export type CompiledHandlerResult =
  | { readonly kind: "armed"; readonly parts: CompiledHandler }
  /** sound, but nothing can ever set it off */
  | { readonly kind: "idle" }
  | { readonly kind: "broken" };

const DELEGATE: Readonly<Partial<Record<ActionKind, keyof Delegates>>> = {
  mcp_tool: "mcpTool",
  prompt: "prompt",
  agent: "agent",
};

/** Compiles a trusted handler and says what is odd about it. */
export function compileHandler(
  spec: HandlerSpec,
  event: EventDescriptor,
  delegates: Delegates,
  report: (code: DiagnosticCode, detail: string) => void,
): CompiledHandlerResult {
  const { action, matcher: text, dialect } = spec;
  const delegate = DELEGATE[action.kind];
  if (delegate !== undefined && delegates[delegate] === undefined) {
    report(
      "handler-unsupported",
      `the host offers no ${delegate} delegate, so ${action.kind} hooks cannot run`,
    );
    return { kind: "broken" };
  }
  if (action.kind === "http" && !URL.canParse(action.url)) {
    report("handler-invalid", `"url" cannot be read as a URL`);
    return { kind: "broken" };
  }
  const matcher = compileMatcher(dialect, text, event);
  if (!matcher.ok) {
    report("matcher-invalid", matcher.problem);
    return { kind: "broken" };
  }
  lintMatcher(spec, event, report);
  if (spec.condition === undefined) return armed(event, matcher.matcher, undefined);
  const condition = compileCondition(spec.condition);
  if (!condition.ok) {
    report("if-invalid", condition.problem);
    return { kind: "broken" };
  }
  if (event.requiresTool) return armed(event, matcher.matcher, condition.condition);
  report("if-not-applicable", `"if" needs a tool, and ${event.name} has none: the hook never runs`);
  return { kind: "idle" };
}

function armed(
  event: EventDescriptor,
  matcher: Matcher,
  condition: Condition | undefined,
): CompiledHandlerResult {
  return { kind: "armed", parts: { event, matcher, condition } };
}

function lintMatcher(
  { matcher, dialect }: HandlerSpec,
  event: EventDescriptor,
  report: (code: DiagnosticCode, detail: string) => void,
): void {
  if (matcher === undefined || matcher === "" || matcher === "*") return;
  if (isMatcherIgnored(dialect, event)) {
    report("matcher-ignored", `${event.name} has nothing a matcher could be compared with`);
  } else if (dialect === "claude" && event.requiresTool && namesOnlyAServer(matcher)) {
    report("matcher-mcp-prefix", `a server's name matches none of its tools; write mcp__server__.* instead`);
  }
}
