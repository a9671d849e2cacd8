import { join, type System } from "../../system/index.ts";
import { type BuiltHandler, buildFolder, MAX_MANIFEST_BYTES, type Manifest } from "./manifest.ts";
import type { Wants } from "./wanted.ts";

/** What decides whether a handler is for a call. */
export type HandlerWants = Pick<
  BuiltHandler,
  "event" | "matcher" | "condition" | "exceptHosts" | "project" | "writtenFor"
>;

/**
 * What decides whether any hook is for a call, and nothing else: it is read before every tool call of whoever has a
 * hook, so it is small and taken as it was written.
 */
export interface WantedIndex {
  /** of the manifest's text, by which it is known again */
  readonly manifestLength: number;
  readonly hooks: readonly (Wants & { readonly project?: string })[];
  readonly handlers: readonly HandlerWants[];
}

export const INDEX_VERSION = 1;

export function indexFile(stateHome: string): string {
  return join(buildFolder(stateHome), "wanted.json");
}

/** The index of a manifest, as it is written. */
export function indexText({ files, handlers }: Manifest, manifestLength: number): string {
  const hooks = files.flatMap(({ project, hooks: all }) =>
    all.map(({ events, tools, hostTools, hosts, when }) => ({
      events,
      tools,
      hostTools,
      hosts,
      when,
      project,
    })),
  );
  const wants = handlers.map(({ event, matcher, condition, exceptHosts, project, writtenFor }) => ({
    event,
    matcher,
    condition,
    exceptHosts,
    project,
    writtenFor,
  }));
  return `${JSON.stringify({ version: INDEX_VERSION, manifestLength, hooks, handlers: wants })}\n`;
}

/** Undefined when there is none: no hook was ever built. Throws for one that cannot be read. */
export function readIndex(
  { files, text }: Pick<System, "files" | "text">,
  stateHome: string,
): WantedIndex | undefined {
  const path = indexFile(stateHome);
  // Most people have none, and this is asked before every tool call: a look costs less than a failed read.
  if (files.follow(path) === undefined) return undefined;
  const index = JSON.parse(text.decode(files.read(path, MAX_MANIFEST_BYTES)).text) as WantedIndex & {
    readonly version: number;
  };
  if (index.version !== INDEX_VERSION) throw new Error("it was made by another version");
  return index;
}
