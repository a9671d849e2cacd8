import {
  type ActionKind,
  type Condition,
  compileCondition,
  compileMatcher,
  type DiagnosticCode,
  diagnose,
  type HandlerSpec,
  isMatcherIgnored,
  loadCommandRule,
  type Matcher,
  namesOnlyAServer,
  type ParsedSource,
} from "../../handlers/index.ts";
import type { Diagnostic, EventDescriptor, FailurePolicy } from "../../protocol/index.ts";
import type { Files } from "../../system/index.ts";
import {
  type Delegates,
  type HookSource,
  type LoadReport,
  SOURCE_KINDS,
  type TrustState,
  type TrustStore,
} from "../options.ts";
import { askTrust, disableAllIdentity, handlerIdentity, isTrusted, pinScript } from "../trust.ts";
import { compareNames } from "./fields.ts";
import { type LabelledProblem, labelSources, parseSource } from "./parse.ts";

/** A handler as it stands in the files, whether it can run or not. */
export interface ListedHandler {
  readonly spec: HandlerSpec;
  readonly onFailure: FailurePolicy;
  readonly identity: () => string;
  readonly trust: TrustState;
}

/** A configured handler that can run: trusted, compiled, in its place in fold order. */
export interface ConfiguredHandler extends ListedHandler, CompiledHandler {
  readonly position: number;
}

export interface Loaded {
  readonly handlers: readonly ConfiguredHandler[];
  readonly listed: readonly (ListedHandler & { readonly isEnabled: boolean })[];
  readonly report: LoadReport;
  /** why the sources must not be used at all */
  readonly refusals: readonly Diagnostic[];
  /** what each source said when it was last understood */
  readonly understood: ReadonlyMap<string, ParsedSource>;
}

export interface LoadOptions {
  readonly projectDir: string;
  readonly files: Files;
  readonly findEvent: (name: string) => EventDescriptor | undefined;
  readonly describeEvent: (name: string) => EventDescriptor;
  readonly failurePolicy: (event: string) => FailurePolicy | undefined;
  readonly trust: TrustStore | undefined;
  readonly delegates: Delegates;
  readonly pinsScripts: boolean;
  readonly isStrict: boolean;
}

interface Content {
  readonly source: HookSource;
  readonly parsed: ParsedSource;
}

/** The sources must not be used: managed policy cannot be enforced as written, or `strict` allows no error. */
export class HookLoadError extends Error {
  override readonly name = "HookLoadError";
  readonly problems: readonly Diagnostic[];
  readonly report: LoadReport;

  constructor(problems: readonly Diagnostic[], report: LoadReport) {
    super(
      `hook configuration refused: ${problems.map(({ code, detail }) => `${code}, ${detail}`).join("; ")}`,
    );
    this.problems = problems;
    this.report = report;
  }
}

/**
 * Sources → handlers in fold order, with an account of everything that is not one. Never throws for content. A source
 * that can no longer be understood keeps what it said before: a slip of the pen must not switch hooks off.
 */
export function loadSources(
  sources: readonly HookSource[],
  options: LoadOptions,
  before: Loaded["understood"] = new Map(),
): Loaded {
  const labels = labelSources(sources);
  const understood = new Map<string, ParsedSource>();
  const contents = sources.map((source, index) => {
    const label = labels[index] ?? "";
    const key = source.path === undefined ? label : `${source.kind} ${source.path}`;
    const parsed = orLastGood(parseSource(source, label, options.findEvent), before.get(key));
    if (!isMalformed(parsed)) understood.set(key, { ...parsed, problems: [] });
    return { source, parsed };
  });
  const problems: LabelledProblem[] = contents.flatMap(({ source, parsed }) =>
    parsed.problems.map(problem => ({ problem, source })),
  );
  const isSwitchedOff = createSwitch(contents, options);
  const candidates = contents.flatMap(({ parsed }) => parsed.specs.map(spec => consider(spec, options)));
  const enabled: (ListedHandler & CompiledHandler)[] = [];
  const listed: (ListedHandler & { readonly isEnabled: boolean })[] = [];
  for (const candidate of replaceByName(candidates)) {
    const { spec, trust } = candidate;
    const report = (problem: Diagnostic): void => void problems.push({ problem, source: spec.source });
    if (!isTrusted(trust)) {
      const hint =
        options.trust === undefined ? `; the option "trust" says which hooks the user agreed to` : "";
      report(diagnose("trust-refused", `${spec.id} is ${trust} and does not run${hint}`, spec.id));
    }
    if (!isTrusted(trust) || spec.isDisabled || isSwitchedOff(spec.source)) {
      listed.push({ ...candidate, isEnabled: false });
      continue;
    }
    const event = options.describeEvent(spec.event);
    const compiled = compileHandler(spec, event, options.delegates, (code, detail) =>
      report(diagnose(code, `${spec.id}: ${detail}`, spec.id)),
    );
    if (compiled === "invalid") continue;
    listed.push({ ...candidate, isEnabled: compiled !== "unreachable" && spec.problem === undefined });
    if (compiled !== "unreachable") enabled.push({ ...candidate, ...compiled });
  }
  return {
    handlers: inFoldOrder(enabled).map((handler, position) => ({ ...handler, position })),
    listed,
    report: createReport(problems, enabled.filter(({ spec }) => spec.problem === undefined).length),
    refusals: problems.filter(item => isRefusal(item, options.isStrict)).map(({ problem }) => problem),
    understood,
  };
}

