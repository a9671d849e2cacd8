import { findEvent, type HookInput } from "../../protocol/index.ts";
import { compileGlob, matchesGlob } from "../../system/index.ts";

/** Which calls a hook is for, as plain data: what `defineHook` was told and what the manifest holds. */
export interface Wants {
  readonly events: readonly string[];
  readonly tools: readonly string[];
  readonly hostTools: readonly string[];
  readonly hosts: readonly string[];
  readonly when: When | undefined;
}

/** A pattern, or words of which one must stand in the text. */
export type When =
  | { readonly pattern: string; readonly flags: string }
  | { readonly words: readonly string[] };

export function toWhen(when: RegExp | string | readonly string[] | undefined): When | undefined {
  if (when === undefined) return undefined;
  if (when instanceof RegExp) return { pattern: when.source, flags: when.flags.replace(/[gy]/g, "") };
  return { words: typeof when === "string" ? [when] : when };
}

/** Whether a hook is to run. Every doubt is a yes: `when` only saves work. */
export function isWanted(wants: Wants, input: HookInput): boolean {
  if (!wants.events.includes(findEvent(input.event)?.name ?? input.event)) return false;
  if (wants.hosts.length > 0 && !wants.hosts.includes(input.host)) return false;
  return wantsTool(wants, input) && (wants.when === undefined || matchesWhen(wants.when, textOf(input)));
}

function wantsTool({ tools, hostTools }: Wants, input: HookInput): boolean {
  if (tools.length === 0 && hostTools.length === 0) return true;
  if (input.kind !== "tool") return true;
  const { name, canonicalName } = input.tool;
  return hostTools.includes(name) || tools.some(tool => isTool(tool, canonicalName));
}

function isTool(selector: string, name: string): boolean {
  if (selector === name) return true;
  return selector.includes("*") && matchesGlob(compileGlob(selector, "text"), name);
}

/** The command, the paths of a file tool, or the prompt; undefined for events without a text. */
function textOf(input: HookInput): string | undefined {
  if (input.kind === "prompt") return input.prompt;
  if (input.kind !== "tool") return undefined;
  if (input.facts.command !== null) return input.facts.command;
  return input.facts.paths.length === 0 ? undefined : input.facts.paths.join("\n");
}

function matchesWhen(when: When, text: string | undefined): boolean {
  if (text === undefined) return true;
  if ("words" in when) return when.words.some(word => hasWord(text, word));
  try {
    return new RegExp(when.pattern, when.flags).test(text);
  } catch {
    // What one engine takes for a pattern another may refuse.
    return true;
  }
}

/** As a word of its own: `deploy` is in `make deploy` and in `./deploy.sh`, not in `redeployed`. */
function hasWord(text: string, word: string): boolean {
  const isPartOfWord = (character: string | undefined) =>
    character !== undefined && /[A-Za-z0-9_]/.test(character);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPartOfWord(text[at - 1]) && !isPartOfWord(text[at + word.length])) return true;
  return word === "";
}
