/** The text of anything thrown, for a message. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The kind of anything thrown, where its message might quote a payload. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** How the engines say that something does not fit into their memory. */
export function isMemoryUsedUp(error: unknown): boolean {
  const pattern = /out of memory|allocation failed|invalid (?:string|array) length/i;
  return error instanceof Error && pattern.test(error.message);
}