/** Nothing of it can be used, and that is not what was meant. */
function isMalformed({ specs, problems }: ParsedSource): boolean {
  return specs.length === 0 && problems.some(({ severity }) => severity === "error");
}

function orLastGood(parsed: ParsedSource, good: ParsedSource | undefined): ParsedSource {
  if (good === undefined || !isMalformed(parsed)) return parsed;
  const problems = parsed.problems.map(problem => ({
    ...problem,
    detail: `${problem.detail}; what it said before stays in force`,
  }));
  return { ...good, problems };
}

function consider(spec: HandlerSpec, options: LoadOptions): ListedHandler {
  let known: string | undefined;
  const identity = (): string => {
    known ??= handlerIdentity(
      spec,
      options.pinsScripts ? (pinScript(spec, options.projectDir, options.files) ?? "none") : undefined,
    );
    return known;
  };
  // A pinned script is read now, once: what is agreed to is what stood there when the sources were loaded.
  if (options.pinsScripts) identity();
  return {
    spec,
    onFailure: spec.onFailure ?? options.failurePolicy(spec.event) ?? "open",
    identity,
    trust: askTrust(options.trust, identity, spec.source),
  };
}

/** Where entries have names, one of more authority replaces its namesake; an untrusted one replaces none. */
function replaceByName(candidates: readonly ListedHandler[]): readonly ListedHandler[] {
  const holders = new Map<string, ListedHandler>();
  for (const candidate of byRank(candidates)) {
    const { name } = candidate.spec;
    if (name !== undefined && isTrusted(candidate.trust)) holders.set(name, candidate);
  }
  return candidates.filter(({ spec, trust }) => {
    const holder = spec.name === undefined ? undefined : holders.get(spec.name);
    return holder === undefined || holder.spec === spec || !isTrusted(trust);
  });
}

function sourceRank({ spec }: ListedHandler): number {
  return SOURCE_KINDS.indexOf(spec.source.kind);
}

function byRank<C extends ListedHandler>(candidates: readonly C[]): C[] {
  return [...candidates].sort((left, right) => sourceRank(left) - sourceRank(right));
}

/**
 * By authority of the source, then as declared. Named entries run in the order of their names, so among
 * themselves they fold in it too; managed ones keep the last word.
 */
function inFoldOrder<C extends ListedHandler>(handlers: readonly C[]): readonly C[] {
  const ordered = byRank(handlers);
  const isNamed = ({ spec }: C): boolean => spec.name !== undefined && spec.source.kind !== "managed";
  const named = ordered.filter(isNamed).sort((left, right) => compareNames(left.spec.name, right.spec.name));
  return ordered.map(handler => (isNamed(handler) ? (named.shift() ?? handler) : handler));
}

/** Which sources `disableAllHooks` and `allowManagedHooksOnly` switch off. An untrusted one disables nothing. */
function createSwitch(contents: readonly Content[], options: LoadOptions): (source: HookSource) => boolean {
  const disabling = contents.filter(
    ({ source, parsed }) =>
      parsed.disablesAll && isTrusted(askTrust(options.trust, disableAllIdentity, source)),
  );
  const isAllOff = disabling.some(({ source }) => source.kind === "managed");
  const isManagedOnly =
    disabling.length > 0 ||
    contents.some(({ source, parsed }) => parsed.isManagedOnly && source.kind === "managed");
  return source => isAllOff || (isManagedOnly && source.kind !== "managed");
}

function createReport(problems: readonly LabelledProblem[], handlers: number): LoadReport {
  const bySeverity = (isError: boolean): Diagnostic[] =>
    problems.map(({ problem }) => problem).filter(({ severity }) => (severity === "error") === isError);
  return { handlers, errors: bySeverity(true), warnings: bySeverity(false) };
}

/** Policy that cannot be enforced as written must not be enforced in part: managed sources are all or nothing. */
function isRefusal({ problem, source }: LabelledProblem, isStrict: boolean): boolean {
  if (problem.severity === "error") return isStrict || source.kind === "managed";
  return problem.code === "handler-unsupported" && source.kind === "managed";
}

let commandRules: Awaited<ReturnType<typeof loadCommandRule>> | undefined;

/** For `if` rules on commands that are not plain words: until their parser is there, every one of them says yes. */
export async function loadCommandRules(): Promise<void> {
  commandRules ??= await loadCommandRule();
}

/** A handler compiled: what its spec says, in a form that can be asked. */
interface CompiledHandler {
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
function compileHandler(
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
  void loadCommandRules();
  const rule = compileCondition(
    spec.condition,
    (command, given) => commandRules?.mayRun(command, given) ?? true,
  );
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
