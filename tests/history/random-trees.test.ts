import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";
import { type TestProject, testProject } from "./project.ts";

// An unknown program does anything to a tree: undo brings back every name with its kind, permissions and content, or
// says what it could not. The program is a shell script, of which nothing is known beforehand.

const NAMES = ["a", "b", "c", ".env", "build"];
const MODES = ["600", "640", "644", "700", "755"];
const FOLDER_MODES = ["700", "750", "755", "775"];
/** At most three deep, so that programs meet what is there. */
const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map(names => names.join("/"));
const text = fc.integer({ min: 0, max: 10_000 }).map(number => `text ${number}`);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(path, text, fc.constantFrom(...MODES))
      .map(
        ([at, content, mode]) => `mkdir -p "$(dirname ${at})"; echo ${content} > ${at}; chmod ${mode} ${at}`,
      ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(path, fc.constantFrom(...FOLDER_MODES))
      .map(([at, mode]) => `mkdir -p ${at}; test -d ${at} && chmod ${mode} ${at}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(path, path)
      .map(([at, to]) => `mkdir -p "$(dirname ${at})"; test -d ${at} || ln -sfn ${to} ${at}`),
  },
);

const damage = fc.oneof(
  step,
  path.map(at => `rm -rf ${at}`),
  path.map(at => `rmdir ${at}`),
  path.map(at => `find ${at} -type d -empty -delete`),
  fc.tuple(path, path).map(([from, to]) => `mkdir -p "$(dirname ${to})"; mv -T ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `rm -rf ${to}; mv -T ${from} ${to}`),
  fc.tuple(path, fc.constantFrom(...MODES)).map(([at, mode]) => `test -f ${at} && chmod ${mode} ${at}`),
  fc
    .tuple(path, fc.constantFrom(...FOLDER_MODES))
    .map(([at, mode]) => `test -d ${at} && chmod ${mode} ${at}`),
);

const TREES: Readonly<Record<string, (p: TestProject) => void>> = {
  "without git": () => {},
  "in a clean repository": p => p.shell("git init -q -b main; git add -A; git commit -qm one --allow-empty"),
  "in a repository with other work": p =>
    p.shell("git init -q -b main; git add a b; git commit -qm one --allow-empty; git add c"),
};

/** Permissions of links are not their own. */
async function checkUndo(p: TestProject, program: readonly string[]): Promise<void> {
  const before = p.state();
  const id = await p.call(program.join("\n"), { unknownIn: [p.root] });
  const after = p.state();
  if (id === undefined) {
    expect(after).toEqual(before);
    return;
  }
  const { id: undo, missing } = await p.history.applyUndo(
    await p.history.planUndo({ kind: "ids", ids: [id] }),
  );
  expect(missing).toEqual([]);
  expect(p.state()).toEqual(before);
  await p.redo(undo);
  expect(p.state()).toEqual(after);
}

describe("a tree that an unknown program changed", () => {
  it.each(Object.entries(TREES))("comes back, %s", async (name, prepare) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.array(fc.array(damage, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 2 }),
        async (tree, programs) => {
          const p = testProject();
          p.shell(tree.join("\n"));
          prepare(p);
          for (const program of programs) await checkUndo(p, program);
        },
      ),
      { numRuns: name === "without git" ? runs(15, 300) : runs(5, 200) },
    );
  });

  it.each([
    ["a move by a program of its own", "import os; os.rename('src', 'box/empty/src')"],
    ["a folder that is removed", "import os; os.rmdir('box/empty')"],
    ["a chain of empty folders", "import os; os.removedirs('box/chain/of/empty')"],
    ["permissions of an empty folder", "import os; os.chmod('box/empty', 0o700)"],
    ["permissions of a clean file", "import os; os.chmod('src/a.py', 0o600)"],
    ["an empty folder that is made", "import os; os.makedirs('new/deep')"],
  ])("comes back after %s", async (_, code) => {
    const p = testProject();
    p.write({ "src/a.py": "a\n", "src/deep/b.py": "b\n" });
    p.shell("mkdir -p box/empty box/chain/of/empty src/none; chmod 711 box/empty");
    p.shell("git init -q -b main; git add -A; git commit -qm one");
    await checkUndo(p, [`python3 -c "${code}"`]);
    expect(p.history.listChanges({}).changes.length).toBeGreaterThan(0);
  });
});
