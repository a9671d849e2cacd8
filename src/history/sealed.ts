/**
 * One JSON value with a checksum of its text in front, so that a line or file that was written in part, or overlaid
 * by another, is told from a whole one.
 */
export function seal(value: unknown): string {
  const text = JSON.stringify(value);
  return `${OPENING}${checksum(text)}${MIDDLE}${text}}`;
}

const OPENING = '{"sum":"';
const MIDDLE = '","data":';
const SUM_LENGTH = 8;
const TEXT_AT = OPENING.length + SUM_LENGTH + MIDDLE.length;

/** The value, which has the shape that was sealed; undefined when the text is not what `seal` wrote. */
export function unseal<T>(sealed: string): T | undefined {
  const text = sealed.slice(TEXT_AT, -1);
  return sealed.startsWith(`${OPENING}${checksum(text)}${MIDDLE}`) ? parseOwn<T>(text) : undefined;
}

/** JSON that only the history itself writes; undefined when it is none. */
export function parseOwn<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** FNV-1a over UTF-16 units: it finds torn lines, it is no protection against people. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(SUM_LENGTH, "0");
}
