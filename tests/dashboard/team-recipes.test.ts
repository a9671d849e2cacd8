import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { hasPostgres } from "../postgres-server.ts";
import type { Served } from "./machine.ts";
import { newTeam } from "./team.ts";
import { grantRuns, submitRuns } from "./team-runs.ts";

const text = async (served: Served, path: string) =>
  /<main[\s\S]*<\/main>/.exec((await served.ask(path)).body)?.[0] ?? "";
const hasTab = async (served: Served) => (await served.ask("/")).body.includes('data-tab="recipes"');

describe.skipIf(!hasPostgres)("the page of a team, where recipes were submitted", () => {
  it("shows the runs to those who may read them, and to others nothing", async () => {
    const team = await newTeam();
    const ann = await team.join("ann");
    expect(await hasTab(await ann.serve())).toBe(false);
    const { ids, work } = await submitRuns(team, [0, 3]);
    await work();
    const [done = "", failed = "", queued = ""] = [...ids, ...(await submitRuns(team, [0])).ids];
    const outsider = await ann.serve();
    expect(await hasTab(outsider)).toBe(false);
    expect(await text(outsider, `/recipe?id=${done}`)).toContain("There is no such run");
    expect(await outsider.json("/api/recipes")).toEqual([]);
    await grantRuns(team, "ann");
    const served = await ann.serve();
    expect(await hasTab(served)).toBe(true);
    const list = await text(served, "/recipes");
    expect(list.match(/data-key="run-[^"]+"/g)).toEqual(
      [queued, failed, done].map(id => `data-key="run-${id}"`),
    );
    for (const state of ["done", "failed", "queued"]) expect(list).toMatch(new RegExp(`>${state}</span>`));
    expect(list).toContain(`queue default · by keeper@${hostname()} · worker desk`);
    expect(list).not.toContain("<img");
    const narrowed = async (query: string) =>
      (await served.json<readonly object[]>(`/api/recipes?${query}`)).length;
    expect(await narrowed(`machine=${hostname()}`)).toBe(3);
    expect(await narrowed(`person=keeper&project=github.com/acme/pay`)).toBe(3);
    expect(await narrowed("person=nobody")).toBe(0);
    const none = await text(served, "/recipes?machine=elsewhere");
    expect(none).toContain("Nothing fits.");
    expect(none).toContain("Drop this filter: machine");

    const one = await text(served, `/recipe?id=${failed}`);
    expect(one).toMatch(/<h3>build<\/h3>[\s\S]*completed[\s\S]*<h3>test<\/h3>[\s\S]*failed[\s\S]*exit 3/);
    expect(one).toContain("worker desk</p>");
    expect(one).toContain(`amplihack recipe logs ${failed} --url`);
    expect(one).not.toMatch(/To go on where it stopped|kept only while|<button|<img/);
    expect(await text(served, `/recipe?id=${queued}`)).toContain("queue default");
    await team.keeper.run("DROP TABLE amplihack.recipe_log");
    expect(await text(served, "/recipes")).toContain("Runs of recipes cannot be shown.");
  });
});
