/** The text of anything thrown, for a message. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
