import { analyseArgv, analyseCommand, findDangerous, goesOn, powerShellArgv } from "../programs/index.ts";
import { errorText } from "../protocol/index.ts";
import {
  createFileLookup,
  describe,
  joinPath,
  knownText,
  type OwnFiles,
  type ShellContext,
  type ShellFacts,
  text,
  type Value,
} from "../shell/index.ts";
import { dirname, isInside, normalise, resolve } from "../system/index.ts";
import {
  createDisk,
  expandTarget,
  protectedPaths,
  resolveTargets,
  survey,
  withDisk,
} from "../workspace/index.ts";
import { collectEffects } from "./collect.ts";
import { collectFindings } from "./collect-findings.ts";
import { collectFootprint, type Examination } from "./collect-footprint.ts";
import { collectGaps, gapsOfSource } from "./collect-gaps.ts";
import { conclude, type Examined, isAllowedByEntry, softenAlternatives } from "./conclude.ts";
import { findSessionFiles } from "./examine-session-files.ts";
import { findWritten, isPipeline, type WrittenText } from "./examine-written.ts";
import { type Finding, makeFinding } from "./finding.ts";
import { NO_FOOTPRINT } from "./footprint.ts";
import { aliasTexts } from "./git/effects.ts";
import { toCodeSubject } from "./grants.ts";
import type { GuardContext, GuardWorkspace } from "./judgement.ts";
import { ALLOWED, explainTree, type Judgement } from "./judgement.ts";
import { renderTexts } from "./reason.ts";
import type { CommandEffect } from "./rule-context.ts";
import { findRule } from "./rules.ts";

/** Judges shell text. Never throws: a failure of the guard itself is a finding or a note. */
export function judgeText(
  command: string,
  context: GuardContext,
  surveyed: () => GuardWorkspace = () => survey(context),
): Judgement {
  const judge = (workspace: GuardWorkspace) =>
    concludeCall(examineText(command, workspace, context.isPowerShell));
  return judgeOrFail(command, context, judge, surveyed);
}

/** Judges a program that is about to start with exactly these words. */
export function judgeWords(argv: readonly string[], context: GuardContext): Judgement {
  const source = argv.join(" ");
  return judgeOrFail(source, context, workspace => concludeCall(examineWords(source, argv, workspace)));
}

/** A text that was examined, before anything is concluded from it. */
export interface ExaminedCall {
  readonly findings: readonly Finding[];
  readonly learned: Examined;
}

function concludeCall({ findings, learned }: ExaminedCall): Judgement {
  return conclude(findings, learned);
}

export function examineText(command: string, workspace: GuardWorkspace, isPowerShell = false): ExaminedCall {
  if (isPowerShell) return examineWords(command, powerShellArgv(command), workspace);
  const { programs } = workspace.settings;
  return examineFacts(command, shell => analyseCommand(command, shell, programs), workspace);
}

export function examineWords(
  source: string,
  argv: readonly string[],
  workspace: GuardWorkspace,
): ExaminedCall {
  const { programs } = workspace.settings;
  return examineFacts(source, shell => analyseArgv(argv, shell, programs), workspace);
}

/** A failure of the guard itself becomes a finding or a note, never an exception. */
export function judgeOrFail(
  source: string,
  context: GuardContext,
  judge: (workspace: GuardWorkspace) => Judgement,
  surveyed: () => GuardWorkspace = () => survey(context),
): Judgement {
  try {
    return judge(surveyed());
  } catch (error) {
    return judgeFailure(source, context, error);
  }
}

export function createShellContext(
  context: GuardContext,
  workspace: GuardWorkspace,
  onText?: () => void,
): ShellContext {
  return {
    cwd: workspace.directory,
    home: workspace.home,
    previousCwd: context.previousCwd,
    tmpdir: context.tmpdir,
    user: context.user,
    projectRoot: () => workspace.project,
    files: createFileLookup(context.system, onText),
    ownFiles: sessionOwnFiles(context, workspace),
    isLate: context.isLate,
  };
}

/** The files that the session wrote, as far as that is recorded. */
function sessionOwnFiles({ written }: GuardContext, { disk }: GuardWorkspace): OwnFiles | undefined {
  if (written === undefined) return undefined;
  let folders: ReadonlySet<string> | undefined;
  return {
    has: path => written()?.hasWritten(disk.resolve(path, true)) === true,
    named: name => written()?.named(name) ?? [],
    hasBelow: path => {
      folders ??= new Set(written()?.files().map(dirname));
      return folders.has(disk.resolve(path, true));
    },
  };
}

