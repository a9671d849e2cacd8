import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findRecipe, type RecipeSearch, searchDirectories } from "../../src/recipes/find/find-recipe.ts";
import { listRecipes } from "../../src/recipes/find/list-recipes.ts";
import { SHIPPED_RECIPES } from "../../src/recipes/shipped-recipes.ts";
import { type RecipeMachine, recipeMachine } from "./recipe-machine.ts";

const recipe = (name: string, command = "true", more = ""): string =>
  `name: ${name}\n${more}steps: [{id: a, command: "${command}"}]\n`;

function searchOf(machine: RecipeMachine, more: Partial<RecipeSearch> = {}): RecipeSearch {
  return { currentDir: machine.project, workingDir: machine.project, recipeDirs: [], ...more };
}

describe("the directories searched by name", () => {
  it("come in order of precedence, each once", () => {
    const machine = recipeMachine({
      RECIPE_RUNNER_RECIPE_DIRS: "/env/one:/env/two",
      AMPLIHACK_HOME: "/assets",
    });
    mkdirSync(join(machine.project, "sub/dir"), { recursive: true });
    mkdirSync(join(machine.project, ".git"));
    const workingDir = join(machine.project, "sub/dir");
    const up = (base: string) => [`${base}/.claude/recipes`, `${base}/amplifier-bundle/recipes`];
    expect(
      searchDirectories(machine.system, searchOf(machine, { workingDir, recipeDirs: ["/r", "rel", "/r"] })),
    ).toEqual([
      "/r",
      `${machine.project}/rel`,
      "/env/one",
      "/env/two",
      ...up(workingDir),
      ...up(`${machine.project}/sub`),
      ...up(machine.project),
      "/assets/amplifier-bundle/recipes",
      `${machine.home}/.amplihack/amplifier-bundle/recipes`,
      `${machine.home}/.amplihack/.claude/recipes`,
      SHIPPED_RECIPES,
    ]);
  });
});

describe("a recipe", () => {
  it("is found by path from the current directory, the working directory, the git root and the homes", () => {
    const machine = recipeMachine();
    const search = searchOf(machine, { workingDir: join(machine.project, "work/deep") });
    mkdirSync(join(machine.project, "work/deep"), { recursive: true });
    mkdirSync(join(machine.project, "work/.git"));
    const places = [
      join(machine.home, ".amplihack/my/r.yaml"),
      join(machine.project, "work/my/r.yaml"),
      join(machine.project, "work/deep/my/r.yaml"),
      join(machine.project, "my/r.yaml"),
    ];
    for (const path of places) {
      machine.write(path, recipe("r"));
      expect(findRecipe(machine.system, "my/r.yaml", search)).toEqual({ kind: "found", path });
    }
    expect(findRecipe(machine.system, join(machine.project, "my/r.yaml"), search)).toEqual({
      kind: "found",
      path: join(machine.project, "my/r.yaml"),
    });
    expect(findRecipe(machine.system, "no/such.yaml", search)).toEqual({
      kind: "missing",
      message: "Recipe file not found: no/such.yaml",
    });
  });

  it("is found by name: yaml before yml before declared names, nearer directories first", () => {
    const machine = recipeMachine();
    const search = searchOf(machine, { recipeDirs: ["near"] });
    const far = machine.write(".claude/recipes/build.yaml", recipe("build"));
    expect(findRecipe(machine.system, "build", search)).toEqual({ kind: "found", path: far });
    const declared = machine.write("near/other.yaml", recipe("build"));
    expect(findRecipe(machine.system, "build", search)).toEqual({ kind: "found", path: declared });
    const yml = machine.write("near/build.yml", recipe("something"));
    expect(findRecipe(machine.system, "build", search)).toEqual({ kind: "found", path: yml });
    const yaml = machine.write("near/build.yaml", recipe("something else"));
    expect(findRecipe(machine.system, "build", search)).toEqual({ kind: "found", path: yaml });
  });

  it("that is not there is told with every place that was searched", () => {
    const machine = recipeMachine();
    mkdirSync(join(machine.project, ".claude/recipes"), { recursive: true });
    const found = findRecipe(machine.system, "nobody", searchOf(machine));
    expect(found.kind).toBe("missing");
    const lines = found.kind === "missing" ? found.message.split("\n") : [];
    expect(lines[0]).toBe("Recipe 'nobody' not found. Searched:");
    expect(lines).toContain(`  - ${machine.project}/.claude/recipes`);
    expect(lines).toContain(`  - ${machine.project}/amplifier-bundle/recipes (does not exist)`);
    expect(lines.at(-1)).toBe("What there is: amplihack recipe list");
    const typo = findRecipe(machine.system, "helo", searchOf(machine));
    expect(typo.kind === "missing" ? typo.message.split("\n").at(-1) : "").toBe(
      "Did you mean hello? What there is: amplihack recipe list",
    );
  });

  it.each(["", ".hidden", "a..b", "a\\b", "a\0b"])("cannot be named %j", name => {
    const machine = recipeMachine();
    expect(findRecipe(machine.system, name, searchOf(machine)).kind).toBe("bad-name");
  });

  it("that is missing or misnamed ends a run with its own exit code", async () => {
    const machine = recipeMachine();
    expect(await machine.run({ recipe: "nobody" })).toMatchObject({
      exitCode: 3,
      document: { status: "ERROR", error_kind: "not_found" },
    });
    expect(await machine.run({ recipe: "./nobody.yaml" })).toMatchObject({ exitCode: 3 });
    expect(await machine.run({ recipe: ".x" })).toMatchObject({
      exitCode: 4,
      document: { error_kind: "bad_args" },
    });
  });

  it("of somebody else above the project is not looked at", () => {
    const machine = recipeMachine();
    const workingDir = join(machine.project, "inner");
    mkdirSync(workingDir);
    machine.write(".claude/recipes/planted.yaml", recipe("planted"));
    const { system } = machine;
    const files = {
      ...system.files,
      follow: (path: string) => {
        const facts = system.files.follow(path);
        return facts === undefined || path !== machine.project ? facts : { ...facts, uid: facts.uid + 1 };
      },
    };
    const search = searchOf(machine, { workingDir });
    expect(findRecipe(system, "planted", search).kind).toBe("found");
    expect(findRecipe({ ...system, files }, "planted", search).kind).toBe("missing");
  });
});

