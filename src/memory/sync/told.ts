import { type Json, memberAt, StrictMembers } from "../../protocol/index.ts";
import { CATEGORIES, checkTexts, MAX_TIME_MS, type Memory, MemoryError, VALUE_TYPES } from "../memory.ts";
import type { NamedState, PendingChange, TeamState } from "./decide.ts";
import type { FetchedPage, PageCursor, SentChanges, TeamFacts } from "./team-database.ts";

/** What a machine and the server of its team tell each other of memories, as JSON. Whatever is wrong in it throws. */

const timeAt = (members: StrictMembers, name: string): number => {
  const ms = members.number(name);
  if (!Number.isSafeInteger(ms) || Math.abs(ms) > MAX_TIME_MS)
    throw new MemoryError("invalid", `${name} is not a time`);
  return ms;
};

function readMemory(value: Json | undefined): Memory {
  const members = new StrictMembers(value, "memory");
  const texts = {
    id: members.string("id"),
    project: members.string("project"),
    agent: members.string("agent"),
    session: members.string("session"),
    key: members.string("key"),
    value: members.string("value"),
  };
  checkTexts(texts);
  return {
    ...texts,
    type: members.oneOf("type", VALUE_TYPES),
    category: members.oneOf("category", CATEGORIES),
    createdMs: timeAt(members, "createdMs"),
    updatedMs: timeAt(members, "updatedMs"),
    ...(memberAt(value, "isPinned") === undefined ? {} : { isPinned: members.boolean("isPinned") }),
  };
}

function readName(members: StrictMembers) {
  const name = {
    agent: members.string("agent"),
    session: members.string("session"),
    key: members.string("key"),
  };
  checkTexts(name);
  return name;
}

export function readChange(value: Json): PendingChange {
  const members = new StrictMembers(value, "change");
  const memory = memberAt(value, "memory");
  const name = readName(members);
  const told = memory === undefined || memory === null ? undefined : readMemory(memory);
  // What is decided about is the memory of this name.
  if (told !== undefined && (["agent", "session", "key"] as const).some(each => told[each] !== name[each]))
    throw new MemoryError("invalid", "a change is of another memory than its name says");
  return {
    ...name,
    number: members.count("number"),
    changes: members.count("changes"),
    base: members.count("base"),
    memory: told,
    removedMs: timeAt(members, "removedMs"),
  };
}

function readState(value: Json | undefined): TeamState {
  const members = new StrictMembers(value, "state");
  const kind = members.oneOf("kind", ["memory", "removed", "absent"]);
  if (kind === "absent") return { kind };
  const revision = members.count("revision");
  return kind === "memory"
    ? { kind, memory: readMemory(memberAt(value, "memory")), revision }
    : { kind, removedMs: timeAt(members, "removedMs"), revision };
}

function readNamedState(value: Json): NamedState {
  return { ...readName(new StrictMembers(value, "state")), state: readState(memberAt(value, "state")) };
}

export function readCursor(value: Json | undefined): PageCursor {
  const members = new StrictMembers(value, "position");
  const of = members.oneOf("of", ["removals", "memories", "end"]);
  const last = members.string("last");
  if (!(of === "removals" ? /^\\x[0-9a-f]{0,128}$/ : /^\d{1,18}$/).test(last) && of !== "end")
    throw new MemoryError("invalid", "this page does not exist");
  return {
    since: members.count("since"),
    upTo: members.count("upTo"),
    of,
    revision: members.count("revision"),
    last,
  };
}

export function readFacts(value: Json): TeamFacts {
  const members = new StrictMembers(value);
  return {
    revision: members.count("revision"),
    projects: members.string("projects"),
    nowMs: timeAt(members, "nowMs"),
  };
}

export function readPage(value: Json): FetchedPage {
  const members = new StrictMembers(value);
  const next = memberAt(value, "next");
  return {
    states: members.list("states").map(readNamedState),
    revision: members.count("revision"),
    next: next === undefined || next === null ? undefined : readCursor(next),
  };
}

/** In the order of what was sent, of which the machine has the rest. */
export function readSent(value: Json, changes: readonly PendingChange[]): SentChanges {
  const members = new StrictMembers(value);
  const told = members.list("sent");
  if (told.length !== changes.length) throw new MemoryError("invalid", "not every change was answered");
  return {
    revision: members.count("revision"),
    sent: changes.map((change, index) => ({
      change,
      state: readState(memberAt(told[index], "state")),
      isTaken: new StrictMembers(told[index]).boolean("isTaken"),
    })),
  };
}
