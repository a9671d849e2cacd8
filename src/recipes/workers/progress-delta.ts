import {
  booleanAt,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
  stringsAt,
} from "../../protocol/index.ts";
import { type EndedStep, type FrameProgress, newProgress } from "../run/progress-keeper.ts";
import type { StepResult } from "../run/result.ts";

/** What of a frame was recorded last. Its values are never changed in place, so the references are enough. */
interface Recorded {
  readonly completed: number;
  readonly assigned: JsonObject;
  readonly held: FrameProgress["held"];
  readonly isFlawed: boolean;
  readonly children: ReadonlyMap<string, { readonly frame: FrameProgress; readonly recorded: Recorded }>;
}

/** A frame that can be added to while records are read. */
interface ReadFrame extends FrameProgress {
  readonly results: Map<string, StepResult>;
}

const NOTHING: Recorded = {
  completed: 0,
  assigned: {},
  held: {},
  isFlawed: false,
  children: new Map(),
};

/**
 * Tells, from one record to the next, what has changed in the progress of a run: the steps that ended, with their
 * results and the variables that they set. Together the records give the whole.
 */
export class ProgressRecorder {
  private readonly root: FrameProgress;
  private recorded: Recorded;
  private readonly paths: Set<string>;

  /** What `root` holds now counts as recorded. */
  constructor(root: FrameProgress) {
    this.root = root;
    this.recorded = snapshot(root);
    this.paths = new Set(pathsIn(root));
  }

  /** What has changed since the last call, and whose results are new in it. */
  next(ended: readonly EndedStep[]): { readonly record: JsonObject; readonly paths: readonly string[] } {
    // Members of a group are named twice: when each has ended, and when all have.
    const fresh = ended.filter(({ path }) => !this.paths.has(path));
    const results = new Map(fresh.map(({ path, result }) => [path, result]));
    for (const path of results.keys()) this.paths.add(path);
    const record = describeChange(this.root, this.recorded, "", results);
    this.recorded = snapshot(this.root);
    return { record, paths: [...results.keys()] };
  }
}

/** Of the steps whose results are known. */
export function pathsIn(frame: FrameProgress, prefix = ""): readonly string[] {
  return [
    ...[...(frame.results?.keys() ?? [])].map(id => prefix + id),
    ...[...frame.children].flatMap(([id, child]) => pathsIn(child, `${prefix}${id}/`)),
  ];
}

function snapshot({ completed, assigned, held, isFlawed, children }: FrameProgress): Recorded {
  return {
    completed: completed.length,
    assigned,
    held,
    isFlawed,
    children: new Map([...children].map(([id, frame]) => [id, { frame, recorded: snapshot(frame) }])),
  };
}

function describeChange(
  frame: FrameProgress,
  before: Recorded,
  prefix: string,
  results: ReadonlyMap<string, StepResult>,
): JsonObject {
  const completed = frame.completed.slice(before.completed);
  const held = Object.fromEntries(
    Object.entries(frame.held).filter(([id]) => !Object.hasOwn(before.held, id)),
  );
  const ended = [...completed, ...Object.keys(held)].flatMap(id => {
    const result = results.get(prefix + id);
    return result === undefined ? [] : [[id, result as unknown as JsonObject] as const];
  });
  const children = changedChildren(frame, before, prefix, results);
  const variables = changed(frame.assigned, before.assigned);
  return {
    ...filled("completed", completed),
    ...filled("variables", variables),
    ...filled("held", held),
    ...filled("results", Object.fromEntries(ended)),
    ...filled("children", children),
    ...(frame.isFlawed && !before.isFlawed ? { flawed: true } : {}),
  };
}

function changedChildren(
  frame: FrameProgress,
  before: Recorded,
  prefix: string,
  results: ReadonlyMap<string, StepResult>,
): JsonObject {
  const children: Record<string, Json> = {};
  for (const [id, child] of frame.children) {
    const known = before.children.get(id);
    const isNew = known?.frame !== child;
    const change = describeChange(child, isNew ? NOTHING : known.recorded, `${prefix}${id}/`, results);
    // A sub-recipe that has finished nothing starts anew wherever the run goes on.
    if (Object.keys(change).length === 0) continue;
    const isKnown = !isNew && isBegun(known.recorded);
    children[id] = isKnown ? change : { ...beginning(frame, child), ...change };
  }
  return children;
}

function isBegun({ completed, held, children }: Recorded): boolean {
  if (completed > 0 || Object.keys(held).length > 0) return true;
  return [...children.values()].some(({ recorded }) => isBegun(recorded));
}

/** Of a sub-recipe: which it is, and what it was given beyond the values of the recipe around it. */
function beginning(parent: FrameProgress, child: FrameProgress): JsonObject {
  const given = Object.entries(changed(child.context, parent.context)).filter(
    ([name]) => !Object.hasOwn(child.assigned, name),
  );
  return { sha256: child.sha256, given: Object.fromEntries(given) };
}

function changed(after: JsonObject, before: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !Object.hasOwn(before, name) || before[name] !== value),
  );
}

function filled(name: string, value: JsonObject | readonly string[]): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

/** The progress that records tell of, begun with these values. */
export function readProgress(sha256: string, context: JsonObject, records: readonly Json[]): FrameProgress {
  const root: ReadFrame = { ...newProgress(sha256, context), results: new Map() };
  for (const record of records) if (isJsonObject(record)) applyChange(root, record);
  return root;
}

function applyChange(frame: ReadFrame, record: JsonObject): void {
  for (const [id, child] of Object.entries(objectAt(record, "children"))) {
    if (isJsonObject(child)) applyChange(findChild(frame, id, child), child);
  }
  const variables = objectAt(record, "variables");
  frame.context = { ...frame.context, ...variables };
  frame.assigned = { ...frame.assigned, ...variables };
  const completed = stringsAt(record, "completed");
  frame.completed = [...frame.completed, ...completed];
  const held = Object.entries(objectAt(record, "held")).filter(([, values]) => isJsonObject(values));
  // Members of a group are held until all of them are completed in one record.
  frame.held =
    completed.length > 0 ? {} : { ...frame.held, ...(Object.fromEntries(held) as typeof frame.held) };
  for (const id of [...completed, ...held.map(([each]) => each)]) frame.children.delete(id);
  for (const [id, result] of Object.entries(objectAt(record, "results")))
    frame.results.set(id, result as unknown as StepResult);
  if (booleanAt(record, "flawed") === true) frame.isFlawed = true;
}

function findChild(frame: ReadFrame, id: string, record: JsonObject): ReadFrame {
  const known = frame.children.get(id);
  const sha256 = stringAt(record, "sha256");
  if (known !== undefined && sha256 === undefined) return known as ReadFrame;
  const child: ReadFrame = {
    ...newProgress(sha256 ?? "", { ...frame.context, ...objectAt(record, "given") }),
    results: new Map(),
  };
  frame.children.set(id, child);
  return child;
}
