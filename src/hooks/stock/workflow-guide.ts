import { hostOrDefault } from "../../hosts/index.ts";
import { findHome, VARIABLES } from "../../state/index.ts";
import { join } from "../../system/index.ts";
import type { HookContext } from "../program/context.ts";

const SKILL = "dev-orchestrator";

/**
 * How a model gets into the development workflow here: by a skill that this host has, else by our own recipe. A model
 * is never sent to a skill that is not there.
 */
export function developmentGuide(context: HookContext): string {
  if (hasSkill(context)) return `invoke the ${SKILL} skill first, before any other tool`;
  const recipe = `amplihack recipe run default-workflow -c task_description="…" -c repo_path=.`;
  return `start with the recipe (no ${SKILL} skill is installed here): ${recipe}`;
}

function hasSkill({ system, projectRoot, host }: HookContext): boolean {
  const plugin = VARIABLES.CLAUDE_PLUGIN_ROOT.tryGet(system);
  const roots = [projectRoot, findHome(system)].filter(root => root !== undefined);
  const folders = (hostOrDefault(host).skillFolders ?? []).flatMap(folder =>
    roots.map(root => join(root, folder)),
  );
  return [...folders, ...(plugin === undefined ? [] : [join(plugin, "skills")])].some(
    folder => system.files.follow(join(folder, SKILL, "SKILL.md"))?.kind === "file",
  );
}
