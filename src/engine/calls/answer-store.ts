import { BoundedMap } from "../session-state.ts";

/** What people have answered. Engines that share a store use each pending call once among all of them. */
export interface AnswerStore {
  /** True for the first who claims the key, in all processes; it may be forgotten after `expiresAt` (milliseconds). */
  claim(key: string, expiresAt: number): Promise<boolean>;
  /** Whether the key was claimed and has not expired. */
  has(key: string): Promise<boolean>;
}

const MAX_ANSWERS = 512;

/** Answers of one engine, as long as it lives. */
export function rememberAnswers(): AnswerStore {
  const known = new BoundedMap<number>(MAX_ANSWERS);
  return {
    claim(key, expiresAt) {
      const isFirst = !known.has(key);
      if (isFirst) known.set(key, expiresAt);
      return Promise.resolve(isFirst);
    },
    has: key => Promise.resolve((known.get(key) ?? 0) > Date.now()),
  };
}
