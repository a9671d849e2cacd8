import { AGENT_FOLDERS, agentFileNames } from "../../programs/index.ts";
import { findAssetHome, findHome } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { SHIPPED_AGENTS } from "../shipped-recipes.ts";
import { isFile, staysInside } from "./find-recipe.ts";

type AgentLookup =
  /** `passedOver`: a file of the project that has the name of an agent of the package, and does not take its place */
  | { readonly kind: "found"; readonly path: string; readonly passedOver?: string }
  | { readonly kind: "missing" }
  | { readonly kind: "bad-reference" };

/** Agents of the package answer to this namespace, and to none. */
const OWN_NAMESPACE = "amplihack";

/** The file behind an agent reference: `name`, `namespace:name` or `namespace:category:name`. */
export function findAgent(system: System, reference: string, workingDir: string): AgentLookup {
  const segments = reference.split(":");
  if (segments.length > 3 || !segments.every(segment => /^[A-Za-z0-9_-]+$/.test(segment))) {
    return { kind: "bad-reference" };
  }
  const home = findHome(system);
  const bases = new Set([
    ...[findAssetHome(system)].filter(base => base !== undefined),
    ...(home === undefined ? [] : [join(home, ".amplihack")]),
  ]);
  const inBase = (base: string) =>
    findIn(
      system,
      AGENT_FOLDERS.map(folder => join(base, folder)),
      segments,
    );
  const isOwn = segments.length === 1 || segments[0] === OWN_NAMESPACE;
  const shipped = isOwn ? findIn(system, [SHIPPED_AGENTS], segments) : undefined;
  const chosen = [...bases].map(inBase).find(path => path !== undefined);
  const ofProject = bases.has(workingDir) ? undefined : inBase(workingDir);
  if (chosen !== undefined) return { kind: "found", path: chosen };
  if (shipped !== undefined)
    return { kind: "found", path: shipped, ...(ofProject === undefined ? {} : { passedOver: ofProject }) };
  return ofProject === undefined ? { kind: "missing" } : { kind: "found", path: ofProject };
}

function findIn(
  { files }: System,
  directories: readonly string[],
  segments: readonly string[],
): string | undefined {
  return directories
    .flatMap(directory =>
      agentFileNames(segments).map(candidate => ({ directory, file: join(directory, candidate) })),
    )
    .find(({ directory, file }) => isFile(files, file) && staysInside(files, directory, file))?.file;
}
