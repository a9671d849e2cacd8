import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { AMPLIHACK, newUserInside } from "../commands/run-command.ts";
import { runProgram } from "../hooks/executable.ts";
import { HOSTILE } from "./machine.ts";
import type { Team } from "./team.ts";

/** Submits runs of a recipe that end with these exit codes. Gives their ids. */
export async function submitRuns(
  { url }: Team,
  codes: readonly number[],
): Promise<{ readonly ids: readonly string[]; work(): Promise<void> }> {
  const user = newUserInside();
  const env = { AMPLIHACK_DATABASE_URL: url };
  const steps = [
    { id: "build", command: "echo built" },
    { id: "test", command: "exit {{code}}" },
  ];
  const recipe = { name: HOSTILE, context: { code: 0 }, steps };
  writeFileSync(join(user.project, "release.yaml"), JSON.stringify(recipe));
  const ids: string[] = [];
  for (const code of codes) {
    const words = ["recipe", "submit", "release.yaml", "-c", `code=${code}`, "--url", "--json"];
    ids.push(JSON.parse((await user.type(words, { env })).stdout).run_id);
  }
  return {
    ids,
    /** A worker takes what waits, and ends. */
    async work() {
      const worker = ["recipe", "worker", "--url", "--name", "desk", "--until-empty"];
      const ran = await runProgram(AMPLIHACK, worker, {
        home: user.home,
        cwd: user.project,
        input: "",
        env,
      });
      expect(ran.code).toBe(0);
    },
  };
}

/** As the page on recipes says. */
export async function grantRuns({ keeper }: Team, who: string): Promise<void> {
  await keeper.run(`GRANT USAGE ON SCHEMA amplihack_recipes TO ${who}`);
  await keeper.run(`GRANT SELECT ON ALL TABLES IN SCHEMA amplihack_recipes TO ${who}`);
  await keeper.run(`GRANT SELECT ON amplihack.recipe_log TO ${who}`);
  // A role that was granted something cannot be dropped.
  onTestFinished(async () => void (await keeper.run(`DROP OWNED BY ${who}`)));
}
