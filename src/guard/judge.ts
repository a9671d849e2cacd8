import { analyseArgv, analyseCommand } from "../programs/analyse.ts";
import { findCriticalWords } from "../shell/critical-words.ts";
import type { ShellContext, ShellFacts } from "../shell/facts.ts";
import { createFileLookup } from "../shell/file-lookup.ts";
import { knownText, type Span } from "../shell/value.ts";

import { isAllowedByEntry } from "./allow-entries.ts";
import { softenAlternatives } from "./alternatives.ts";
import { collectEffects } from "./collect.ts";
import { type GuardContext, survey, type Workspace } from "./context.ts";
import { inspectCustomRules } from "./custom-rules.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { type Explained, explainTree } from "./explain.ts";
import { allowOnceCode, type CodeSubject, findGrant, subjectOf } from "./grants.ts";
import { ALLOWED, type Judgement } from "./judgement.ts";
import { nestedTexts } from "./nested-text.ts";
import { createDisk } from "./paths/disk.ts";
import { clipText, renderReason } from "./reason.ts";
import { type Finding, type Rule, stricter, type Verdict } from "./rule.ts";
import type { Details, RuleContext } from "./rule-context.ts";
import { findRule, PACKS } from "./rules.ts";
import { makeFinding, settleVerdict } from "./settle.ts";
import { staysInContainer } from "./throw-away.ts";

const MOST_FINDINGS = 5;
const VIA_LIMIT = 80;
const EFFECTS_BETWEEN_LOOKS = 32;

/** Judges shell text. Never throws: a failure of the guard itself is a finding or a note. */
export function judgeText(command: string, context: GuardContext): Judgement {
  return guarded(command, context, workspace => {
    const shell = shellContextOf(context, workspace);
    const argv = ["pwsh", "-Command", command];
    return context.isPowerShell === true ? analyseArgv(argv, shell) : analyseCommand(command, shell);
  });
}

/** Judges a program that is about to start with exactly these words. */
export function judgeWords(argv: readonly string[], context: GuardContext): Judgement {
  return guarded(argv.join(" "), context, workspace => analyseArgv(argv, shellContextOf(context, workspace)));
}

function guarded(
  source: string,
  context: GuardContext,
  analysed: (workspace: Workspace) => ShellFacts,
): Judgement {
  return judgeOrFail(source, context, workspace => judgeFacts(source, analysed(workspace), workspace));
}

/** A failure of the guard itself becomes a finding or a note, never an exception. */
export function judgeOrFail(
  source: string,
  context: GuardContext,
  judge: (workspace: Workspace) => Judgement,
): Judgement {
  let workspace: Workspace | undefined;
  try {
    workspace = survey(context);
    return judge(workspace);
  } catch (error) {
    return judgeFailure(source, workspace, context, error);
  }
}

export function shellContextOf(context: GuardContext, workspace: Workspace): ShellContext {
  return {
    cwd: workspace.cwd,
    home: workspace.home,
    previousCwd: context.previousCwd,
    tmpdir: context.tmpdir,
    user: context.user,
    projectRoot: workspace.project,
    files: createFileLookup(context.system),
    isLate: context.isLate,
  };
}

function judgeFacts(source: string, facts: ShellFacts, surveyed: Workspace): Judgement {
  const workspace = withLinks(surveyed, facts);
  const collected = new Collector(workspace, facts, source, collectEffects(facts, workspace));
  collected.run();
  for (const inside of nestedTexts(facts, collected.context.effects)) {
    const nested = analyseCommand(inside.text, {
      ...shellContextOf(workspace.given, workspace),
      cwd: inside.cwd,
    });
    const inner = new Collector(workspace, nested, inside.text, collectEffects(nested, workspace));
    inner.run();
    collected.take(inner, inside.invocation);
  }
  const found = softenAlternatives(collected.findings, facts);
  const allowed = found.filter(
    finding => !(finding.isAllowable && isAllowedByEntry(finding, facts, workspace)),
  );
  const notes = facts.unexamined.map(part => `not examined (${part.reason}): ${part.message}`);
  return conclude(
    allowed,
    notes,
    workspace,
    findings => subjectOf(facts, workspace.cwd, findings),
    () => explainTree(facts, collected.context.effects, allowed),
  );
}

/** Links that the command makes lead rules where they lead the command. */
function withLinks(workspace: Workspace, { links }: ShellFacts): Workspace {
  if (links.length === 0) return workspace;
  const made = links.flatMap(({ path, target }) => {
    const [from, to] = [knownText(path), knownText(target)];
    return from === undefined || to === undefined ? [] : [[from, to] as const];
  });
  return { ...workspace, disk: createDisk(workspace.given.system, new Map(made)) };
}

/** Runs every pack over effects and facts and keeps what they report. */
export class Collector {
  readonly findings: Finding[] = [];
  readonly context: RuleContext;
  private written: (Span & { readonly words: string }) | undefined;

  constructor(workspace: Workspace, facts: ShellFacts, source: string, effects: readonly CommandEffect[]) {
    this.context = {
      workspace,
      facts,
      source,
      effects,
      report: (id, details, by) => this.report(id, details, by),
    };
  }

