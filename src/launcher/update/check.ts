import { type Json, numberAt, stringAt } from "../../protocol/index.ts";
import { AtomicJsonFile } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { version } from "../../version.ts";

const HOUR_MS = 60 * 60 * 1000;
const INTERVAL_HOURS = 24;
/** A machine without network must not try at every launch. */
const FAILURE_INTERVAL_HOURS = 1;

interface Known {
  readonly latest: string | null;
}

/** Why no check is made; `told` ones get a line, because the user may expect the check. */
export function whySkipped(
  system: System,
  options: { readonly isUnwanted: boolean; readonly isDelegated: boolean },
): "silent" | "told" | undefined {
  const isSet = (name: string): boolean => (system.env.get(name) ?? "") !== "";
  if (options.isUnwanted || system.env.get("AMPLIHACK_NO_UPDATE_CHECK") === "1") return "silent";
  const isMachine = ["AMPLIHACK_NONINTERACTIVE", "AMPLIHACK_AGENT_BINARY", "CI"].some(isSet);
  return isMachine || options.isDelegated || !system.stdio.isTerminal("stdin") ? "told" : undefined;
}

export interface UpdateCheck {
  /** the newest version, as far as it is known by now */
  latest(): string | undefined;
  /** Ends a question that has no answer yet. */
  cancel(): void;
  /** for those who want to wait */
  readonly done: Promise<void>;
}

/** Begins to look for a newer version: in the cache, else at the source. Never throws and never delays. */
export function startUpdateCheck(
  system: System,
  stateHome: string,
  source: string,
  onFailure: (error: unknown) => void,
): UpdateCheck {
  const file = new AtomicJsonFile(join(stateHome, "cache", "update_check.json"), { system });
  let known = readFresh(file, system.clock.nowMs());
  const abort = new AbortController();
  const ask = async (): Promise<void> => {
    const { fetchReleases, latestOf } = await import("./releases.ts");
    try {
      known = { latest: latestOf(await fetchReleases(source, abort.signal))?.version ?? null };
    } catch (error) {
      if (abort.signal.aborted) return;
      onFailure(error);
    }
    remember(file, system.clock.nowMs(), known);
  };
  const done = known === undefined ? ask().catch(onFailure) : Promise.resolve();
  return { latest: () => known?.latest ?? undefined, cancel: () => abort.abort(), done };
}

function remember(file: AtomicJsonFile, nowMs: number, known: Known | undefined): void {
  file.write({
    last_check: new Date(nowMs).toISOString(),
    latest_version: known?.latest ?? null,
    check_interval_hours: known === undefined ? FAILURE_INTERVAL_HOURS : INTERVAL_HOURS,
    current_version: version,
  });
}

/** What was found lately by this very version; undefined when it is time to ask again. */
function readFresh(file: AtomicJsonFile, nowMs: number): Known | undefined {
  let value: Json | undefined;
  try {
    value = file.read();
  } catch {
    return undefined;
  }
  const ageMs = nowMs - Date.parse(stringAt(value, "last_check") ?? "");
  const hours = numberAt(value, "check_interval_hours") ?? INTERVAL_HOURS;
  const lifeMs = HOUR_MS * Math.min(hours, INTERVAL_HOURS);
  if (stringAt(value, "current_version") !== version || !(ageMs >= 0 && ageMs < lifeMs)) return undefined;
  return { latest: stringAt(value, "latest_version") ?? null };
}
