import { join } from "node:path";
import type { Scene } from "./projects.ts";
import { runShell } from "./run-shell.ts";

/** What git says of every working tree of a scene. */
export interface GitFacts {
  /** status, stashes, refs and index as git prints them */
  readonly printed: string;
  /** files that are tracked and unchanged, relative to the home, one character a byte */
  readonly clean: ReadonlySet<string>;
}

const PRINT = `
git status --porcelain=v2 --branch
echo "-- stashes"; git stash list --format='%gd %H %gs'
echo "-- refs"; git for-each-ref
echo "-- index"; git ls-files -v --stage
`;

/** One process of bash for all of them. Git refreshes its index on the way, as any status does. */
export async function printGit({ home, repositories, env }: Scene): Promise<string> {
  if (repositories.length === 0) return "";
  const script = repositories.map(name => `cd "$HOME/${name}" && echo "== ${name}" && { ${PRINT} }`);
  return (await runShell(script.join("\n"), { cwd: home, env })).stdout.toString("latin1");
}

export async function readGit(scene: Scene): Promise<GitFacts> {
  const { home, repositories, env } = scene;
  const clean = new Set<string>();
  for (const name of repositories) {
    const list = async (command: string) =>
      (await runShell(command, { cwd: join(home, name), env })).stdout.toString("latin1").split("\0");
    const changed = new Set(await list("git diff --name-only -z HEAD; git diff --name-only -z"));
    for (const file of await list("git ls-files -z")) if (!changed.has(file)) clean.add(join(name, file));
  }
  return { printed: await printGit(scene), clean };
}
