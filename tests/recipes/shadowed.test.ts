import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { printRecipe, printRecipeList } from "../../src/recipes/print-recipes.ts";
import { SHIPPED_RECIPES } from "../../src/recipes/shipped-recipes.ts";
import { recipeMachine } from "./recipe-machine.ts";

const SHIPPED = join(SHIPPED_RECIPES, "hello.yaml");
const OWN = "name: hello\nsteps: [{id: a, command: 'true'}]\n";
const USING = "name: using\nsteps: [{id: a, type: recipe, recipe: hello}]\n";
const HEIR = "name: heir\nextends: hello\nsteps: [{id: z, command: 'true'}]\n";
/** What a command printed and what it warned of. */
async function printed(
  machine: ReturnType<typeof recipeMachine>,
  command: "list" | "show",
  more: {
    readonly recipeDirs?: readonly string[];
    readonly format?: "table" | "json";
    readonly recipe?: string;
  } = {},
) {
  const [out, err]: [string[], string[]] = [[], []];
  const output = {
    system: machine.system,
    print: (text: string) => void out.push(text),
    warn: (text: string) => void err.push(text),
  };
  const place = { workingDir: undefined, recipeDirs: [], format: "table", ...more } as const;
  if (command === "list")
    await printRecipeList({ ...place, directory: undefined, tags: [], isVerbose: false }, output);
  else
    printRecipe(
      { ...place, recipe: more.recipe ?? "hello", isGraph: false, hasSteps: false, hasContext: false },
      output,
    );
  return { out: out.join(""), err: err.join("") };
}

describe("a recipe of a project that takes the place of a shipped one", () => {
  it.each([
    ["hello", "by its name"],
    ["using", "as a sub-recipe"],
    ["heir", "as a parent"],
  ])("does not run: %s, %s", async recipe => {
    const machine = recipeMachine();
    const path = machine.write(
      ".claude/recipes/hello.yaml",
      "name: hello\nsteps: [{id: a, command: 'touch ran'}]\n",
    );
    machine.write(".claude/recipes/using.yaml", USING);
    machine.write(".claude/recipes/heir.yaml", HEIR);
    const ran = await machine.run({ recipe });
    expect(ran.exitCode).not.toBe(0);
    expect(JSON.stringify(ran.document)).toContain(`is a recipe of amplihack, and ${path} has its name`);
    expect(existsSync(join(machine.project, "ran"))).toBe(false);
  });

  it("does not run inside a shipped recipe", async () => {
    const machine = recipeMachine();
    machine.write(
      ".claude/recipes/worktree-setup.yaml",
      "name: worktree-setup\nsteps: [{id: a, command: 'touch ran'}]\n",
    );
    await machine.run({
      recipe: "workstream",
      context: { number: 1, stream: {}, workspace: { root: machine.project } },
    });
    expect(existsSync(join(machine.project, "ran"))).toBe(false);
  });

  it("runs by its path, by a folder that was given, and where it says the same", async () => {
    const machine = recipeMachine();
    machine.write(".claude/recipes/hello.yaml", OWN);
    expect((await machine.run({ recipe: ".claude/recipes/hello.yaml" })).exitCode).toBe(0);
    expect((await machine.run({ recipe: "hello", recipeDirs: [".claude/recipes"] })).exitCode).toBe(0);
    const same = recipeMachine();
    same.write(".claude/recipes/hello.yaml", readFileSync(SHIPPED, "utf8"));
    expect((await same.run({ recipe: "hello", isDryRun: true })).exitCode).toBe(0);
  });

  it("is announced by show and list, for programs too", async () => {
    const machine = recipeMachine();
    const path = machine.write("amplifier-bundle/recipes/mine.yaml", OWN);
    const shown = await printed(machine, "show");
    expect(shown.err).toContain(`'hello' is not the recipe that comes with amplihack: ${path}`);
    expect(JSON.parse((await printed(machine, "show", { format: "json" })).out)).toMatchObject({
      path,
      shadows: SHIPPED,
    });
    expect((await printed(machine, "list")).out).toContain(
      `• hello\n  ! ${path} takes the place of the recipe that comes with amplihack\n`,
    );
    const listed = JSON.parse((await printed(machine, "list", { format: "json" })).out) as {
      readonly name: string;
    }[];
    expect(listed.find(({ name }) => name === "hello")).toMatchObject({ path, shadows: SHIPPED });
    expect(listed.filter(entry => "shadows" in entry)).toHaveLength(1);
  });

  it("is not announced where it says the same, or where the user chose it", async () => {
    const quiet = async (
      machine: ReturnType<typeof recipeMachine>,
      more: { readonly recipeDirs?: readonly string[]; readonly recipe?: string } = {},
    ) => {
      expect((await printed(machine, "show", more)).err).toBe("");
      expect((await printed(machine, "list", more)).out).not.toContain("takes the place");
    };
    const same = recipeMachine();
    same.write(".claude/recipes/hello.yaml", readFileSync(SHIPPED, "utf8"));
    await quiet(same);
    const own = recipeMachine();
    own.write(join(own.home, ".amplihack/.claude/recipes/hello.yaml"), OWN);
    await quiet(own);
    const explicit = recipeMachine();
    explicit.write("chosen/hello.yaml", OWN);
    await quiet(explicit, { recipeDirs: ["chosen"] });
    await quiet(recipeMachine());
    const byPath = recipeMachine();
    byPath.write(".claude/recipes/hello.yaml", OWN);
    expect((await printed(byPath, "show", { recipe: ".claude/recipes/hello.yaml" })).err).toBe("");
  });
});
