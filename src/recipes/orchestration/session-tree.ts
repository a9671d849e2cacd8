import { type Json, objectAt, ownValue, StrictMembers } from "../../protocol/index.ts";
import { AtomicJsonFile, findStateHome, Problem } from "../../state/index.ts";
import { isAbsolute, join, type System } from "../../system/index.ts";
import { sessionLimits } from "../run/base-environment.ts";

/** One agent session of a tree: who started it, and whether it still runs. */
export interface TreeSession {
  readonly depth: number;
  readonly parent: string | null;
  readonly status: "active" | "completed";
  readonly started_at: number;
  readonly completed_at: number | null;
}

/** The sessions that one run started, over all its depths. */
interface TreeState {
  /** the depth that the first registration allowed; later ones can lower it only */
  readonly ceiling: number | null;
  readonly sessions: Readonly<Record<string, TreeSession>>;
}

const EMPTY: TreeState = { ceiling: null, sessions: {} };

/** The trees of this user. They are kept below the state home: a temporary directory differs from run to run. */
export class SessionTrees {
  private readonly system: System;
  readonly directory: string;

  constructor(system: System) {
    this.system = system;
    const given = system.env.get("AMPLIHACK_SESSION_TREE_DIR") ?? "";
    const home = findStateHome(system);
    if (!isAbsolute(given) && home === undefined)
      throw new Problem("HOME is not set to an absolute path", { kind: "environment", fix: "set HOME" });
    this.directory = isAbsolute(given) ? given : join(home ?? "/", "session-trees");
  }

  /** The tree that the environment names. */
  get current(): string | undefined {
    const id = this.system.env.get("AMPLIHACK_TREE_ID") ?? "";
    return id === "" ? undefined : checkId(id, "AMPLIHACK_TREE_ID");
  }

  /** Throws when the tree is full or too deep; nothing is registered then. */
  register(session: string, parent: string | undefined): { readonly tree: string; readonly depth: number } {
    const { maxDepth, maxSessions, depth } = sessionLimits(this.system);
    const tree = this.current ?? this.system.random.hex(8);
    checkId(session, "the session id");
    if (parent !== undefined) checkId(parent, "the parent's id");
    this.file(tree).update(
      state => {
        const active = listIds(state, "active").length;
        if (active >= maxSessions) throw refused(`max_sessions=${maxSessions} reached (${active} active)`);
        const ceiling = Math.min(state.ceiling ?? maxDepth, maxDepth);
        if (depth > ceiling) throw refused(`depth=${depth} exceeds max_depth=${ceiling}`);
        const entry: TreeSession = {
          depth,
          parent: parent ?? null,
          status: "active",
          started_at: this.seconds(),
          completed_at: null,
        };
        return { ceiling: state.ceiling ?? ceiling, sessions: { ...state.sessions, [session]: entry } };
      },
      EMPTY,
      { onMalformed: "set-aside" },
    );
    return { tree, depth };
  }

  /** Does nothing without a tree, or for a session that is not in it. */
  complete(session: string): void {
    checkId(session, "the session id");
    const tree = this.current;
    if (tree === undefined || this.file(tree).read() === undefined) return;
    this.file(tree).update(state => {
      const entry = ownValue(state.sessions, session);
      if (entry === undefined) return state;
      const completed: TreeSession = { ...entry, status: "completed", completed_at: this.seconds() };
      return { ...state, sessions: { ...state.sessions, [session]: completed } };
    }, EMPTY);
  }

  status(tree: string) {
    const state = this.file(checkId(tree, "the tree id")).read() ?? EMPTY;
    const depths = Object.entries(state.sessions).map(([id, { depth }]) => [id, depth] as const);
    return {
      tree_id: tree,
      active: listIds(state, "active"),
      completed: listIds(state, "completed"),
      depths: Object.fromEntries(depths),
    };
  }

  /** Why no further session may be started below this one; undefined when one may. */
  whyBlocked(): string | undefined {
    const { maxDepth, maxSessions, depth } = sessionLimits(this.system);
    const tree = this.current;
    const state = (tree === undefined ? undefined : this.file(tree).read()) ?? EMPTY;
    const ceiling = Math.min(state.ceiling ?? maxDepth, maxDepth);
    if (depth + 1 > ceiling) return `max_depth=${ceiling} exceeded at depth=${depth}`;
    const active = listIds(state, "active").length;
    return active >= maxSessions ? `max_sessions=${maxSessions} reached (${active} active)` : undefined;
  }

  /** Files of trees in which nothing happened for so long. */
  olderThan(days: number): readonly { readonly path: string; readonly bytes: number }[] {
    const { files, clock } = this.system;
    if (files.follow(this.directory)?.kind !== "directory") return [];
    const before = clock.nowMs() - days * 86_400_000;
    return files.list(this.directory).flatMap(name => {
      const path = join(this.directory, name);
      const facts = /\.(?:json|lock)$/.test(name) ? files.inspect(path) : undefined;
      return facts?.kind === "file" && facts.modifiedMs < before ? [{ path, bytes: facts.size }] : [];
    });
  }

  private file(tree: string): AtomicJsonFile<TreeState> {
    return new AtomicJsonFile(join(this.directory, `${tree}.json`), {
      system: this.system,
      parse: parseState,
    });
  }

  private seconds(): number {
    return Math.floor(this.system.clock.nowMs() / 1000);
  }
}

function listIds({ sessions }: TreeState, status: TreeSession["status"]): readonly string[] {
  return Object.keys(sessions)
    .filter(id => sessions[id]?.status === status)
    .sort();
}

function checkId(id: string, what: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id) && id !== "__proto__") return id;
  throw new Problem(`${what} must be 1 to 64 letters, digits, _ or -`, { kind: "invalid" });
}

function refused(why: string): Problem {
  return new Problem(why, {
    kind: "refused",
    fix: "end sessions of this tree with `amplihack session-tree complete ID`, or work in the current session",
  });
}

function parseState(value: Json): TreeState {
  const state = new StrictMembers(value);
  const sessions = objectAt(value, "sessions");
  return {
    ceiling: state.optional("ceiling", state.number) ?? null,
    sessions: Object.fromEntries(Object.entries(sessions).map(([id, entry]) => [id, parseSession(entry)])),
  };
}

function parseSession(value: Json | undefined): TreeSession {
  const entry = new StrictMembers(value);
  return {
    depth: entry.optional("depth", entry.number) ?? 0,
    parent: entry.optional("parent", entry.string) ?? null,
    status: entry.optional("status", entry.string) === "completed" ? "completed" : "active",
    started_at: entry.optional("started_at", entry.number) ?? 0,
    completed_at: entry.optional("completed_at", entry.number) ?? null,
  };
}
