import { knownText } from "../../shell/index.ts";
import { join } from "../../system/index.ts";
import { liveTokenIn } from "../../text/index.ts";
import { isIgnoredNow, partsBelow, type Repository, secretAt, trackedFiles } from "../../workspace/index.ts";
import type { GitRun } from "../git/run.ts";
import type { EffectOf, RuleContext } from "../rule-context.ts";

/** A secret that a run of git would put into the history without being told its name. */
export interface TakenSecret {
  readonly path: string;
  /** what was found, never the value */
  readonly kind: string;
}

const MAX_ENTRIES = 4000;
const MAX_DEPTH = 12;
const MAX_FILE_BYTES = 64 * 1024;
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
const MAX_FOUND = 3;

/**
 * What `git add -A`, `git commit -a` and `git stash -u` would take along: new files by their names and contents, changed
 * ones by their contents. Bounded in files and bytes, so that it costs the same on every machine.
 */
export function secretsTaken({ run, by }: EffectOf<"git">, context: RuleContext): readonly TakenSecret[] {
  const { repository } = run;
  const top = repository?.top;
  if (repository === undefined || top === undefined) return [];
  const starts = startsOf(run, top, by.invocation?.isOpenEnded === true);
  if (starts.length === 0) return [];
  const onlyTracked = run.subcommand === "commit" || run.options.has("u", "update");
  return walk(starts, { top, repository, onlyTracked: onlyTracked && run.subcommand !== "stash" }, context);
}

function startsOf(
  { subcommand, options, directory }: GitRun,
  top: string,
  isOpenEnded: boolean,
): readonly string[] {
  const place = knownText(directory) ?? top;
  if (options.isOn("dry-run") || options.has("help")) return [];
  if (subcommand === "commit") return options.has("a", "all") ? [top] : [];
  if (subcommand === "stash") return options.has("u", "a", "include-untracked", "all") ? [top] : [];
  if (subcommand !== "add" && subcommand !== "stage") return [];
  if (options.isOn("n")) return [];
  // What is not known may be everything that is there: `git add $(git ls-files -o)`.
  if (isOpenEnded || options.operandValues.some(value => value.pieces.some(({ kind }) => kind === "unknown")))
    return [top];
  const operands = options.operandValues.flatMap(value => knownText(value) ?? []);
  if (operands.length === 0) return options.has("A", "all", "u", "update") ? [top] : [];
  return operands.map(operand =>
    operand.startsWith(":/")
      ? join(top, operand.slice(2))
      : operand.includes("*")
        ? join(place, operand.slice(0, operand.indexOf("*")).replace(/[^/]*$/, ""))
        : operand.startsWith("/")
          ? operand
          : join(place, operand),
  );
}

interface Scope {
  readonly top: string;
  readonly repository: Repository;
  readonly onlyTracked: boolean;
}

function walk(starts: readonly string[], scope: Scope, context: RuleContext): readonly TakenSecret[] {
  const { workspace } = context;
  const { disk, given } = workspace;
  const { top, repository, onlyTracked } = scope;
  const tracked = trackedFiles(disk, repository);
  // Without the index everything there may be old.
  if (tracked === undefined) return [];
  const found: TakenSecret[] = [];
  const waiting = [...starts];
  let entries = 0;
  let bytes = 0;
  for (let path = waiting.pop(); path !== undefined && entries < MAX_ENTRIES; path = waiting.pop()) {
    entries += 1;
    const parts = partsBelow(top, path) ?? [];
    if (parts[0] === ".git" || parts.length > MAX_DEPTH || found.length >= MAX_FOUND) continue;
    const kind = disk.kind(path);
    const name = parts.join("/");
    const isTracked = tracked.has(name);
    if (!isTracked && parts.length > 0 && isIgnoredNow(workspace, top, parts)) continue;
    if (kind === "directory") {
      if (parts.length > 0 && disk.kind(join(path, ".git")) !== undefined) continue;
      for (const one of disk.names(path, MAX_ENTRIES) ?? []) waiting.push(join(path, one));
      continue;
    }
    const isChanged = isTracked && given.written?.()?.hasWritten(path) === true;
    if (kind !== "file" || (isTracked ? !isChanged : onlyTracked)) continue;
    const secret = isTracked ? undefined : secretAt(workspace, path);
    if (secret !== undefined && holdsSomething(disk.text(path, MAX_FILE_BYTES))) {
      found.push({ path, kind: secret === "key" ? "a private key" : "a file of secrets" });
      continue;
    }
    if (bytes > MAX_TEXT_BYTES) continue;
    const text = disk.text(path, MAX_FILE_BYTES) ?? "";
    bytes += text.length;
    const token = liveTokenIn(text);
    if (token !== undefined) found.push({ path, kind: token });
  }
  return found;
}

/** An empty file, or one with names alone, gives nothing away. */
function holdsSomething(text: string | undefined): boolean {
  return (
    text === undefined || text.split("\n").some(line => /^\s*[^#\s]/.test(line) && !/^[^=]*=\s*$/.test(line))
  );
}
