import { changesOfGit, entersFolder } from "../programs/index.ts";
import { type Invocation, joinPath, knownText, type Value } from "../shell/index.ts";
import { isInside, join } from "../system/index.ts";
import { type Disk, expandTarget, resolveTargets, trackedFiles } from "../workspace/index.ts";
import type { Gap } from "./gap.ts";
import type { GuardWorkspace } from "./judgement.ts";
import { namesBelow } from "./named-files.ts";
import type { CommandEffect } from "./rule-context.ts";

// The disk is looked at before the call runs. Where the call itself brings a symbolic link to a new name, a later part of
// it may be led to another place by that name than the disk says now.

type Moved = Extract<CommandEffect, { readonly kind: "move" | "write" }>;

/** One program alone is led nowhere by what it does itself. */
export function gapsOfChangedNames(
  effects: readonly CommandEffect[],
  hasMoreParts: boolean,
  workspace: GuardWorkspace,
): readonly Gap[] {
  if (!hasMoreParts) return [];
  return effects.flatMap((effect): readonly Gap[] => {
    if (effect.kind === "git") return gapsOfTree(effect.run, workspace.disk);
    if (effect.kind !== "move" && effect.kind !== "write") return [];
    const from = carriesLink(effect, workspace) ? effect.from : undefined;
    if (from !== undefined)
      return [{ kind: "value", what: knownText(from) ?? effect.by.program, why: "a link gets another name" }];
    return effect.kind === "write" && effect.how === "link" && replacesFolder(effect, effects, workspace)
      ? [{ kind: "value", what: effect.by.program, why: "a link takes the place of what is there" }]
      : [];
  });
}

function carriesLink({ from, by }: Moved, { disk }: GuardWorkspace): boolean {
  if (from === undefined) return false;
  const targets = resolveTargets(disk, from, by.cwd, by.place, { followsLast: false });
  return targets.some(target => {
    const found = target.path === undefined ? expandTarget(disk, target, false) : undefined;
    const paths =
      target.path === undefined ? [...(found?.paths ?? []), ...(found?.trees ?? [])] : [target.path];
    return paths.some(path => holdsLink(disk, path));
  });
}

function holdsLink(disk: Disk, path: string): boolean {
  const kind = disk.kind(path);
  if (kind !== "directory") return kind === "symlink";
  const files = namesBelow(disk, path, "everything");
  return files === undefined || files.some(file => disk.kind(file) === "symlink");
}

/** `mv src old; ln -s elsewhere src`: by what the disk says, the link would be made in the folder. */
function replacesFolder(
  { path, by }: Moved & { readonly kind: "write" },
  effects: readonly CommandEffect[],
  { disk }: GuardWorkspace,
): boolean {
  const at = (word: Value, one: CommandEffect["by"]) =>
    resolveTargets(disk, word, one.cwd, one.place, { followsLast: false }).map(target => target.path);
  const made = at(path, by);
  return effects.some(other => {
    if (other.by.invocation === by.invocation) return false;
    if (other.kind === "git") return changesOfGit(other.run).files;
    if (other.kind !== "move" && other.kind !== "delete") return false;
    const gone = at(other.kind === "move" ? other.from : other.path, other.by);
    return gone.some(
      one => one === undefined || made.some(link => link === undefined || isInside(one, link)),
    );
  });
}

/** What git writes into the tree may be links that it tracks. */
function gapsOfTree(
  run: Extract<CommandEffect, { readonly kind: "git" }>["run"],
  disk: Disk,
): readonly Gap[] {
  const top = run.repository?.top;
  if (run.repository === undefined || top === undefined || !changesOfGit(run).files) return [];
  const named = run.options.operandValues.map(word => knownText(joinPath(run.directory, word)));
  const comes = (path: string) =>
    run.subcommand === "mv"
      ? named.some(one => one === undefined || isInside(one, path))
      : disk.kind(path) !== "symlink";
  const tracked = [...(trackedFiles(disk, run.repository) ?? [])];
  const link = tracked.find(([name, { isLink }]) => isLink && comes(join(top, name)));
  return link === undefined ? [] : [{ kind: "value", what: link[0], why: "git may put a link here" }];
}

/** `cd -P`, `git -C`: a folder that is entered as the kernel does, where the words say another. */
export function gapsOfWaysUp(
  { argv, cwd, program = "" }: Invocation,
  { disk }: GuardWorkspace,
): readonly Gap[] {
  const isShells = entersFolder(program);
  const isPhysical = isShells && argv.slice(1).some(word => /^-[A-Za-z@]*P/.test(knownText(word) ?? ""));
  if (isShells && !isPhysical) return [];
  const start = knownText(cwd);
  return argv.slice(1).flatMap((word): readonly Gap[] => {
    const written = knownText(word);
    if (written === undefined || (!isPhysical && !/(?:^|[/=\w])\.\.(?:\/|$)/.test(written))) return [];
    const path = written.startsWith("-") ? written.replace(/^--?[^=]*=|^-[A-Za-z]/, "") : written;
    const place = path.startsWith("/") ? path : start === undefined ? undefined : `${start}/${path}`;
    if (place === undefined || place.length > MAX_PATH) return [];
    // The words alone, against where links lead.
    const said = isPhysical ? join(place) : disk.resolve(join(place), true);
    return disk.resolve(place, true) === said
      ? []
      : [{ kind: "value", what: written, why: "a link leads elsewhere than its name says" }];
  });
}

const MAX_PATH = 4_096;