describe("the list of recipes", () => {
  it("gives the hash of the very file, also of one that extends another", async () => {
    const machine = recipeMachine();
    machine.write("d/base.yaml", recipe("base"));
    const text = "name: heir\nextends: base\n";
    machine.write("d/heir.yaml", text);
    const { recipes } = await listRecipes(machine.system, searchOf(machine), { directory: "d" });
    const expected = createHash("sha256").update(text).digest("hex");
    expect(recipes.find(({ name }) => name === "heir")?.sha256).toBe(expected);
  });

  it("shows of one name what a run would take, sorted, with invalid files counted", async () => {
    const machine = recipeMachine();
    machine.write("near/a.yaml", recipe("zeta", "true", "description: near\ntags: [x, y]\n"));
    machine.write("near/b.yml", recipe("alpha", "true", "tags: [x]\n"));
    machine.write("near/broken.yaml", "name: broken\n");
    machine.write("near/notes.txt", "no recipe");
    machine.write(".claude/recipes/zeta.yaml", recipe("zeta", "true", "description: far\n"));
    const search = searchOf(machine, { recipeDirs: ["near"] });
    const { recipes, invalid } = await listRecipes(machine.system, search);
    const own = recipes.filter(({ path }) => path.startsWith(machine.project));
    expect(own.map(({ name, description }) => [name, description])).toEqual([
      ["alpha", ""],
      ["zeta", "near"],
    ]);
    expect(own[1]).toMatchObject({
      version: "1.0.0",
      step_count: 1,
      tags: ["x", "y"],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(invalid).toEqual([
      { path: join(machine.project, "near/broken.yaml"), message: expect.stringContaining("steps") },
    ]);
    const tagged = await listRecipes(machine.system, search, { tags: ["x", "y"] });
    expect(tagged.recipes.map(({ name }) => name)).toEqual(["zeta"]);
    expect((await listRecipes(machine.system, search, { directory: "near" })).recipes).toHaveLength(2);
  });

  it("does not trip over links to nowhere and directories with a recipe's name", async () => {
    const machine = recipeMachine();
    mkdirSync(join(machine.project, "near/folder.yaml"), { recursive: true });
    symlinkSync("/nowhere", join(machine.project, "near/link.yaml"));
    const { recipes, invalid } = await listRecipes(machine.system, searchOf(machine), { directory: "near" });
    expect({ recipes, invalid }).toEqual({ recipes: [], invalid: [] });
  });
});
