import { LAUNCH_TOOLS, readAgentVersion, tryFindBinary } from "../../launcher/index.ts";
import { listRecipes } from "../../recipes/index.ts";
import { AGENTS, locateActiveAgent, type UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { type DoctorCheck, pass, warn } from "./check.ts";

/** Agent programs with their versions, and which one is meant where no command names one. */
export async function checkAgents(
  system: System,
  places: UserDirectories,
  self: string,
): Promise<readonly DoctorCheck[]> {
  const found = AGENTS.flatMap(agent => {
    const path = tryFindBinary(system, agent, self);
    return path === undefined ? [] : [{ agent, path }];
  });
  const checks = await Promise.all(
    found.map(async ({ agent, path }) => {
      const version = await readAgentVersion(system, path, undefined, () => {});
      const id = `agent.${agent}`;
      return version === undefined
        ? warn(id, `${LAUNCH_TOOLS[agent].title} at ${path} does not tell its version in time`)
        : pass(id, `${LAUNCH_TOOLS[agent].title} ${version}`);
    }),
  );
  if (checks.length === 0) checks.push(warn("agents", "no agent was found", LAUNCH_TOOLS.claude.installHint));
  return [...checks, activeAgent(system, places), await checkRecipes(system, places)];
}

function activeAgent(system: System, { projectRoot }: UserDirectories): DoctorCheck {
  const warnings: string[] = [];
  const { agent, by } = locateActiveAgent(system, projectRoot, message => warnings.push(message));
  const [problem] = warnings;
  return problem === undefined
    ? pass("active-agent", `active agent: ${agent}, ${by === undefined ? "by default" : `by ${by}`}`)
    : warn("active-agent", `${problem}; going on with ${agent}`);
}

async function checkRecipes(system: System, { projectRoot }: UserDirectories): Promise<DoctorCheck> {
  const currentDir = system.files.workingDirectory() ?? projectRoot;
  const { recipes, invalid } = await listRecipes(system, {
    currentDir,
    workingDir: projectRoot,
    recipeDirs: [],
  });
  const [first] = invalid;
  if (first === undefined) return pass("recipes", `${recipes.length} recipes, all valid`);
  return warn(
    "recipes",
    `${invalid.length} of ${recipes.length + invalid.length} recipe files are not valid: ${first.path}`,
    `amplihack recipe validate ${first.path}`,
  );
}
