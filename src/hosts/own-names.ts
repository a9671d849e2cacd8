import { dirname } from "../system/index.ts";
import type { HostDescriptor } from "./host.ts";

/** Skills and agents that this program brings. */
export const OWN_SKILLS = ["amplihack", "dev-orchestrator"];
export const OWN_AGENTS = ["architect", "builder", "reviewer", "tester"];

/** Where a host looks for them below a home directory, and below a project, whose file of that name takes the place of ours. */
export function ownNames({
  skillFolders = [],
  setup,
}: Pick<HostDescriptor, "skillFolders" | "setup">): readonly string[] {
  const { agents, command } = setup?.().userFiles ?? {};
  const files = [
    ...(agents === undefined ? [] : OWN_AGENTS.map(name => agents.file.replace("NAME", name))),
    ...(command === undefined ? [] : [command.file]),
  ];
  return skillFolders.flatMap(folder => [
    ...OWN_SKILLS.map(name => `${folder}/${name}/SKILL.md`),
    ...files.map(file => `${dirname(folder)}/${file}`),
  ]);
}
