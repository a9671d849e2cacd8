import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { listRecipes } from "../../src/recipes/find/list-recipes.ts";
import { findShipped, type ShippedIndex } from "../../src/recipes/find/load-recipe.ts";
import { makeShippedIndex } from "../../src/recipes/make-shipped-index.ts";
import { SHIPPED_RECIPES } from "../../src/recipes/shipped-recipes.ts";
import { recipeMachine } from "./recipe-machine.ts";

const built = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../dist/recipes/shipped.json", import.meta.url)), "utf8"),
) as ShippedIndex;

describe("what the build knows of the shipped recipes", () => {
  it("is what reading them says", async () => {
    const { system, project } = recipeMachine();
    const search = { currentDir: project, workingDir: project, recipeDirs: [] };
    const { recipes } = await listRecipes(system, search, { directory: SHIPPED_RECIPES });
    expect(recipes.map(({ path }) => findShipped(system, built, path))).toEqual(recipes);
    expect(built).toEqual(await makeShippedIndex(system));
  });

  it("holds for a copy of the very bytes, and not for one that differs in a letter", () => {
    const machine = recipeMachine();
    const text = readFileSync(join(SHIPPED_RECIPES, "hello.yaml"), "utf8");
    const copy = machine.write("copy.yaml", text);
    expect(findShipped(machine.system, built, copy)).toMatchObject({ name: "hello", path: copy });
    const changed = machine.write("changed.yaml", text.replace("tour", "Tour"));
    expect(findShipped(machine.system, built, changed)).toBeUndefined();
  });
});
