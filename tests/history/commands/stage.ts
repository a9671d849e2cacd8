import { expect } from "vitest";
import type { ProjectKind, Projects, Scene } from "./projects.ts";
import { Session, type } from "./session.ts";
import { expectNothing, readState, type State, unlike } from "./state.ts";
import { bash, type ToolCall } from "./tool-calls.ts";
import { changedPaths, type Tree } from "./tree.ts";

export interface Stage {
  readonly scene: Scene;
  readonly session: Session;
  readonly before: State;
}

export async function stage(projects: Projects, kind: ProjectKind): Promise<Stage> {
  const scene = await projects.make(kind);
  return { scene, session: new Session(scene), before: await readState(scene) };
}

export async function runAll(session: Session, calls: readonly (string | ToolCall)[]): Promise<void> {
  for (const call of calls) {
    const { decision, rules } = await session.make(typeof call === "string" ? bash(call) : call);
    expect(decision, `${JSON.stringify(call)} ${rules.join(" ")}`).toBe("none");
  }
}

export function write(path: string, content: string): ToolCall {
  return { as: "claude write", input: { file_path: `@/${path}`, content } };
}

export async function undo(scene: Scene, ...words: readonly string[]) {
  return type(scene, ["undo", "--yes", ...words]);
}

interface Listed {
  readonly id: string;
  readonly command: string;
  readonly session: string;
  readonly turn: number;
  readonly undone: unknown;
}

/** The changes that the history shows, newest first. */
async function listed(scene: Scene): Promise<readonly Listed[]> {
  const { stdout } = await type(scene, ["history", "--format", "json"]);
  const document = JSON.parse(stdout) as readonly Listed[] | { readonly changes: readonly Listed[] };
  return Array.isArray(document) ? document : (document as { changes: readonly Listed[] }).changes;
}

export async function idOf(scene: Scene, command: string): Promise<string> {
  const found = (await listed(scene)).find(change => change.command.includes(command));
  if (found === undefined) throw new Error(`no change for ${command}`);
  return found.id;
}

/** Everything is as it was at `before`; `after` is the tree when all calls had run. */
export async function expectAsBefore(
  { scene, before }: Pick<Stage, "scene" | "before">,
  after: Tree,
): Promise<void> {
  expectNothing(unlike(before, after, await readState(scene)));
}

/** The same without times: of files that were committed meanwhile, git knows the content only. */
export async function expectContentOf({ scene, before }: Pick<Stage, "scene" | "before">): Promise<void> {
  const { tree, printed } = await readState(scene);
  expectNothing(changedPaths(before.tree, tree));
  expect(printed).toBe(before.printed);
}
