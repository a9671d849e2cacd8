import { describe, hasGlob, type Value } from "../shell/index.ts";
import { compileGlob, isInside, matchesGlob } from "../system/index.ts";
import { redact } from "../text/index.ts";
import {
  classifyPath,
  expandTarget,
  hasSecretsIn,
  mayHoldLogin,
  patternNamesSecret,
  resolveTargets,
  secretAt,
  type Target,
} from "../workspace/index.ts";
import type { Gap } from "./gap.ts";
import type { GuardWorkspace } from "./judgement.ts";
import { type CallFacts, filesNamed } from "./named-files.ts";
import type { Actor, EffectOf } from "./rule-context.ts";

/** Below /dev/shm lie plain files. */
export const DEVICES = /^\/(?:dev(?!\/shm\/)|proc|sys)(?:\/|$)/;
export const PLAIN_DEVICES =
  /^\/dev\/(?:null|zero|full|u?random|stdin|stdout|stderr|tty|fd\/(?:[0-2]|6[3-9]|[7-9]\d|\d{3,}))$/;

/** Facts about the machine that everybody may read. */
const MACHINE = /^\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime|filesystems|stat)$/;

/** What is not known of what is read. */
export function gapsOfRead(
  { path: word, by, below, followsLinks }: Pick<EffectOf<"read">, "path" | "by" | "below" | "followsLinks">,
  workspace: GuardWorkspace,
  facts: CallFacts,
): readonly Gap[] {
  const { disk } = workspace;
  const targets = resolveTargets(disk, word, by.cwd, by.place, { followsLast: true, isReading: true });
  return targets.flatMap((target): readonly Gap[] => {
    const what = target.shown;
    if (target.path === undefined) {
      const files = filesNamed(word, by.invocation, facts, disk);
      if (files === undefined) return gapsOfOpenRead(word, target, workspace, followsLinks);
      const secret = files.find(file => secretAt(workspace, file) !== undefined);
      return secret === undefined ? [] : [{ kind: "secret", what: secret, why: "it may be read" }];
    }
    const gap = gapOfReadPath(target.path, what, workspace);
    if (gap !== undefined) return [gap];
    return hasSecretsIn(workspace, target.path, namesSearched(below, by), followsLinks)
      ? [{ kind: "secret", what, why: "a secret is in this folder" }]
      : [];
  });
}

/** `--include=*.ts`: of a folder only files of such names are shown. */
function namesSearched(
  below: EffectOf<"read">["below"],
  { invocation }: Actor,
): ((name: string) => boolean) | undefined {
  const only = below?.only ?? [];
  // With `--exclude` in front, what none of them names is searched too.
  if (invocation?.argv.some(word => /^--exclude(?:=|$)/.test(describe(word))) !== false) return undefined;
  // A word without a pattern is the name of a type, which stands for patterns that are not known.
  if (only.length === 0 || !only.every(pattern => /^[^/!{[\\]*[.*][^/!{[\\]*$/.test(pattern)))
    return undefined;
  const patterns = only.map(pattern => compileGlob(pattern.toLowerCase(), "fnmatch"));
  return name => patterns.some(pattern => matchesGlob(pattern, name.toLowerCase()));
}

function gapOfReadPath(path: string, what: string, workspace: GuardWorkspace): Gap | undefined {
  const { disk } = workspace;
  if (PLAIN_DEVICES.test(path) || MACHINE.test(path)) return undefined;
  if (DEVICES.test(path) || disk.kind(path) === "other")
    return { kind: "reach", what, why: "a device, a pipe or a running process is read" };
  if (secretAt(workspace, path) !== undefined) return { kind: "secret", what, why: "it is read" };
  if (mayBeSecretByOtherName(path, workspace))
    return {
      kind: "secret",
      what,
      why: "the file has another name elsewhere, which may be that of a secret",
    };
  const settings = mayHoldLogin(path) ? (disk.text(path, MAX_SETTINGS) ?? "") : "";
  return redact(settings) !== settings
    ? { kind: "secret", what, why: "it holds what looks like a secret" }
    : undefined;
}

/** Of a file with several names; what tools make again is linked to their caches. */
function mayBeSecretByOtherName(path: string, workspace: GuardWorkspace): boolean {
  const { disk, project, home } = workspace;
  const isOwn = isInside(home, path) || (project !== undefined && isInside(project, path));
  return (
    isOwn &&
    disk.kind(path) === "file" &&
    disk.links(path) > 1 &&
    classifyPath(workspace, path) !== "regenerable"
  );
}

const MAX_SETTINGS = 64 * 1024;

/** A pattern below a known folder is known; what else is open may be anything. */
function gapsOfOpenRead(
  word: Value,
  target: Target,
  workspace: GuardWorkspace,
  followsLinks = false,
): readonly Gap[] {
  const what = target.shown;
  const found = hasOnlyPatterns(word) ? expandTarget(workspace.disk, target, true) : undefined;
  if (found === undefined) {
    if (target.base === undefined || !isOurs(workspace, target.base) || !isBounded(word))
      return [{ kind: "value", what, why: "which file is read is not known" }];
    return hasSecretsIn(workspace, target.base, undefined, followsLinks) ||
      target.rest.some(patternNamesSecret)
      ? [{ kind: "secret", what, why: "a secret is in this folder" }]
      : [];
  }
  if (target.base !== undefined && DEVICES.test(`${target.base}/`))
    return [{ kind: "reach", what, why: "a device, a pipe or a running process is read" }];
  for (const path of [...found.paths, ...found.trees]) {
    const gap = gapOfReadPath(path, what, workspace);
    if (gap !== undefined) return [gap];
    if (hasSecretsIn(workspace, path, undefined, followsLinks))
      return [{ kind: "secret", what, why: "a secret is in this folder" }];
  }
  return [];
}

export function hasOnlyPatterns(word: Value): boolean {
  return hasGlob(word) && word.pieces.every(piece => piece.kind !== "unknown");
}

/** What is not known cannot lead out of the folder in front of it. */
function isBounded({ pieces }: Value): boolean {
  return pieces.every(piece => piece.kind !== "unknown" || piece.shape === "token");
}

function isOurs(workspace: GuardWorkspace, path: string): boolean {
  const { project, temps } = workspace;
  return (project !== undefined && isInside(project, path)) || temps.some(temp => isInside(temp, path));
}
