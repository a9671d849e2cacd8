/** The text of anything thrown, for a message. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The kind of anything thrown, where its message might quote a payload. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
