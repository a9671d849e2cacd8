import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/memory/sqlite-store.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { changedMachine, record } from "./changed-machine.ts";
import { newMachine, type Served, serve } from "./machine.ts";

interface Planned {
  readonly status: number;
  readonly plan?: string;
  readonly html?: string;
  readonly title?: string;
  readonly hasConflicts?: boolean;
  readonly error?: string;
  readonly text?: string;
}

const plan = (served: Served, ...ids: readonly string[]) =>
  served.act("/api/plan", { kind: "undo", ids }) as Promise<Planned>;

describe("undo from the page", () => {
  it("shows what would happen, and does nothing before it is asked to", async () => {
    const { machine, path, change } = await changedMachine("one\n", "two\n");
    const planned = await plan(await serve(machine), change);
    expect(planned).toMatchObject({ status: 200, title: "Take this back?", hasConflicts: false });
    expect(planned.html).toContain("1 file gets its earlier content back");
    expect(planned.html).toContain("notes.txt");
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  it("takes back exactly the plan that was shown, once, and can be reversed", async () => {
    const { machine, path, change } = await changedMachine("one\n", "two\n");
    const served = await serve(machine);
    const planned = await plan(served, change);
    expect(await served.act("/api/apply", { plan: planned.plan })).toEqual({
      status: 200,
      text: "Done: 1 path restored.",
    });
    expect(readFileSync(path, "utf8")).toBe("one\n");
    expect(await served.act("/api/apply", { plan: planned.plan })).toMatchObject({ status: 409 });
    expect((await plan(served, change)).error).toContain("is undone already");

    const page = (await served.ask(`/change?id=${change}`)).body;
    const undo = /data-redo="([^"]+)"/.exec(page)?.[1] ?? "";
    const again = (await served.act("/api/plan", { kind: "redo", ids: [undo] })) as Planned;
    expect(again.title).toBe("Reverse that undo?");
    await served.act("/api/apply", { plan: again.plan });
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  it("writes nothing over what was changed since, unless that is asked for by name", async () => {
    const { machine, path, change } = await changedMachine("one\n", "two\n");
    writeFileSync(path, "a person's own\n");
    const served = await serve(machine);
    const planned = await plan(served, change);
    expect(planned.hasConflicts).toBe(true);
    expect(planned.html).toContain("1 conflict");
    expect(await served.act("/api/apply", { plan: planned.plan })).toMatchObject({ status: 409 });
    expect(readFileSync(path, "utf8")).toBe("a person's own\n");

    const forced = await plan(served, change);
    expect(await served.act("/api/apply", { plan: forced.plan, force: true })).toMatchObject({ status: 200 });
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });

  it("writes nothing when a file was changed while the plan was being looked at", async () => {
    const { machine, path, change } = await changedMachine("one\n", "two\n");
    const served = await serve(machine);
    const planned = await plan(served, change);
    writeFileSync(path, "meanwhile\n");
    const answer = await served.act("/api/apply", { plan: planned.plan, force: true });
    expect(answer).toMatchObject({ status: 409 });
    expect(answer["error"]).toContain("while this was being looked at");
    expect(readFileSync(path, "utf8")).toBe("meanwhile\n");
  });

  it("takes back several changes as one", async () => {
    const { machine, project, path, change } = await changedMachine("one\n", "two\n");
    const other = await record(machine, project, "rm notes.txt", "notes.txt", () => rmSync(path));
    const served = await serve(machine);
    const planned = await plan(served, other, change);
    expect(planned.html).toContain("This takes back 2 calls");
    await served.act("/api/apply", { plan: planned.plan });
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });

  it("says what did not come back, and does not call that done", async () => {
    const { machine, path, change } = await changedMachine("one\n", "two\n");
    const objects = join(machine.places.stateHome, "history", "objects");
    for (const name of readdirSync(objects, { recursive: true, encoding: "utf8" })) {
      const kept = join(objects, name);
      if (statSync(kept).isFile() && readFileSync(kept, "utf8") === "one\n") writeFileSync(kept, "ONE\n");
    }
    const served = await serve(machine);
    const { plan: shown } = await plan(served, change);
    expect(await served.act("/api/apply", { plan: shown, force: true })).toEqual({
      status: 200,
      text: `Not everything came back: ${path}: the copy of it in the history is damaged.`,
    });
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  it("names no change that is not there", async () => {
    const served = await serve(newMachine());
    expect(await plan(served, "zzzzzz")).toMatchObject({ status: 409 });
    expect(await plan(served)).toMatchObject({ status: 400 });
  });
});

describe("diffs", () => {
  it("show what a change did, line by line, as text", async () => {
    const { machine, change } = await changedMachine(
      "one\n<b>bold</b>\n",
      "one\n</pre><script>alert(1)</script>\n",
    );
    const served = await serve(machine);
    const { status, headers, body } = await served.ask(`/diff?id=${change}`);
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: "text/html; charset=utf-8",
    });
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(body).toContain('<span class="minus">-&lt;b&gt;bold&lt;/b&gt;');
    expect(body).toContain('<span class="plus">+&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(body).not.toContain("<script");
  });

  it("write out what would hide or reorder text, and stay short", async () => {
    const { machine, change } = await changedMachine(
      "",
      `\u001b[31mred\u202egnp.exe\u0007\n${"long ".repeat(200_000)}\n${"line\n".repeat(5_000)}`,
    );
    const { body } = await (await serve(machine)).ask(`/diff?id=${change}`);
    expect(body).toContain("+\\u001b[31mred\\u202egnp.exe\\u0007");
    expect(body).not.toMatch(/[\u001b\u202e\u0007]/);
    expect(body).toContain("more lines");
    expect(body.length).toBeLessThan(60_000);
  });

  it("are not there for a change that is gone", async () => {
    expect((await (await serve(newMachine())).ask("/diff?id=zzzzzz")).status).toBe(404);
  });
});

describe("memories on the page", () => {
  it("are browsed, searched, and forgotten when that is asked for", async () => {
    const machine = newMachine();
    const store = await openStore(createNodeSystem(), machine.places.database);
    const common = { project: "", session: "", type: "text", category: "learning" } as const;
    const { memory } = await store.put({
      ...common,
      agent: "ada",
      key: "tests",
      value: "Payments need the sandbox.",
    });
    await store.put({ ...common, agent: "bob", key: "style", value: "No tabs." });
    store.close();
    const served = await serve(machine);
    expect((await served.ask("/memory")).body).toMatch(
      /Payments need[\s\S]*No tabs|No tabs[\s\S]*Payments need/,
    );
    expect((await served.ask("/memory?q=sandbox")).body).not.toContain("No tabs.");
    expect((await served.ask("/memory?agent=bob")).body).not.toContain("Payments need");
    expect((await served.ask("/search?q=sandbox")).body).toContain("Payments need the sandbox.");
    const forget = () => served.act("/api/forget", { agent: "ada", id: memory.id });
    expect(await forget()).toEqual({ status: 200, text: "Forgotten." });
    expect(await forget()).toEqual({ status: 200, text: "It was forgotten already." });
    expect(await served.act("/api/forget", { agent: "ada" })).toMatchObject({ status: 400 });
    expect((await served.ask("/memory")).body).not.toContain("Payments need");
  });
});
