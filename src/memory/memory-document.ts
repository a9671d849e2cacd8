import type { Memory } from "./memory.ts";

/** A memory as commands print it. */
export function toDocument({ id, agent, session, project, key, value, type, category, ...memory }: Memory) {
  return {
    id,
    agent,
    session: emptyToNull(session),
    project: emptyToNull(project),
    key,
    value,
    type,
    category,
    created_at: toTime(memory.createdMs),
    updated_at: toTime(memory.updatedMs),
    ...(memory.isPinned === true ? { pinned: true } : {}),
  };
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

function emptyToNull(text: string): string | null {
  return text === "" ? null : text;
}

export interface AgentBranch {
  readonly agent: string;
  readonly count: number;
  readonly sessions?: readonly SessionBranch[];
}

interface SessionBranch {
  readonly session: string | null;
  readonly count: number;
  readonly memories?: readonly MemoryLeaf[];
}

interface MemoryLeaf {
  readonly key: string;
  readonly type: string;
  readonly category: string;
  readonly updated_at: string;
}

/** Agents, their sessions, their memories; `depth` says how many of the three levels. In the order given. */
export function buildMemoryTree(memories: readonly Memory[], depth: number): readonly AgentBranch[] {
  return [...groupBy(memories, memory => memory.agent)].map(([agent, ofAgent]) => ({
    agent,
    count: ofAgent.length,
    ...(depth < 2 ? {} : { sessions: sessionBranches(ofAgent, depth) }),
  }));
}

function sessionBranches(memories: readonly Memory[], depth: number): readonly SessionBranch[] {
  return [...groupBy(memories, memory => memory.session)].map(([session, ofSession]) => ({
    session: session === "" ? null : session,
    count: ofSession.length,
    ...(depth < 3 ? {} : { memories: ofSession.map(toLeaf) }),
  }));
}

function toLeaf({ key, type, category, updatedMs }: Memory): MemoryLeaf {
  return { key, type, category, updated_at: toTime(updatedMs) };
}

function groupBy(
  memories: readonly Memory[],
  nameOf: (memory: Memory) => string,
): ReadonlyMap<string, readonly Memory[]> {
  const groups = new Map<string, Memory[]>();
  for (const memory of memories) {
    const name = nameOf(memory);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(memory);
  }
  return groups;
}
