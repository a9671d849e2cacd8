import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Plan } from "../../src/sandbox/index.ts";
import type { OutsideWorld } from "./outside-world.ts";
import { type Account, environmentOf, keepPolicy } from "./run-attempt.ts";
import { copyScene, removeScene, type Scene } from "./scene.ts";

export interface PreparedScene {
  readonly scene: Scene;
  readonly env: Readonly<Record<string, string>>;
  /** of the policy that was written for it */
  readonly id: string;
}

/** Scenes that are used again when an attempt left them as they were; a new one for each would take most of the time. */
export class ScenePool {
  /** by the set of layers that their policies are for */
  private readonly free = new Map<string, PreparedScene[]>();
  private readonly all: Scene[] = [];
  private readonly before: ReadonlyMap<string, string>;
  private readonly template: Scene;
  private readonly world: OutsideWorld;
  private readonly account: Account;

  constructor(template: Scene, world: OutsideWorld, account: Account) {
    this.template = template;
    this.world = world;
    this.account = account;
    this.before = listProject(template);
  }

  async fresh(): Promise<Scene> {
    const scene = copyScene(this.template);
    this.all.push(scene);
    await this.world.listenIn(scene);
    return scene;
  }

  async take(set: string, plan: (scene: Scene, env: PreparedScene["env"]) => Plan): Promise<PreparedScene> {
    const kept = this.free.get(set)?.pop();
    if (kept !== undefined) return kept;
    const scene = await this.fresh();
    const env = environmentOf(scene, this.world);
    return { scene, env, id: keepPolicy(scene, plan(scene, env), this.account) };
  }

  giveBack(set: string, prepared: PreparedScene): void {
    const { project } = prepared.scene;
    for (const path of listProject(prepared.scene).keys())
      if (!this.before.has(path)) rmSync(join(project, path), { recursive: true, force: true });
    const after = listProject(prepared.scene);
    if ([...this.before].every(([path, facts]) => after.get(path) === facts))
      this.free.set(set, [...(this.free.get(set) ?? []), prepared]);
  }

  remove(): void {
    for (const scene of this.all.splice(0)) removeScene(scene);
  }
}

function listProject({ project }: Scene): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(project, folder))) {
      const path = join(folder, name);
      const facts = lstatSync(join(project, path));
      found.set(path, facts.isDirectory() ? "folder" : `${facts.mode} ${facts.size}`);
      if (facts.isDirectory()) walk(path);
    }
  };
  walk("");
  return found;
}
