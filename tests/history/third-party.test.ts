import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeChange } from "../../src/history/complete.ts";
import { findAllOpen } from "../../src/history/open-changes.ts";
import { runs } from "../generated-inputs.ts";
import { type TestProject, testProject } from "./project.ts";

// A person edits while agents work. Each text is written once, so that its bytes tell who wrote it.

const NAMES = ["a.txt", "b.txt", "dir/c.txt", "new.txt"];
const HOWS = ["in place", "by rename", "by a backup"] as const;
type How = (typeof HOWS)[number];

type Action =
  | { readonly kind: "person"; readonly path: string; readonly how: How }
  | {
      readonly kind: "call";
      readonly session: string;
      readonly path: string;
      readonly does: "write" | "remove";
      readonly isKnown: boolean;
      /** its end is never told */
      readonly isKilled: boolean;
    }
  /** an unknown program runs, and the person saves another file meanwhile */
  | {
      readonly kind: "during";
      readonly path: string;
      readonly own: string;
      readonly how: How;
      /** an editor shows that it has the file open */
      readonly isShown: boolean;
    }
  | { readonly kind: "undo" };

const name = fc.constantFrom(...NAMES);
const how = fc.constantFrom(...HOWS);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("person" as const), path: name, how }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      session: fc.constantFrom("s1", "s2"),
      path: name,
      does: fc.constantFrom("write" as const, "remove" as const),
      isKnown: fc.boolean(),
      isKilled: fc.constant(false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("during" as const),
      path: name,
      own: name,
      how,
      isShown: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "undo" as const }) },
);

/** As editors save. */
function edit(root: string, path: string, how: How, text: string): void {
  const at = join(root, path);
  if (how === "in place") writeFileSync(at, text);
  else {
    if (how === "by a backup") {
      try {
        renameSync(at, `${at}~`);
      } catch {
        // It is new.
      }
    }
    writeFileSync(`${at}.tmp`, text);
    renameSync(`${at}.tmp`, at);
    rmSync(`${at}~`, { force: true });
  }
}

