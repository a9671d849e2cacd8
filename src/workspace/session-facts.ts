/** What is known of a session beside the files that it wrote. Lists are bounded by whoever keeps them. */
export interface SessionFacts {
  /** where values of secrets were shown since the person's last prompt, in words: `.env`, `an API key in …` */
  readonly shown: readonly string[];
  /** what brought text since then that was worded as orders for the agent */
  readonly warned: readonly string[];
  /** questions that the person answered with yes, as `questionKey` makes them */
  readonly permitted: readonly string[];
  /** files and folders that it brought from other machines: the path and the address, a line each */
  readonly fetched: readonly string[];
  /** files that it packed secrets into, as `path` and the path of a secret, a line each */
  readonly packed: readonly string[];
  /** texts of its files that were judged, as `path`, stamp of the file and what was found, a line each */
  readonly judged: readonly string[];
  /** the person's last prompt asked for hooks to be skipped */
  readonly maySkipHooks: boolean;
}

export const NO_SESSION_FACTS: SessionFacts = {
  shown: [],
  warned: [],
  permitted: [],
  fetched: [],
  packed: [],
  judged: [],
  maySkipHooks: false,
};

/** What warned of foreign text since the person's last prompt; empty when nothing did. */
export function warnedSincePrompt({
  facts,
}: {
  readonly facts?: SessionFacts | undefined;
}): readonly string[] {
  return facts?.warned ?? [];
}
