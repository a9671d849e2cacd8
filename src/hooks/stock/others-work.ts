import { type Finding, type Footprint, findOthers } from "../../guard/index.ts";
import {
  type HistoryContext,
  type LiveSession,
  listUncommitted,
  liveIn,
  type UncommittedFile,
} from "../../history/index.ts";
import { HOSTS, resolveHost } from "../../hosts/index.ts";
import { basename, isInside, relative } from "../../system/index.ts";
import { count, escapeControls } from "../../text/index.ts";
import type { ConfiguredGuard } from "../program/guard-context.ts";

const MAX_NAMED = 3;

/** What other live sessions have not committed and the call would take along. No process is started while there is none. */
export async function findOthersWork(
  history: HistoryContext,
  session: string | undefined,
  footprint: Footprint,
  { config, project }: ConfiguredGuard,
): Promise<readonly Finding[]> {
  if (!takesAnything(footprint)) return [];
  const found: Finding[] = [];
  for (const other of liveIn(history.store, project)) {
    if (other.session === session) continue;
    const files = await listUncommitted(history, other);
    const taken = files.filter(file => isTaken(footprint, file));
    const finding = taken.length === 0 ? undefined : tell(history, other, taken, config.guard, project);
    if (finding !== undefined) found.push(finding);
  }
  return found;
}

function takesAnything({ targets, repositories }: Footprint): boolean {
  return (
    targets.some(({ how }) => isLoss(how)) || repositories.some(({ takesWork }) => takesWork !== undefined)
  );
}

function isLoss(how: Footprint["targets"][number]["how"]): boolean {
  return how === "delete" || how === "move";
}

function isTaken(
  { targets, repositories }: Footprint,
  { path, isTracked, isIgnored = false }: UncommittedFile,
): boolean {
  const isNamed = targets.some(
    target => isLoss(target.how) && (target.isTree ? isInside(target.path, path) : target.path === path),
  );
  if (isNamed) return true;
  return repositories.some(
    ({ top, takesWork = [] }) =>
      top !== undefined &&
      isInside(top, path) &&
      takesWork.some(({ untracked, ignored, covers }) => {
        const isOfKind = isTracked === undefined || (isTracked ? untracked !== "only" : untracked !== "none");
        return isOfKind && ignored !== (isIgnored ? "none" : "only") && covers(path);
      }),
  );
}

function tell(
  { system }: HistoryContext,
  { host, session, sinceMs }: LiveSession,
  taken: readonly UncommittedFile[],
  settings: ConfiguredGuard["config"]["guard"],
  project: string,
): Finding | undefined {
  const known = resolveHost(host);
  const title = (known === undefined ? undefined : HOSTS[known].setup?.().title) ?? escapeControls(host);
  const [first] = taken;
  const names = taken.map(({ path }) => (isInside(project, path) ? relative(project, path) : path));
  const more = names.length - MAX_NAMED;
  const files = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${count(more, "more file")}`] : [])].join(
    ", ",
  );
  return findOthers(settings, {
    path: first?.path ?? project,
    who: `another session of ${title} (${session.slice(0, 8)})`,
    since: timeOfDay(system.clock.nowMs(), sinceMs),
    files,
    name: `${basename(project)}-2`,
  });
}

/** `12:03`, in UTC as in the logs; with the day when it was not today. */
function timeOfDay(nowMs: number, timeMs: number): string {
  const [day = "", time = ""] = new Date(timeMs).toISOString().split("T");
  const [today = ""] = new Date(nowMs).toISOString().split("T");
  return `${day === today ? "" : `${day} `}${time.slice(0, 5)} UTC`;
}
