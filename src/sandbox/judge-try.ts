import { DEFAULT_GUARD_SETTINGS, findUnkept, type GuardContext, judgeObserved } from "../guard/index.ts";
import { findExcluded, isFolder, type PathChange } from "../history/index.ts";
import { Problem } from "../state/index.ts";
import { isInside, type System } from "../system/index.ts";
import { count } from "../text/index.ts";
import { survey, type Workspace } from "../workspace/index.ts";
import { findGitPlaces } from "./git-places.ts";
import { type Applied, applyTry, type Tried, type TryContext } from "./try.ts";
import { type TryRecord, writeTry } from "./try-store.ts";

/** What became of caught changes without a person: real, because the rules let them pass, or held. */
type DecidedTry =
  | ({ readonly outcome: "applied" } & Applied)
  | { readonly outcome: "held"; readonly reason: string; readonly record: TryRecord };

/** Judges caught changes by the rules for what a command would do: they become real, or are held with the reason. */
export async function decideTry(
  system: System,
  context: TryContext,
  guard: GuardContext,
  { record, changes }: NonNullable<Tried["held"]>,
): Promise<DecidedTry> {
  const hold = (reason: string): DecidedTry => {
    const held = { ...record, reason };
    writeTry(system, context.stateHome, held);
    return { outcome: "held", reason, record: held };
  };
  const reason = whyHeld(context, guard, record, changes.files);
  if (reason !== undefined) return hold(reason);
  try {
    return { outcome: "applied", ...(await applyTry(system, context, record, { verdict: "allow" })) };
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "conflict") throw error;
    return hold([error.message, ...error.causes].join(": "));
  }
}

/** The first thing that would have been asked about or refused; undefined where all of it would have passed. */
function whyHeld(
  { history }: TryContext,
  guard: GuardContext,
  { command }: TryRecord,
  files: readonly PathChange[],
): string | undefined {
  const changed = files.filter(file => file.after.kind === "absent" || !isFolder(file));
  const judgement = judgeObserved(
    changed.map(({ path, after }) => ({ path, what: after.kind === "absent" ? "deleted" : "written" })),
    command.join(" "),
    guard,
  );
  if (judgement.failure !== undefined) return "the guard failed while it judged the changes";
  const lossy = changed.filter(({ before }) => before.kind !== "absent").map(({ path }) => path);
  const excluded = findExcluded(history, lossy);
  const isKept = history.settings.enabled && excluded.length === 0;
  // What is applied is kept first, and can come back.
  const findings = judgement.all.filter(
    ({ verdict, atRisk }) => !(isKept && verdict === "ask" && atRisk !== undefined),
  );
  const unkept = excluded.flatMap(
    ({ path, why }) => findUnkept(guard.settings ?? DEFAULT_GUARD_SETTINGS, path, why) ?? [],
  );
  const [first, ...others] = [...findings, ...unkept];
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${count(others.length, "more reason")})`;
    return `${first.lost}${more}`;
  }
  const gap = judgement.gaps().find(({ kind }) => kind === "wiring" || kind === "secret");
  if (gap !== undefined) return `${gap.what}: ${gap.why}`;
  const redirecting = findRedirecting(survey(guard), changed);
  return redirecting === undefined
    ? undefined
    : `${redirecting}: it decides what git runs, or where it writes`;
}

const IN_GIT = /\/\.git\/[\s\S]/;

/**
 * What the sandbox keeps from a command whose changes are not caught: where git looks for what it runs, and links in its
 * folders. Only a branch in `HEAD` needs one.
 */
function findRedirecting(workspace: Workspace, changed: readonly PathChange[]): string | undefined {
  const { readOnly, reserve, absent, folders } = findGitPlaces(workspace, []);
  const places = [...readOnly, ...reserve.map(({ path }) => path), ...absent];
  const isOfGit = (path: string) => IN_GIT.test(path) || folders.some(folder => isInside(folder, path));
  const isRedirecting = ({ path, after }: PathChange) =>
    after.kind === "link"
      ? isOfGit(path) && !/^refs\/(?!.*\.\.)/.test(after.target)
      : after.kind === "file" && places.some(place => isInside(place, path));
  return changed.find(isRedirecting)?.path;
}
