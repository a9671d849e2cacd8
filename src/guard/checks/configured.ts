import { components } from "../../system/index.ts";
import { isConfigured, partsBelow, type Target } from "../../workspace/index.ts";
import type { CommandEffect } from "../effects.ts";
import type { RuleContext } from "../rule-context.ts";

/** Paths the configuration names: never written, never deleted. */
export function reportConfigured(
  context: RuleContext,
  effect: CommandEffect,
  target: Target,
  action: "write" | "delete",
): void {
  const { paths } = context.workspace.settings;
  if (paths.deny.length === 0 && paths.noDelete.length === 0) return;
  const place = target.path ?? target.base;
  if (place === undefined) return;
  const parts = partsBelow(context.workspace.project, place) ?? components(place);
  const patterns = action === "delete" ? [...paths.deny, ...paths.noDelete] : paths.deny;
  const isAbove =
    effect.kind === "delete" &&
    effect.isRecursive &&
    patterns.some(pattern => startsWithParts(pattern, parts));
  if (isAbove || isConfigured(patterns, parts)) context.report("fs.path", effect.by, target.shown);
}

/** Deleting a directory deletes what a pattern protects below it. */
function startsWithParts(pattern: string, parts: readonly string[]): boolean {
  const wanted = pattern.split("/").filter(part => part !== "");
  return parts.length < wanted.length && parts.every((part, index) => part === wanted[index]);
}
