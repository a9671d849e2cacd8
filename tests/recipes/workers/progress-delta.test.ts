import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/protocol/index.ts";
import { type FrameProgress, newProgress } from "../../../src/recipes/run/progress-keeper.ts";
import type { StepResult } from "../../../src/recipes/run/result.ts";
import { ProgressRecorder, pathsIn, readProgress } from "../../../src/recipes/workers/progress-delta.ts";

const resultOf = (id: string, output: string): StepResult => ({
  step_id: id,
  status: "completed",
  output,
  error: "",
  duration: 0,
  step_type: "bash",
});

/** What runs do to their progress, in the order in which they do it. */
type Action =
  | { readonly kind: "end"; readonly value: string; readonly isFlawed: boolean }
  | { readonly kind: "hold"; readonly value: string }
  | { readonly kind: "group" }
  | { readonly kind: "enter"; readonly given: JsonObject }
  | { readonly kind: "leave"; readonly value: string };

const ACTION: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("end" as const), value: fc.string(), isFlawed: fc.boolean() }),
  fc.record({ kind: fc.constant("hold" as const), value: fc.string() }),
  fc.constant({ kind: "group" as const }),
  fc.record({
    kind: fc.constant("enter" as const),
    given: fc.dictionary(
      fc.constantFrom("a", "b", "__proto__", "c d"),
      fc.jsonValue(),
    ) as fc.Arbitrary<JsonObject>,
  }),
  fc.record({ kind: fc.constant("leave" as const), value: fc.string() }),
);

/** Plays a run, and gives the records and the progress that it left. */
function play(actions: readonly Action[]): { root: FrameProgress; records: JsonObject[] } {
  const root = newProgress("sha", { start: 1 });
  const recorder = new ProgressRecorder(root);
  const records: JsonObject[] = [];
  const stack: { frame: FrameProgress; prefix: string; id: string }[] = [{ frame: root, prefix: "", id: "" }];
  let count = 0;
  const save = (paths: readonly string[]): void => {
    const ended = paths.map(path => ({ path, result: resultOf(path.split("/").at(-1) ?? "", path) }));
    records.push(JSON.parse(JSON.stringify(recorder.next(ended).record)));
  };
  const complete = (frame: FrameProgress, ids: readonly string[], variables: JsonObject): void => {
    frame.completed = [...frame.completed, ...ids];
    frame.context = { ...frame.context, ...variables };
    frame.assigned = { ...frame.assigned, ...variables };
    frame.held = {};
    for (const id of ids) frame.children.delete(id);
  };
  for (const action of actions) {
    const top = stack.at(-1) as (typeof stack)[number];
    const { frame, prefix } = top;
    const id = `s${count++}`;
    if (action.kind === "enter" && Object.keys(frame.held).length === 0) {
      const child = newProgress(`sha of ${id}`, { ...frame.context, ...action.given });
      frame.children.set(id, child);
      stack.push({ frame: child, prefix: `${prefix}${id}/`, id });
    } else if (action.kind === "leave" && stack.length > 1) {
      stack.pop();
      const parent = stack.at(-1) as (typeof stack)[number];
      complete(parent.frame, [top.id], { ...frame.assigned, out: action.value });
      save([parent.prefix + top.id]);
    } else if (action.kind === "hold") {
      frame.held = { ...frame.held, [id]: { [id]: action.value } };
      save([prefix + id]);
    } else if (action.kind === "group" && Object.keys(frame.held).length > 0) {
      const ids = Object.keys(frame.held);
      complete(frame, ids, Object.assign({}, ...Object.values(frame.held)) as JsonObject);
      save(ids.map(each => prefix + each));
    } else if (action.kind === "end" && Object.keys(frame.held).length === 0) {
      complete(frame, [id], { [id]: action.value, same: action.value });
      frame.isFlawed ||= action.isFlawed;
      save([prefix + id]);
    }
  }
  return { root, records };
}

/** Of sub-recipes that have finished nothing there is no record: they start anew. */
function comparable(frame: FrameProgress): unknown {
  const children = [...frame.children].map(([id, child]) => [id, comparable(child)] as const);
  const isBegun = frame.completed.length > 0 || Object.keys(frame.held).length > 0;
  const kept = children.filter(([, child]) => child !== undefined);
  if (!isBegun && kept.length === 0) return undefined;
  const { sha256, completed, context, assigned, held, isFlawed } = frame;
  return { sha256, completed, context, assigned, held, isFlawed, children: Object.fromEntries(kept) };
}

describe("the records of a run", () => {
  it("give back its whole progress, after any number of them", () => {
    fc.assert(
      fc.property(fc.array(ACTION, { maxLength: 30 }), actions => {
        const { root, records } = play(actions);
        const read = readProgress("sha", { start: 1 }, records);
        expect(comparable(read)).toEqual(comparable(root));
      }),
      { numRuns: 300 },
    );
  });

  it("hold each result once, wherever the run is taken over", () => {
    fc.assert(
      fc.property(fc.array(ACTION, { maxLength: 30 }), actions => {
        const { records } = play(actions);
        const told = records.flatMap(record => resultPaths(record, ""));
        expect(new Set(told).size).toBe(told.length);
        // A worker that goes on from there records none of them again.
        const read = readProgress("sha", { start: 1 }, records);
        const known = pathsIn(read).map(path => ({ path, result: resultOf(path, "again") }));
        expect(new ProgressRecorder(read).next(known)).toEqual({ record: {}, paths: [] });
      }),
      { numRuns: 300 },
    );
  });
});

function resultPaths(record: JsonObject, prefix: string): readonly string[] {
  const results = Object.keys((record["results"] ?? {}) as JsonObject).map(id => prefix + id);
  const children = Object.entries((record["children"] ?? {}) as Record<string, JsonObject>);
  return [...results, ...children.flatMap(([id, child]) => resultPaths(child, `${prefix}${id}/`))];
}
