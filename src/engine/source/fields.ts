import { type DiagnosticCode, describeType, diagnose } from "../../handlers/index.ts";
import {
  type Diagnostic,
  type FailurePolicy,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
} from "../../protocol/index.ts";
import { clip, escapeControls, nearest } from "../../text/index.ts";

/** Node fires a longer timer at once, which would end every hook as it starts. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

const FAILURE_POLICIES: ReadonlyMap<Json, FailurePolicy> = new Map([
  ["open", "open"],
  ["continue", "open"],
  ["ask", "ask"],
  ["closed", "closed"],
  ["block", "closed"],
]);

/** Reads the members of one configured entry and keeps account of what is wrong with it. */
export class EntryReader {
  /** set once the entry cannot be used; later complaints of that kind are not repeated */
  isUsable = true;
  private readonly entry: JsonObject;
  private readonly where: string;
  private readonly problems: Diagnostic[];

  constructor(entry: JsonObject, where: string, problems: Diagnostic[]) {
    this.entry = entry;
    this.where = where;
    this.problems = problems;
  }

  warn(code: DiagnosticCode, detail: string): void {
    this.problems.push(diagnose(code, `${this.where}: ${detail}`));
  }

  /** Reports the first reason why the entry is left out. */
  refuse(code: DiagnosticCode, detail: string): void {
    if (this.isUsable) this.warn(code, detail);
    this.isUsable = false;
  }

  value(name: string): Json | undefined {
    return ownValue(this.entry, name);
  }

  /** Must be there and not be blank. */
  requiredString(name: string): string {
    const value = this.value(name);
    if (typeof value === "string" && value.trim() !== "") return value;
    this.refuse(
      "handler-invalid",
      value === undefined ? `"${name}" is missing` : `"${name}" must be text that is not blank`,
    );
    return "";
  }

  optionalString(name: string, code: DiagnosticCode = "handler-invalid"): string | undefined {
    const value = this.value(name) ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    this.refuse(code, `"${name}" must be text, not ${describeType(value)}`);
    return undefined;
  }

  strings(name: string): readonly string[] | undefined {
    const value = this.value(name) ?? undefined;
    if (value === undefined || isStringList(value)) return value;
    this.refuse("handler-invalid", `"${name}" must be a list of texts`);
    return undefined;
  }

  stringRecord(name: string): Readonly<Record<string, string>> | undefined {
    const value = this.value(name) ?? undefined;
    if (value === undefined || isStringRecord(value)) return value;
    this.refuse("handler-invalid", `"${name}" must be an object of texts`);
    return undefined;
  }

  /** Neither true nor false counts as false: a hook that is not `async` or `once` does more, not less. */
  boolean(name: string): boolean {
    const value = this.value(name);
    if (typeof value === "boolean") return value;
    if (value !== undefined) this.warn("field-unknown", `"${name}" must be true or false and is ignored`);
    return false;
  }

  /** What cannot be read is `closed`: a slip in the word that protects must not switch the protection off. */
  failurePolicy(): FailurePolicy | undefined {
    const value = this.value("onFailure") ?? this.value("on_failure");
    if (value === undefined) return undefined;
    const policy = FAILURE_POLICIES.get(value);
    if (policy !== undefined) return policy;
    this.warn("field-unknown", `"onFailure" must be open, ask or closed; counts as closed`);
    return "closed";
  }

  /** Zero or nonsense would end the hook as it starts and so disable it: the default counts instead. */
  timeoutMs(name: string, unitMs: number, defaultMs: number, maxMs: number = MAX_TIMEOUT_MS): number {
    const value = this.value(name);
    if (value === undefined) return Math.min(defaultMs, maxMs);
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
      this.warn("timeout-invalid", `"${name}" must be a number above zero; ${defaultMs} ms counts`);
      return Math.min(defaultMs, maxMs);
    }
    const wanted = value * unitMs;
    if (wanted > maxMs && maxMs < MAX_TIMEOUT_MS) {
      this.warn("timeout-invalid", `"${name}" is more than this event allows; ${maxMs} ms counts`);
    }
    return Math.min(wanted, maxMs);
  }

  reportUnknown(known: ReadonlySet<string>): void {
    for (const name of Object.keys(this.entry)) {
      if (!known.has(name)) this.warn("field-unknown", `"${showName(name)}" is not known and is ignored`);
    }
  }
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(item => typeof item === "string");
}

function isStringRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every(item => typeof item === "string");
}

/** The order of handlers by name; those without one come first. */
export function compareNames(one = "", other = ""): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A name that differs from an event in so few letters is a mistake. */
const MAX_MISSPELT_LETTERS = 2;

/** The event that a name was probably meant for; undefined when none is close, as for one of a later protocol. */
export function meantEvent(name: string, events: Iterable<string>): string | undefined {
  return nearest(name, events, MAX_MISSPELT_LETTERS);
}

/** Why a hook of a misspelt event cannot run. */
export function misspelt(name: string, meant: string): string {
  return `it is configured for "${showName(name)}", which is not an event; ${meant} was meant`;
}

const NAME_CHARS = 60;

/** Names come from untrusted files and end up in messages. */
export function showName(name: string): string {
  return clip(escapeControls(name), NAME_CHARS);
}
