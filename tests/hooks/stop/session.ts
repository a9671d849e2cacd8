import { FactCollector, type SessionFacts } from "../../../src/hooks/stock/stop/power-steering/facts.ts";
import { createMemorySystem } from "../../../src/system/memory.ts";
import { readTranscript } from "../../../src/transcripts/read.ts";
import { claudeSession, type Said } from "../recorded.ts";

const NAMES: Record<string, string> = { bash: "Bash", create: "Write", edit: "Edit", MultiEdit: "Edit" };

/** The facts of a session, recorded in Claude Code's form unless said otherwise. */
export function factsOf(
  said: readonly (Said | readonly Said[])[],
  record: (said: readonly Said[]) => string = claudeSession,
): SessionFacts {
  const system = createMemorySystem({ files: { "/t": record(said.flat()) } });
  const collector = new FactCollector();
  for (const entry of readTranscript(system, "/t", name => NAMES[name] ?? name)) collector.see(entry);
  return collector.facts();
}
