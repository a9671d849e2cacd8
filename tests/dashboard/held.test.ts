import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildFolder } from "../build-folder.ts";
import { canTry, tryIn } from "../sandbox/try-scene.ts";
import { newMachine, serve } from "./machine.ts";

describe.skipIf(!canTry)("held changes on the page", () => {
  const home = realpathSync(mkdtempSync(join(buildFolder(), "held-")));
  const project = join(home, "project");
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(project);
  writeFileSync(join(project, "notes.txt"), "one\n");
  mkdirSync(join(home, ".amplihack"), { mode: 0o700 });
  const place = { home, project, env: { HOME: home, PATH: process.env["PATH"] ?? "" } };
  const machine = newMachine(join(home, ".amplihack"));

  it("are shown with their diff, and each of both answers does what it says, once", async () => {
    const served = await serve(machine);
    expect((await served.ask("/")).body).not.toContain("wait for your word");
    const first = await tryIn(place, "echo '<b>two</b>' > notes.txt; echo new > new.txt");
    const id = first.held?.record.id ?? "";
    const page = (await served.ask("/")).body;
    expect(page).toContain("Changes that wait for your word");
    expect(page).toContain("-one");
    expect(page).toContain("+&lt;b&gt;two&lt;/b&gt;");
    for (const answer of ["apply", "discard"])
      expect(page).toMatch(new RegExp(`data-held="${id}" data-answer="${answer}"`));
    expect(readFileSync(join(project, "notes.txt"), "utf8")).toBe("one\n");

    expect(await served.act("/api/held", { id, answer: "discard" })).toMatchObject({
      status: 200,
      text: "Discarded: the project is as it was.",
    });
    expect(await served.act("/api/held", { id, answer: "apply" })).toMatchObject({ status: 409 });
    expect(readFileSync(join(project, "notes.txt"), "utf8")).toBe("one\n");

    const second = await tryIn(place, "echo new > new.txt");
    const applied = await served.act("/api/held", { id: second.held?.record.id, answer: "apply" });
    expect(applied["text"]).toMatch(/^Applied\. To take it back: amplihack undo /);
    expect(existsSync(join(project, "new.txt"))).toBe(true);
    expect((await served.ask("/")).body).not.toContain("wait for your word");
  });
});
