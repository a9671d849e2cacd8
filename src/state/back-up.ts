import { hasErrorCode, type System } from "../system/index.ts";

const MAX_PER_SECOND = 100;

/**
 * Keeps what a file holds as `<path>.backup.<unix seconds>`, with `-2` and so on where that name is taken. Never
 * overwrites another backup. Gives the name of the new one.
 */
export function backUp(system: Pick<System, "files" | "clock">, path: string, bytes: Uint8Array): string {
  const name = `${path}.backup.${Math.floor(system.clock.nowMs() / 1000)}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    try {
      system.files.createExclusive(candidate, bytes, 0o600);
      return candidate;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST") || number === MAX_PER_SECOND) throw error;
    }
  }
}
