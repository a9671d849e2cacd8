import { describe } from "../../shell/index.ts";
import { components } from "../../system/index.ts";
import {
  isConfigured,
  partsBelow,
  patternNamesSecret,
  type SecretKind,
  secretAt,
  type Target,
} from "../../workspace/index.ts";
import type { RuleContext } from "../rule-context.ts";

/** The secret a target names, or the pattern that could only mean one. */
export function secretOf(context: RuleContext, target: Target): SecretKind | undefined {
  const { workspace } = context;
  if (target.path !== undefined) return secretAt(workspace, target.path);
  const last = target.rest.at(-1);
  if (last === undefined) return undefined;
  const name = describe({ pieces: last, origins: [] });
  if (target.base !== undefined && target.rest.length === 1) {
    const inside = secretAt(workspace, `${target.base}/x`);
    if (inside !== undefined && secretAt(workspace, target.base) !== undefined) return inside;
  }
  if (patternNamesSecret(last) || (target.base === "/proc" && name === "environ")) return "secret";
  return last.every(piece => piece.kind === "text") ? secretAt(workspace, `/${name}`) : undefined;
}

/** Paths the configuration closed for reading. */
export function isClosed({ workspace }: RuleContext, target: Target): boolean {
  const { noRead } = workspace.settings.paths;
  const place = target.path ?? target.base;
  if (noRead.length === 0 || place === undefined) return false;
  return isConfigured(noRead, partsBelow(workspace.project, place) ?? components(place));
}
