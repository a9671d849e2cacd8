import type { UndoPlan } from "../history/index.ts";
import { isJsonObject, type JsonObject, readJson, stringAt, stringsAt } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { count, escapeControls } from "../text/index.ts";
import type { DataFiles } from "./entries.ts";
import { heldTries } from "./held.ts";
import { forgetMemory } from "./sources.ts";
import type { Changes } from "./timeline/calls.ts";
import { planView } from "./views/calls.ts";
import type { Site } from "./views/layout.ts";

/** What is said to the page: shown as it is, markup only where it says so. */
export interface ActionAnswer {
  readonly status: number;
  readonly body: unknown;
}

const PLAN_MS = 10 * 60_000;
const MAX_PLANS = 20;
const MAX_IDS = 2_000;
const MAX_TOLD = 8;
const ID_DIGITS = 32;

interface KeptPlan {
  readonly plan: UndoPlan;
  readonly madeMs: number;
}

/**
 * What a person can do from the page: undo, redo, forget, apply or discard held changes. Undo has two steps, as on the command line: first it is
 * planned and shown, then exactly the plan that was shown is carried out, once. Rules of conflict are those of
 * `amplihack undo`, since the functions are.
 */
export class Actions {
  private readonly system: System;
  private readonly files: DataFiles;
  private readonly changes: Changes;
  private readonly plans = new Map<string, KeptPlan>();

  constructor(system: System, files: DataFiles, changes: Changes) {
    this.system = system;
    this.files = files;
    this.changes = changes;
  }

  static isKnown(path: string): boolean {
    return ["/api/plan", "/api/apply", "/api/forget", "/api/held"].includes(path);
  }

  async perform(path: string, text: string, site: Site): Promise<ActionAnswer> {
    if (site.whyReadOnly !== undefined) return refused(403, site.whyReadOnly);
    const read = readJson(text, { recover: false, maxDepth: 4 });
    if (!read.ok || !isJsonObject(read.value)) return refused(400, "the body must be a JSON object");
    try {
      if (path === "/api/plan") return await this.plan(read.value, site);
      if (path === "/api/apply") return await this.apply(read.value);
      if (path === "/api/held") return await this.decideHeld(read.value);
      return await this.forget(read.value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return refused(409, [error.message, ...error.causes].join("; "));
    }
  }

  private async plan(request: JsonObject, site: Site): Promise<ActionAnswer> {
    const ids = stringsAt(request, "ids").slice(0, MAX_IDS);
    const isUndo = stringAt(request, "kind") !== "redo";
    const [first] = ids;
    if (first === undefined) return refused(400, "no change was named");
    const { history } = this.changes;
    const plan = await (isUndo ? history.planUndo({ kind: "ids", ids }) : history.planRedo(first));
    const key = this.system.random.hex(ID_DIGITS);
    this.dropOld();
    this.plans.set(key, { plan, madeMs: this.system.clock.monotonicMs() });
    const answer = {
      plan: key,
      title: isUndo ? "Take this back?" : "Reverse that undo?",
      html: planView(site, plan).text,
      hasConflicts: plan.conflicts.length > 0,
    };
    return { status: 200, body: answer };
  }

  private async apply(request: JsonObject): Promise<ActionAnswer> {
    this.dropOld();
    const key = stringAt(request, "plan") ?? "";
    const kept = this.plans.get(key);
    this.plans.delete(key);
    if (kept === undefined) return refused(409, "this preview is too old, or it is done already; look again");
    const { history } = this.changes;
    const result = await history.applyUndo(kept.plan, { force: request["force"] === true });
    this.changes.forget();
    const parts = [
      ...(result.restored > 0 ? [`${count(result.restored, "path")} restored`] : []),
      ...(result.removed > 0 ? [`${count(result.removed, "path")} removed`] : []),
      ...kept.plan.git.flatMap(({ lines }) => lines.map(line => `git ${line}`)),
    ];
    const lost = result.missing
      .slice(0, MAX_TOLD)
      .map(({ path, why }) => `${escapeControls(path)}: ${escapeControls(why)}`);
    const more = result.missing.length - lost.length;
    const told = [
      ...(lost.length > 0
        ? [`Not everything came back: ${lost.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`]
        : []),
      ...(parts.length > 0 ? [`Done: ${parts.join(", ")}.`] : []),
    ];
    const text = [...(told.length === 0 ? ["Everything was as before already."] : told), ...result.problems];
    return { status: 200, body: { text: text.join(" ") } };
  }

  private async decideHeld(request: JsonObject): Promise<ActionAnswer> {
    const answer = stringAt(request, "answer");
    if (answer !== "apply" && answer !== "discard") return refused(400, "apply or discard");
    const text = await heldTries(this.system, this.files).decide(stringAt(request, "id") ?? "", answer);
    this.changes.forget();
    return { status: 200, body: { text } };
  }

  private async forget(request: JsonObject): Promise<ActionAnswer> {
    const agent = stringAt(request, "agent");
    const id = stringAt(request, "id");
    if (agent === undefined || id === undefined) return refused(400, "no memory was named");
    const isGone = await forgetMemory(this.system, this.files.database, { agent, id });
    return { status: 200, body: { text: isGone ? "Forgotten." : "It was forgotten already." } };
  }

  private dropOld(): void {
    const nowMs = this.system.clock.monotonicMs();
    for (const [key, { madeMs }] of this.plans)
      if (nowMs - madeMs > PLAN_MS || this.plans.size >= MAX_PLANS) this.plans.delete(key);
  }
}

function refused(status: number, error: string): ActionAnswer {
  return { status, body: { error } };
}
