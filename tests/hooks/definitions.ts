import { definitionPath } from "../../scripts/entries.mjs";
import type { HookDefinition } from "../../src/hooks/program/hook-program.ts";

/** What the build puts into the bundle of that entry. */
export async function loadDefinition(entry: string): Promise<HookDefinition> {
  const url = new URL(`../../${definitionPath(entry)}`, import.meta.url).href;
  const loaded: { readonly definition: HookDefinition } = await import(/* @vite-ignore */ url);
  return loaded.definition;
}
