import { filesOfOwn, keepsInput } from "../programs/index.ts";
import {
  type CodeCall,
  concatenate,
  describe,
  dropKnown,
  joinPath,
  knownPrefix,
  knownText,
  type ProgramEffect,
  type Redirection,
  type ShellFacts,
  text,
  type Value,
} from "../shell/index.ts";
import { isInside, resolve } from "../system/index.ts";
import {
  classifyPath,
  expandTarget,
  isOwnFile,
  linkedDirectories,
  resolveTargets,
  type Workspace,
} from "../workspace/index.ts";
import { type BranchMemory, effectsOfGit } from "./git/effects.ts";
import type { Actor, CommandEffect } from "./rule-context.ts";
import { toActor } from "./rule-context.ts";

/** What is read, written or started beyond these is asked about, unseen. */
export const MAX_EFFECTS = 500;

/** Everything a command does, as effects, in the order of evaluation; of too many as many as tell that they are. */
export function collectEffects(
  facts: ShellFacts,
  workspace: Workspace,
  max = MAX_EFFECTS,
): readonly CommandEffect[] {
  const effects: CommandEffect[] = [];
  for (const some of everyEffect(facts, workspace)) {
    effects.push(...some);
    if (effects.length > max) return effects.slice(0, max + 1);
  }
  return effects;
}

function* everyEffect(facts: ShellFacts, workspace: Workspace): Iterable<readonly CommandEffect[]> {
  const memory: BranchMemory = new Map();
  for (const invocation of facts.invocations) {
    const by = toActor(invocation);
    for (const effect of facts.effects[invocation.id] ?? []) yield placeEffect(effect, by, workspace, memory);
    const own = filesOfOwn(invocation, word => isOwnFile(workspace, word, describe(by.cwd)));
    if (own === undefined) continue;
    const { shows, writes } = own;
    yield shownFiles(shows, workspace, by.cwd).map(path => ({
      kind: "read",
      by,
      path: text(path),
      isCopy: false,
    }));
    yield writes.map(path => ({ kind: "write", by, path: fromHome(path, workspace), how: "replace" }));
  }
  for (const redirection of facts.redirections) yield effectsOfRedirection(redirection, facts);
  const copied = copiedByCode(facts);
  for (const { call, invocation } of facts.codeEffects) {
    const starter = facts.invocations[invocation];
    if (starter === undefined) continue;
    const actor = toActor(starter);
    if (call.kind === "operation") yield placeEffect(call.effect, actor, workspace, memory);
    else yield effectsOfCode(call, actor);
    if (call.kind === "read" && !copied.has(describe(call.path))) yield readsOfLoop(call, actor);
  }
  for (const { path, content, invocation } of facts.writtenFiles) {
    const host = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(describe(path))?.[1];
    const writer = facts.invocations[invocation];
    if (host === undefined || writer === undefined) continue;
    const payloads = [{ value: content, role: "body" } as const];
    yield [{ kind: "send", by: toActor(writer), to: text(host), payloads }];
  }
}

const MAX_SHOWN_FILES = 1_000;

