import { describe } from "../../shell/index.ts";
import type { GitRun } from "./invocation.ts";

export interface PushedRef {
  /** branch or tag on the other side; undefined when it cannot be known */
  readonly name: string | undefined;
  readonly isForced: boolean;
  readonly isDeleted: boolean;
}

export interface Push {
  readonly isDryRun: boolean;
  /** everything is replaced or pruned: --mirror, --prune */
  readonly sweeps: "mirror" | "prune" | undefined;
  readonly hasLease: boolean;
  readonly refs: readonly PushedRef[];
}

/** What a push would do to the branches of the remote. */
export function readPush({ options, branch }: GitRun): Push {
  const isForced = options.mayBeOn("f");
  const hasLease = options.has("force-with-lease") && !options.has("no-force-with-lease");
  const refspecs = options.operands
    .slice(options.has("repo") ? 0 : 1)
    .map(operand => describe(operand.value));
  const isDeleting = options.has("d");
  const refs = refspecs.flatMap((spec, index): PushedRef[] => {
    if (spec === "tag" || refspecs[index - 1] === "tag") return [];
    return [readRefspec(spec, branch, isForced, isDeleting)];
  });
  if (isForced && options.has("tags")) refs.push({ name: "tags", isForced, isDeleted: false });
  if (refs.length === 0 && !options.has("tags", "mirror") && !isDeleting) {
    if (options.has("all", "branches")) refs.push({ name: "main", isForced, isDeleted: false });
    else refs.push({ name: branch, isForced, isDeleted: false });
  }
  return {
    isDryRun: options.isOn("n") || options.isOn("help"),
    sweeps: options.has("mirror") ? "mirror" : options.has("prune") ? "prune" : undefined,
    hasLease: hasLease && !isForced,
    refs,
  };
}

function readRefspec(
  spec: string,
  branch: string | undefined,
  isForced: boolean,
  isDeleting: boolean,
): PushedRef {
  const isPlus = spec.startsWith("+");
  const body = isPlus ? spec.slice(1) : spec;
  const colon = body.indexOf(":");
  const source = colon < 0 ? body : body.slice(0, colon);
  const destination = colon < 0 ? body : body.slice(colon + 1);
  const isDeleted = isDeleting || (colon === 0 && destination !== "");
  const named = (destination === "" ? source : destination).replace(/^refs\/heads\//, "");
  const isEvery = named === "*";
  const name = named === "HEAD" || named === "@" ? branch : isEvery ? "main" : named;
  return { name, isForced: isForced || isPlus, isDeleted };
}

/** `release/*` matches within one name part, as branch protection does. */
export function isProtectedBranch(patterns: readonly string[], name: string | undefined): boolean {
  if (name === undefined) return false;
  return patterns.some(pattern => {
    if (!pattern.includes("*")) return pattern === name;
    const expression = pattern
      .split("*")
      .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^ ]*");
    return new RegExp(`^${expression}$`).test(name);
  });
}

/** The ones whose commits are refused outright. */
export function isMainBranch(name: string | undefined): boolean {
  return name === "main" || name === "master";
}
