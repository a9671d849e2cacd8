import { isRegenerableName } from "../programs/index.ts";
import { join, relative, type System } from "../system/index.ts";
import { count } from "../text/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { type PlanRequest, planPolicy } from "./plan.ts";

const MAX_ENTRIES = 200_000;
const SHOWN = 3;

/** What stays open in this project with all layers, in words for people. */
export function findOpenHere(
  system: Pick<System, "files" | "env" | "text">,
  workspace: Workspace,
  settings: PlanRequest["settings"],
): readonly string[] {
  const layers = ["namespaces", "landlock", "seccomp"] as const;
  const { open } = planPolicy(system, workspace, { settings, layers, leftovers: "keep" });
  const linked = workspace.project === undefined ? [] : linkedOutside(system, workspace.project);
  const names = linked.slice(0, SHOWN).join(", ");
  const more = linked.length > SHOWN ? ` and ${linked.length - SHOWN} more` : "";
  return [
    ...open,
    ...(linked.length === 0
      ? []
      : [
          `${count(linked.length, "file")} with other names outside the project, which change with them: ${names}${more}`,
        ]),
  ];
}

/** Hard links: files of the project that have more names than can be found in it. */
function linkedOutside({ files }: Pick<System, "files">, project: string): readonly string[] {
  const known = new Map<string, { readonly path: string; readonly links: number; found: number }>();
  const waiting = [project];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined && seen < MAX_ENTRIES; folder = waiting.pop()) {
    for (const { name, kind, identity, links } of files.listFacts(folder)) {
      seen += 1;
      const path = join(folder, name);
      if (kind === "directory" && !isRegenerableName(name)) waiting.push(path);
      if (kind !== "file" || links < 2) continue;
      const entry = known.get(identity) ?? { path, links, found: 0 };
      known.set(identity, { ...entry, found: entry.found + 1 });
    }
  }
  const outside = [...known.values()].filter(({ links, found }) => found < links);
  return outside.map(({ path }) => relative(project, path)).sort();
}