function examineFacts(
  source: string,
  analyse: (shell: ShellContext) => ShellFacts,
  surveyed: GuardWorkspace,
): ExaminedCall {
  let isOfFile = false;
  const onText = () => {
    isOfFile = true;
  };
  const shell = createShellContext(surveyed.given, surveyed, onText);
  const facts = analyse(shell);
  const workspace = withLinks(surveyed, facts);
  const effects = collectEffects(facts, workspace);
  const noted: string[] = [];
  const note = (line: string) => void noted.push(line);
  const found: Finding[] = [...collectFindings(workspace, facts, source, effects, note)];
  found.push(...findSessionFiles(facts, workspace, shell));
  found.push(...findWritten(writtenTexts(facts, effects), workspace, () => shell));
  const aliases: Examination[] = [];
  for (const { text: written, cwd, invocation } of aliasTexts(effects)) {
    const nested = analyseCommand(
      written,
      { ...createShellContext(workspace.given, workspace), cwd },
      workspace.settings.programs,
    );
    const alias = { facts: nested, effects: collectEffects(nested, workspace) };
    const inner = collectFindings(workspace, nested, written, alias.effects, note);
    found.push(...inner.map(finding => ({ ...finding, invocation })));
    aliases.push(alias);
  }
  const left = softenAlternatives(found, facts).filter(
    finding =>
      // A command of ours that runs a file is allowed for the file as it is, never for good.
      !(
        finding.isAllowable &&
        !(isOfFile && finding.rule === OWN_RULE) &&
        isAllowedByEntry(finding, facts, workspace)
      ),
  );
  isOfFile ||= effects.some(effect => effect.kind === "git" && effect.run.isAliased === true);
  const findings = isOfFile ? left.map(finding => ({ ...finding, isOfFile })) : left;
  const learned: Examined = {
    workspace,
    notes: [...facts.unexamined.map(part => `${UNEXAMINED} (${part.reason}): ${part.message}`), ...noted],
    subject: () => toCodeSubject(source, facts, workspace.cwd),
    explain: () => explainTree(facts, effects, findings),
    footprint: () => collectFootprint([{ facts, effects }, ...aliases], workspace),
    *gaps() {
      yield* gapsOfSource(source);
      yield* collectGaps([{ facts, effects }, ...aliases], workspace);
    },
    goesOn: () => facts.invocations.some(goesOn),
    ranFiles: () =>
      facts.codeRuns.flatMap(({ from, code, path }) => {
        const content = from === "file" ? knownText(code) : undefined;
        const name = path === undefined ? undefined : knownText(path);
        return content === undefined || name === undefined
          ? []
          : [{ path: resolve(workspace.cwd, name), text: content }];
      }),
  };
  return { findings, learned };
}

function writtenTexts(
  { writtenFiles }: ShellFacts,
  effects: readonly CommandEffect[],
): readonly WrittenText[] {
  const known = writtenFiles.flatMap(({ path, content, invocation }) => {
    const [place, written] = [knownText(path), knownText(content)];
    return place === undefined || written === undefined ? [] : [{ path: place, text: written, invocation }];
  });
  // What changes a pipeline says with its words what will stand there: `sed -i 's/…/…/' ci.yml`.
  const changed = effects.flatMap(effect => {
    const isChange = effect.kind === "alter" || (effect.kind === "write" && effect.how !== "link");
    const place = isChange ? knownText(joinPath(effect.by.cwd, effect.path)) : undefined;
    if (place === undefined || effect.by.invocation === undefined || !isPipeline(place)) return [];
    const { argv, id } = effect.by.invocation;
    return [{ path: place, text: argv.slice(1).map(describe).join("\n"), invocation: id }];
  });
  return [...known, ...changed];
}

const OWN_RULE = "agent.bypass";
const UNEXAMINED = "not examined";

/** Nothing of it was left out for want of understanding. */
export function isExamined({ learned }: ExaminedCall): boolean {
  return !learned.notes.some(note => note.startsWith(UNEXAMINED));
}

/** Links that the command makes lead rules where they lead the command. */
function withLinks(workspace: GuardWorkspace, { links }: ShellFacts): GuardWorkspace {
  if (links.length === 0) return workspace;
  const made = links.flatMap(({ path, target }) => {
    const from = knownText(path);
    const to = knownText(target) ?? worstTarget(workspace, target);
    return from === undefined || to === undefined ? [] : [[from, to] as const];
  });
  return withDisk(workspace, createDisk(workspace.given.system, new Map(made)));
}

/** Of what a pattern finds, that which holds something protected. */
function worstTarget(workspace: GuardWorkspace, pattern: Value): string | undefined {
  const { disk, directory } = workspace;
  const place = { kind: "local" } as const;
  const found = resolveTargets(disk, pattern, text(directory), place, { followsLast: true }).flatMap(
    target => expandTarget(disk, target, true)?.paths ?? [],
  );
  return found.find(path => protectedPaths(workspace).some(one => isInside(path, one.path))) ?? found[0];
}

/** The guard itself failed: asked about when the text names anything dangerous. */
function judgeFailure(command: string, context: GuardContext, error: unknown): Judgement {
  const isStrict = context.settings?.level === "strict";
  const failure = (error instanceof Error ? error.stack : undefined) ?? errorText(error);
  const notes = ["the guard failed while it examined this command"];
  const dangerous = findDangerous(command);
  const base: Judgement = {
    ...ALLOWED,
    notes,
    failure,
    footprint: () => ({ ...NO_FOOTPRINT, unknownIn: [normalise(context.cwd)] }),
  };
  if (dangerous.length === 0 && !isStrict) return base;
  const verdict = isStrict ? "deny" : "ask";
  const target = dangerous.slice(0, 5).join(", ");
  const what = "the guard failed";
  const finding = makeFinding(findRule("guard.unexamined"), verdict, undefined, target, { what });
  return {
    ...base,
    verdict,
    findings: [finding],
    all: [finding],
    ...renderTexts(verdict, [finding], undefined),
  };
}