  run(): void {
    const { isLate } = this.context.workspace.given;
    for (const [index, effect] of this.context.effects.entries()) {
      if (index % EFFECTS_BETWEEN_LOOKS === EFFECTS_BETWEEN_LOOKS - 1 && isLate?.() === true) {
        this.report(
          "guard.unexamined",
          { target: "more than there is time for", what: "too much work" },
          undefined,
        );
        break;
      }
      for (const pack of PACKS) pack.inspect?.(effect, this.context);
    }
    for (const pack of PACKS) pack.inspectWhole?.(this.context);
    inspectCustomRules(this.context, (rule, details, by) => this.add(rule, details, by));
  }

  take(other: Collector, invocation: number | undefined): void {
    for (const finding of other.findings) this.findings.push({ ...finding, invocation });
  }

  private report(id: string, details: Details, by: Actor | undefined): void {
    const rule = findRule(id);
    if (rule === undefined) throw new Error(`a pack reported the unknown rule ${id}`);
    this.add(rule, details, by);
  }

  private add(rule: Rule, details: Details, by: Actor | undefined): void {
    const verdict = settleVerdict(rule, details.verdict, this.context.workspace.settings);
    if (verdict === "allow" || staysInContainer(rule.id, by)) return;
    const finding = makeFinding(rule, details, verdict, by?.invocation?.id);
    this.findings.push({ ...finding, lost: finding.lost + this.writtenAs(rule.id, details.target, by) });
  }

  /** One command can be found at fault for each of its thousands of words. */
  private wordsAt({ start, end }: Span): string {
    if (this.written?.start !== start || this.written.end !== end) {
      const words = this.context.source.slice(start, end).replace(/\s+/g, " ").trim();
      this.written = { start, end, words };
    }
    return this.written.words;
  }

  /** The words of the command, when they do not show the target that was resolved from them. */
  private writtenAs(id: string, target: string, by: Actor | undefined): string {
    if (by === undefined || !/^(fs|sec|disk)\./.test(id)) return "";
    const written = this.wordsAt(by.span);
    const name = target.slice(target.lastIndexOf("/") + 1);
    return written === "" || written.includes(name === "" ? " /" : name)
      ? ""
      : ` (Via \`${clipText(written, VIA_LIMIT)}\`.)`;
  }
}

export function conclude(
  found: readonly Finding[],
  notes: readonly string[],
  workspace: Workspace,
  subject: (findings: readonly Finding[]) => CodeSubject,
  explain: () => readonly Explained[],
): Judgement {
  const findings = distinct(found);
  const { grants = [], nowMs = 0, system } = workspace.given;
  const verdict = findings.reduce<Verdict>((worst, finding) => stricter(worst, finding.verdict), "allow");
  const base = { ...ALLOWED, notes, explain };
  if (verdict === "allow") return base;
  const isAllowable = findings.every(finding => finding.isAllowable);
  const machineKey = isAllowable ? workspace.given.machineKey?.() : undefined;
  const code =
    machineKey === undefined ? undefined : allowOnceCode(subject(findings), machineKey, system.text);
  const grant = code === undefined ? undefined : findGrant(grants, code, nowMs);
  if (grant !== undefined) {
    const note = `allowed once by ${grant.code}: ${findings.map(finding => finding.rule).join(", ")}`;
    return { ...base, notes: [...notes, note], code, usedGrants: [grant] };
  }
  return { ...base, verdict, findings, code, reason: renderReason(verdict, findings, code) };
}

/** One of each rule and target, denials first, in the order they were found. */
function distinct(found: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of found) {
    const key = `${finding.rule}\n${finding.target}`;
    const known = seen.get(key);
    if (known === undefined || (known.verdict === "ask" && finding.verdict === "deny"))
      seen.set(key, finding);
  }
  const all = [...seen.values()];
  const sorted = [
    ...all.filter(finding => finding.verdict === "deny"),
    ...all.filter(finding => finding.verdict === "ask"),
  ];
  return sorted.slice(0, MOST_FINDINGS);
}

/** Of a tool call that has no command. */
export const NO_FACTS: ShellFacts = {
  invocations: [],
  redirections: [],
  codeRuns: [],
  codeEffects: [],
  writtenFiles: [],
  functions: [],
  assignments: [],
  links: [],
  unexamined: [],
  steps: 0,
};

/** The guard itself failed: asked about when the text names anything dangerous. */
function judgeFailure(
  command: string,
  workspace: Workspace | undefined,
  context: GuardContext,
  error: unknown,
): Judgement {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const notes = ["the guard failed while it examined this command"];
  const dangerous = findCriticalWords(command);
  const base: Judgement = { ...ALLOWED, notes, failure: stack };
  const settings = workspace?.settings ?? context.settings;
  const rule = findRule("guard.unexamined");
  if (rule === undefined || (dangerous.length === 0 && settings?.level !== "strict")) return base;
  const verdict = settings?.level === "strict" ? "deny" : "ask";
  const details = { target: dangerous.slice(0, 5).join(", "), what: "the guard failed" };
  const finding = makeFinding(rule, details, verdict, undefined);
  return { ...base, verdict, findings: [finding], reason: renderReason(verdict, [finding], undefined) };
}
