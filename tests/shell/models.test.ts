import { describe, expect, it } from "vitest";
import { interpreterModel } from "../../src/programs/interpreters/run-code.ts";
import { everydayModels, findModel, otherModels, WITHOUT_MODEL } from "../../src/programs/models.ts";
import { loaderModel } from "../../src/programs/wrappers/prefix.ts";

describe("the tables of models", () => {
  it("say nothing twice: the first table that knows a program may answer", () => {
    const twice = [...everydayModels().keys()].filter(name => otherModels().has(name));
    expect(twice).toEqual([]);
  });

  it.each([...WITHOUT_MODEL])("know nothing of %s, which is not looked up", name => {
    const found = everydayModels().get(name) ?? otherModels().get(name);
    expect(found ?? interpreterModel(name) ?? loaderModel(name)).toBeUndefined();
  });

  it("are all looked at for any other program", () => {
    for (const [name, model] of [...everydayModels(), ...otherModels()]) expect(findModel(name)).toBe(model);
  });
});
