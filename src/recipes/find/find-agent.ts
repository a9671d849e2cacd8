import { findAssetHome, findHome } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { SHIPPED_AGENTS } from "../shipped-recipes.ts";
import { isFile, staysInside } from "./find-recipe.ts";

type AgentLookup =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing" }
  | { readonly kind: "bad-reference" };

const AGENT_FOLDERS = [".claude/agents", "amplifier-bundle/agents"];
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
    workingDir,
  ]);
  const directories = [...bases].flatMap(base => AGENT_FOLDERS.map(folder => join(base, folder)));
  const isOwn = segments.length === 1 || segments[0] === OWN_NAMESPACE;
  for (const directory of [...directories, ...(isOwn ? [SHIPPED_AGENTS] : [])]) {
    const path = candidates(segments)
      .map(candidate => join(directory, candidate))
      .find(file => isFile(system.files, file) && staysInside(system.files, directory, file));
    if (path !== undefined) return { kind: "found", path };
  }
  return { kind: "missing" };
}

function candidates(segments: readonly string[]): readonly string[] {
  const name = `${segments.at(-1)}.md`;
  if (segments.length === 1) return [name];
  const [namespace = "", category] = segments;
  const nested =
    segments.length === 3 ? [join(namespace, category ?? "", name), join(category ?? "", name)] : [];
  return [
    ...nested,
    join(namespace, "core", name),
    join(namespace, "specialized", name),
    join("core", name),
    join("specialized", name),
    name,
  ];
}