function textAt(root: string, path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

class Scene {
  readonly project: TestProject = testProject();
  private texts = 0;
  /** of the person, by the path where they stand last */
  readonly persons = new Map<string, string>();
  /** written while an unknown program ran: whose they are cannot be told */
  readonly during = new Set<string>();
  /** those of them of which an editor showed that it had the file open */
  readonly shown = new Set<string>();

  constructor(hasGit: boolean) {
    this.project.write({ "a.txt": "a", "b.txt": "b", "dir/c.txt": "c" });
    if (!hasGit) return;
    this.project.git("init", "-q", "-b", "main");
    this.project.git("add", "-A");
    this.project.git("commit", "-qm", "one");
  }

  text(who: string): string {
    this.texts += 1;
    return `${who} ${this.texts}`;
  }

  edit(path: string, how: How): string {
    const text = this.text("person");
    edit(this.project.root, path, how, text);
    this.persons.set(path, text);
    return text;
  }

  async call({ session, path, does, isKnown, isKilled }: Extract<Action, { kind: "call" }>): Promise<void> {
    const command = does === "write" ? `printf '${this.text("agent")}' > ${path}` : `rm -f ${path}`;
    const footprint = isKnown
      ? { targets: [this.project.target(path, "write")] }
      : { unknownIn: [this.project.root] };
    await this.project.begin(command, footprint, session);
    this.project.shell(command);
    this.persons.delete(path);
    if (!isKilled) await this.project.end(command, session);
  }

  async callWhileEditing({ path, own, how, isShown }: Extract<Action, { kind: "during" }>): Promise<void> {
    const command = `printf '${this.text("agent")}' > ${own}`;
    await this.project.begin(command, { unknownIn: [this.project.root] }, "s1");
    this.project.shell(command);
    this.persons.delete(own);
    const trace = join(this.project.root, path.replace(/([^/]+)$/, ".$1.swp"));
    if (isShown) writeFileSync(trace, "");
    const text = this.edit(path, how);
    this.during.add(text);
    await this.project.end(command, "s1");
    rmSync(trace, { force: true });
    if (isShown) this.shown.add(text);
  }

  /** No call is said to have written what a person wrote between calls. */
  expectNotAttributed(): void {
    const { changes } = this.project.history.listChanges({});
    const ids = new Map(
      changes.flatMap(({ files, kind }) =>
        kind !== "call"
          ? []
          : files.flatMap(({ after, path }) =>
              after.kind === "file" && "id" in after.content ? [[after.content.id, path] as const] : [],
            ),
      ),
    );
    for (const [path, text] of this.persons)
      if (!this.during.has(text)) {
        writeFileSync(join(this.project.home, "text"), text);
        const id = this.project.context.system.files.digest(join(this.project.home, "text"));
        expect([path, ids.get(id)]).toEqual([path, undefined]);
      }
  }

  /** Undoes all: what a person wrote stands, or nothing is written, or redo brings it back byte for byte. */
  async undoAll(): Promise<void> {
    const { history, root } = this.project;
    const before = this.project.state();
    const ids = history
      .listChanges({})
      .changes.filter(({ kind, undoneBy }) => kind === "call" && undoneBy === undefined)
      .map(({ id }) => id);
    if (ids.length === 0) return;
    const plan = await history.planUndo({ kind: "ids", ids });
    if (plan.conflicts.length > 0) {
      await expect(history.applyUndo(plan)).rejects.toThrow("nothing was written");
      expect(this.project.state()).toEqual(before);
      return;
    }
    const { id } = await history.applyUndo(plan);
    for (const [path, text] of this.persons)
      if (!this.during.has(text) || this.shown.has(text))
        expect([path, textAt(root, path)]).toEqual([path, text]);
    if (id === undefined) return;
    const undone = this.project.state();
    let expected = undone;
    // What the person saved while an unknown program ran comes back alone, byte for byte.
    for (const [path, text] of this.persons) {
      if (textAt(root, path) === text) continue;
      expect(this.during.has(text)).toBe(true);
      const paths = [join(root, path)];
      await history.applyUndo(await history.planRedo(id, paths));
      expect([path, textAt(root, path)]).toEqual([path, text]);
      const { [path]: _, ...others } = expected;
      expect(this.project.state()).toMatchObject(withoutGit(others));
      expected = this.project.state();
    }
    if (history.readChange(id)?.undoneBy === undefined) await history.applyUndo(await history.planRedo(id));
    expect(this.project.state()).toEqual(before);
    await history.applyUndo(await history.planUndo({ kind: "ids", ids }));
    expect(this.project.state()).toEqual(undone);
    for (const [path, text] of this.persons) if (textAt(root, path) !== text) this.persons.delete(path);
  }
}

function withoutGit(state: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(state).filter(([name]) => !name.startsWith("git ")));
}

async function play(hasGit: boolean, actions: readonly Action[]): Promise<void> {
  const scene = new Scene(hasGit);
  for (const one of actions) {
    if (one.kind === "person") scene.edit(one.path, one.how);
    else if (one.kind === "call") await scene.call(one);
    else if (one.kind === "during") await scene.callWhileEditing(one);
    else await scene.undoAll();
    scene.expectNotAttributed();
  }
  await scene.undoAll();
}

describe("a person who edits while agents work", () => {
  for (const hasGit of [true, false])
    it(`keeps their own edits ${hasGit ? "in a repository" : "without git"}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 10 }), actions => play(hasGit, actions)),
        { numRuns: hasGit ? runs(12, 100) : runs(20, 150) },
      );
    });
});

describe("calls whose end was never told", () => {
  for (const hasGit of [true, false])
    it(`are no conflict with each other ${hasGit ? "in a repository" : "without git"}`, async () => {
      const call = fc.record({
        kind: fc.constant("call" as const),
        session: fc.constantFrom("s1", "s2"),
        path: name,
        does: fc.constant("write" as const),
        isKnown: fc.boolean(),
        isKilled: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 8 }), async calls => {
          const scene = new Scene(hasGit);
          const { project } = scene;
          const before = project.state();
          for (const one of calls) await scene.call(one);
          for (const open of findAllOpen(project.context.store)) await completeChange(project.context, open);
          const ids = project.history.listChanges({}).changes.map(({ id }) => id);
          if (ids.length > 0)
            await project.history.applyUndo(await project.history.planUndo({ kind: "ids", ids }));
          expect(project.state()).toEqual(before);
        }),
        { numRuns: hasGit ? runs(12, 100) : runs(20, 150) },
      );
    });
});