/** Files that are read out of the history: all of the change, or those that are named or lie below a folder that is. */
function shownFiles(
  shows: { readonly change: Value; readonly paths: readonly Value[] } | undefined,
  { given }: Workspace,
  cwd: Value,
): readonly string[] {
  const id = shows === undefined ? undefined : knownText(shows.change);
  if (shows === undefined || id === undefined) return [];
  const files = given.written?.()?.changedBy(id) ?? [];
  const named = shows.paths.map(path => knownText(joinPath(cwd, path)));
  const isShown = (file: string) =>
    named.length === 0 ||
    named.some(path => path === undefined || /[*?[]/.test(path) || isInside(resolve("/", path), file));
  return files.filter(isShown).slice(0, MAX_SHOWN_FILES);
}

/** `--html=~/x`: the program itself puts the home there, where the shell leaves the sign. */
function fromHome(path: Value, { home }: Workspace): Value {
  return knownPrefix(path).startsWith("~/") ? concatenate([text(home), dropKnown(path, 1)]) : path;
}

/** The effect of a program with the one who does it; repositories are looked up on the disk. */
function placeEffect(
  effect: ProgramEffect,
  actor: Actor,
  workspace: Workspace,
  memory: BranchMemory,
): readonly CommandEffect[] {
  if (effect.kind === "git") return effectsOfGit(effect.words, actor, workspace, memory);
  if (effect.kind === "operation" && isTemporary(effect.file, actor, workspace)) return [];
  if (effect.kind === "operation" && isOfProject(effect, actor, workspace)) return [];
  const { cwd = actor.cwd, place = actor.place } = effect;
  const by = { ...actor, cwd, place };
  return [{ ...effect, by }, ...deletionsBehindLinks(effect, by, workspace)];
}

/** What the project's own program calls a reset is its own matter: its file can be read, and what it starts is judged. */
function isOfProject(
  { rule }: Extract<ProgramEffect, { kind: "operation" }>,
  { invocation, cwd }: Actor,
  workspace: Workspace,
): boolean {
  const [word] = invocation?.argv ?? [];
  if (rule !== "cloud.other" || word === undefined || !describe(word).includes("/")) return false;
  const path = knownText(joinPath(cwd, word));
  const { project, disk } = workspace;
  if (project === undefined || path?.startsWith("/") !== true) return false;
  const file = disk.resolve(path, true);
  return isInside(project, file) && disk.kind(file) === "file";
}

/** Whoever follows links deletes in the directories that they lead to as well. */
function deletionsBehindLinks(
  effect: ProgramEffect,
  by: Actor,
  { disk }: Workspace,
): readonly CommandEffect[] {
  if (effect.kind !== "delete" || effect.followsLinks !== true || by.place.kind !== "local") return [];
  return resolveTargets(disk, effect.path, by.cwd, by.place, { followsLast: false }).flatMap(target =>
    (expandTarget(disk, target, false)?.paths ?? [])
      .flatMap(path => linkedDirectories(disk, path))
      .map(path => ({ ...effect, by, path: text(path), isContentsOnly: true })),
  );
}

/** A database in a temporary directory is not worth a question. */
function isTemporary(file: Value | undefined, { cwd }: Actor, workspace: Workspace): boolean {
  const path = file === undefined ? undefined : knownText(joinPath(cwd, file));
  return (
    path?.startsWith("/") === true && classifyPath(workspace, workspace.disk.resolve(path, true)) === "temp"
  );
}

function effectsOfRedirection(redirection: Redirection, facts: ShellFacts): readonly CommandEffect[] {
  const { operation, target, cwd, place, span } = redirection;
  const invocation =
    redirection.invocation === undefined ? undefined : facts.invocations[redirection.invocation];
  const by: Actor = { cwd, place, span, program: invocation?.program ?? "redirection", invocation };
  const shown = describe(target);
  if (operation === "read")
    return keepsInput(invocation?.program) ? [] : [{ kind: "read", by, path: target, isCopy: false }];
  const effects: CommandEffect[] = [
    {
      kind: "write",
      by,
      path: target,
      how: operation === "append" ? "append" : operation === "write" ? "replace" : "edit",
    },
  ];
  if (/^\/dev\/(tcp|udp)\//.test(shown) && invocation !== undefined) {
    const address = text(shown.split("/")[3] ?? "");
    const output: Value = { pieces: [], origins: [{ kind: "program", invocation: invocation.id }] };
    effects.push({ kind: "send", by, to: address, payloads: [{ value: output, role: "body" }] });
  }
  return effects;
}

/** Whatever is in a directory or below it: a loop of code decides what goes, as a search does. */
function isLoopOver({ pieces }: Value): boolean {
  const whole = pieces.filter(piece => piece.kind !== "text" || piece.text !== "");
  const last = whole.at(-1);
  const before = whole.at(-2);
  const isName = before === undefined || (before.kind === "text" && before.text.endsWith("/"));
  return (
    whole.some(piece => piece.kind === "glob" && piece.pattern.startsWith("**")) ||
    (isName && last?.kind === "glob" && /^\*+$/.test(last.pattern))
  );
}

/** Files whose content code only puts into others: a copy shows nothing. */
function copiedByCode({ codeEffects }: ShellFacts): ReadonlySet<string> {
  const copied = new Set<string>();
  for (const { call } of codeEffects)
    for (const origin of call.kind === "write" ? (call.content?.origins ?? []) : [])
      if (origin.kind === "file") copied.add(describe(origin.path));
  return copied;
}

/** Code that goes through the names of a folder reads what it finds there, hidden names as well. */
function readsOfLoop(call: Extract<CodeCall, { kind: "read" }>, by: Actor): readonly CommandEffect[] {
  const { pieces } = call.path;
  const first = pieces.findIndex(piece => piece.kind === "glob");
  const before = first < 0 ? undefined : knownText({ pieces: pieces.slice(0, first), origins: [] });
  if (before === undefined) return [];
  const slash = before.lastIndexOf("/");
  const pattern = describe({ pieces, origins: [] }).slice(slash + 1);
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  const { endings = [], leavesHidden = false } = call;
  const below = {
    only: /^\*+$/.test(last) && endings.length > 0 ? endings.map(ending => `*${ending}`) : [last],
    without: [],
    leavesHidden,
    leavesIgnored: false,
    leavesBelow: !pattern.includes("/") && !pattern.includes("**"),
  };
  const path = slash < 0 ? "." : before.slice(0, slash + 1);
  return [{ kind: "read", by, path: text(path), isCopy: false, search: text(""), below }];
}

/** `Clear-Content dir/*`: nothing is left in any of them. */
function isEmptied(call: Extract<CodeCall, { kind: "write" }>): boolean {
  const isNothing = call.content !== undefined && knownText(call.content) === "";
  return isNothing && !call.isAppend && isLoopOver(call.path);
}

function effectsOfCode(call: CodeCall, by: Actor): readonly CommandEffect[] {
  switch (call.kind) {
    case "delete":
      return [
        {
          kind: "delete",
          by,
          path: call.path,
          isRecursive: call.isRecursive,
          ...(!call.isRecursive && isLoopOver(call.path) ? { isLoop: true } : {}),
        },
      ];
    case "read":
      return [{ kind: "read", by, path: call.path, isCopy: false }];
    case "write":
      return [
        { kind: "write", by, path: call.path, how: call.isAppend ? "append" : "replace" },
        ...(isEmptied(call)
          ? [{ kind: "delete", by, path: call.path, isRecursive: false, isLoop: true } as const]
          : []),
      ];
    case "move":
      return [
        { kind: "move", by, from: call.from, to: call.to },
        { kind: "write", by, path: call.to, how: "replace", from: call.from },
      ];
    case "copy":
      if (call.isPacked === true)
        return [
          { kind: "write", by, path: call.to, how: "extract", isInto: true, archive: call.from },
          { kind: "read", by, path: call.from, isCopy: true },
        ];
      return [
        { kind: "read", by, path: call.from, isCopy: true },
        { kind: "write", by, path: call.to, how: "replace", from: call.from },
      ];
    case "mode":
      return [
        {
          kind: "attributes",
          by,
          path: call.path,
          isRecursive: call.isRecursive,
          what: "mode",
          setting: call.setting ?? "",
        },
      ];
    case "network": {
      const payloads = [
        ...call.sends.map(value => ({ value, role: "body" as const })),
        { value: call.target, role: "address" as const },
      ];
      return [{ kind: "send", by, to: call.target, payloads }];
    }
    default:
      return [];
  }
}
