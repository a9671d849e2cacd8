/** At most so many UTF-16 units, never ending in half a character. */
export function clipText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? maxChars - 1 : maxChars);
}

export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}
