const SECONDS = [0.3, 1.5, 6, 24];

/**
 * What an action gives whose program is cut off after some seconds and must have begun by then. On a busy machine even
 * the first line of a script can take long, so it is given more time until it had enough.
 */
export async function withEnoughTime<R>(
  act: (seconds: number) => Promise<R>,
  hasBegun: (result: R) => boolean,
): Promise<R> {
  for (const seconds of SECONDS) {
    const result = await act(seconds);
    if (hasBegun(result)) return result;
  }
  throw new Error(`the program had not begun after ${SECONDS.at(-1)} seconds`);
}
