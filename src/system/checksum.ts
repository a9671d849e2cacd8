let supplied: ((text: string) => number | undefined) | undefined;

/** For an engine that interprets, and has a faster one beside it; undefined for a text that it does not take. */
export function supplyChecksum(sum: (text: string) => number | undefined): void {
  supplied = sum;
}

/** FNV-1a over UTF-16 units: it finds what was torn, it is no protection against people. */
export function checksum(text: string): number {
  // An engine may hand over the same bits as a negative number.
  return (supplied?.(text) ?? interpret(text)) >>> 0;
}

function interpret(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
