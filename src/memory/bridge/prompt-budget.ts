/** About 2000 tokens: what the memories of one agent may take of a prompt. */
export const MAX_AGENT_CHARACTERS = 8_000;

/** How many of the lines, from the first on, fit into the room: a line is in it completely or not at all. */
export function countFitting(lines: readonly string[], room: number): number {
  let used = 0;
  const tooMuch = lines.findIndex(line => {
    used += line.length + 1;
    return used > room;
  });
  return tooMuch < 0 ? lines.length : tooMuch;
}
