import type { HistorySettings } from "../config/index.ts";
import { type ExactFacts, leftMs, type System, SystemError } from "../system/index.ts";
import { createKeepRules, type KeepPlaces, type KeepRules, readingMs } from "./keeper.ts";
import { Store } from "./store.ts";

/** One history, seen from one project, with its settings. */
export interface HistoryContext {
  readonly system: System;
  readonly store: Store;
  readonly settings: HistorySettings;
  readonly places: KeepPlaces;
  readonly rules: KeepRules;
}

export function openContext(system: System, places: KeepPlaces, settings: HistorySettings): HistoryContext {
  return {
    system,
    store: new Store(system, places.stateHome),
    settings,
    places,
    rules: createKeepRules(system, settings, places),
  };
}

/** Digests what a call left behind, as far as the work goes; larger files than are kept are not read. */
export type Digest = (path: string, facts: ExactFacts) => string | undefined;

export function boundedDigest({ system, settings }: HistoryContext, workMs: number): Digest {
  const limit = settings.maxFileMb * 1024 * 1024;
  let left = workMs;
  return (path, facts) => {
    left -= readingMs(facts.size);
    if (facts.size > limit || left < 0 || leftMs(system.clock) <= 0) return undefined;
    return tryDigest(system, path);
  };
}

/** Undefined for a file that cannot be read. */
export function tryDigest({ files }: Pick<System, "files">, path: string): string | undefined {
  try {
    return files.digest(path);
  } catch (error) {
    if (error instanceof SystemError) return undefined;
    throw error;
  }
}
