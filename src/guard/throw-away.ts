import type { Actor } from "./effects.ts";

/** What these rules protect is the repository, the processes and the programs of this machine. */
const OF_THIS_MACHINE = /^(?:git\.(?!push$|main$)|sys\.|exec\.(?:remote|decoded|computed)$)/;

/**
 * A fresh container without any mount has nothing of ours: what is lost in it was made in it. What it does to others
 * over the network is judged as everywhere.
 */
export function staysInContainer(rule: string, by: Actor | undefined): boolean {
  const place = by?.place;
  return place?.kind === "container" && place.mounts.length === 0 && OF_THIS_MACHINE.test(rule);
}
