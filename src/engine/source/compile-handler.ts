import {
  type ActionKind,
  type Condition,
  compileCondition,
  compileMatcher,
  type DiagnosticCode,
  type HandlerSpec,
  isMatcherIgnored,
  type Matcher,
  namesOnlyAServer,
} from "../../handlers/index.ts";
import type { EventDescriptor } from "../../protocol/index.ts";
import type { Delegates } from "../options.ts";

/** A handler compiled: what its spec says, in a form that can be asked. */
export interface CompiledHandler {
  readonly event: EventDescriptor;
  readonly matcher: Matcher;
  readonly condition: Condition | undefined;
}

const DELEGATE: Readonly<Partial<Record<ActionKind, keyof Delegates>>> = {
  mcp_tool: "mcpTool",
  prompt: "prompt",
  agent: "agent",
};

/** Compiles a trusted handler and reports what is odd about it. `unreachable`: sound, but nothing triggers it. */
export function compileHandler(
  spec: HandlerSpec,
  event: EventDescriptor,
  delegates: Delegates,
  report: (code: DiagnosticCode, detail: string) => void,
): CompiledHandler | "unreachable" | "invalid" {
  const { action } = spec;
  const refuse = (code: DiagnosticCode, detail: string): "invalid" => {
    report(code, detail);
    return "invalid";
  };
  const delegate = DELEGATE[action.kind];
  if (delegate !== undefined && delegates[delegate] === undefined) {
    const detail = `the host offers no ${delegate} delegate, so ${action.kind} hooks cannot run`;
    return refuse("handler-unsupported", detail);
  }
  if (action.kind === "http" && !URL.canParse(action.url))
    return refuse("handler-invalid", `"url" cannot be read as a URL`);
  const compiled = compileMatcher(spec.dialect, spec.matcher, event);
  if (!compiled.ok) return refuse("matcher-invalid", compiled.problem);
  lintMatcher(spec, event, report);
  const { matcher } = compiled;
  if (spec.condition === undefined) return { event, matcher, condition: undefined };
  const rule = compileCondition(spec.condition);
  if (!rule.ok) return refuse("if-invalid", rule.problem);
  if (event.requiresTool) return { event, matcher, condition: rule.condition };
  report("if-not-applicable", `"if" needs a tool, and ${event.name} has none: the hook never runs`);
  return "unreachable";
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
