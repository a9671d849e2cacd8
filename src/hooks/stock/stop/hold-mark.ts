/** Begins every text of ours with which an agent is held, so that it is never taken for the user's. */
export const HOLD_MARK = "[amplihack]";

const WRAPPING = 200;

/** True for a held text that the host put in the user's place, with whatever it writes in front. */
export function isHeldText(text: string): boolean {
  return text.slice(0, WRAPPING).includes(HOLD_MARK);
}
