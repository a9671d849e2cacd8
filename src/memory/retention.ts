import type { Retention } from "./store.ts";

/**
 * What sessions leave behind by themselves has this in front of its key. Only that is ever dropped unasked: what
 * a person stored stays until a person deletes it.
 */
export const LEARNED_PREFIX = "learned/";
const KEPT_PER_PROJECT = 1_000;
const KEPT_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Older uses say nothing about what a project needs now. */
export const KEPT_USES_MS = 365 * DAY_MS;

export function learnedRetention(nowMs: number): Retention {
  return {
    keyPrefix: LEARNED_PREFIX,
    keepNewest: KEPT_PER_PROJECT,
    updatedSinceMs: nowMs - KEPT_DAYS * DAY_MS,
  };
}

/** Older memories are not put into a prompt. */
export function oldestForPrompt(maxAgeDays: number, nowMs: number): number {
  return nowMs - maxAgeDays * DAY_MS;
}
