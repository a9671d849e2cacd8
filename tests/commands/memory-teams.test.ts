import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { administer, freshDatabase, hasPostgres } from "../postgres-server.ts";
import { newUserInside, type User } from "./run-command.ts";

/** Words of a command, with the database of the team. */
async function makeTeam() {
  const { server, name, url } = await freshDatabase();
  const user = newUserInside();
  const type = (...words: readonly string[]) => user.type(["memory", ...words, "--url", url]);
  const json = <T = Record<string, unknown>>(...words: readonly string[]) =>
    user.json<T>("memory", ...words, "--url", url);
  return { server, name, url, user, type, json };
}

type Shown = readonly { readonly key: string; readonly value: string; readonly pinned?: true }[];
const hasLocalFiles = ({ home }: User) => readdirSync(home).includes(".amplihack");

describe.skipIf(!hasPostgres)("amplihack memory with the database of a team", () => {
  it("stores, finds, pins, edits and deletes there, and nothing in the file", async () => {
    const { user, type, json, url } = await makeTeam();
    expect((await type("list")).stdout).toBe("Nothing is remembered.\n");
    expect(await json("store", "tests", "The payment tests need PAYMENT_SANDBOX=1.", "--pin")).toMatchObject({
      is_new: true,
    });
    await json("store", "style", "Tests before code", "--agent", "builder");
    expect(await json<Shown>("search", "paymets")).toMatchObject([{ key: "tests", pinned: true }]);
    expect((await type("get", "style")).stdout).toBe("Tests before code\n");
    expect(await json("tree", "--depth", "1")).toMatchObject({ total: 2 });
    await json("unpin", "tests");
    expect(await json<Shown>("list")).toMatchObject([{ key: "style" }, { key: "tests" }]);
    const editor = join(user.home, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nprintf "edited words" > "$1"\n', { mode: 0o755 });
    const env = { VISUAL: editor };
    const edited = await user.type(["memory", "edit", "style", "--url", url, "--format", "json"], { env });
    expect(JSON.parse(edited.stdout)).toMatchObject({ changed: true, value: "edited words" });
    expect((await user.type(["memory", "list"])).stdout).toBe("Nothing is remembered.\n");
    expect(await json("forget", "sandbox", "--yes")).toMatchObject({ deleted: 1 });
    expect(await json("clean", "--pattern", "st*", "--no-dry-run", "--confirm")).toMatchObject({
      deleted: 1,
    });
    const gone = await type("delete", "style", "--agent", "a b");
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain(`fix: amplihack memory list --agent 'a b' --url '${url}'\n`);
    expect(await json<Shown>("list")).toEqual([]);
  });

  it("exports from one and imports into another, exactly", async () => {
    const { user, json, url } = await makeTeam();
    await json("store", "odd", "nul \u0000 'quoted' 数据 😀", "--session", "s");
    await json("store", "pinned", "x", "--pin");
    const file = join(user.home, "all.json");
    await json("export", "-o", file);
    await user.json("memory", "import", "-i", file);
    const [there, here] = [await json("list"), await user.json("memory", "list")];
    expect(here).toEqual(there);
    expect(await json("import", "-i", file, "--merge", "--team", "others")).toMatchObject({ added: 2 });
    expect(await user.json("memory", "list", "--url", url, "--team", "others")).toEqual(there);
  });

  it("finds it by the configuration or the environment", async () => {
    const { user, url } = await makeTeam();
    const words = ["memory", "store", "k", "v", "--backend", "postgres"];
    expect(await user.type(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("AMPLIHACK_DATABASE_URL"),
    });
    const env = { AMPLIHACK_DATABASE_URL: url };
    expect((await user.type(words, { env })).stdout).toBe("Stored k.\n");
    await user.type(["config", "set", "memory.url", url]);
    await user.type(["config", "set", "memory.team", "everyone"]);
    expect((await user.type(["memory", "get", "k", "--backend", "postgres"])).stdout).toBe("v\n");
    expect((await user.type(["memory", "list", "--backend", "postgres", "--team", "other"])).stdout).toBe(
      "Nothing is remembered.\n",
    );
  });

  it("makes no tables and no team by looking", async () => {
    const { type, server, name } = await makeTeam();
    expect((await type("search", "x")).stdout).toBe("Nothing was found.\n");
    await administer(server, "CREATE SCHEMA amplihack", name);
    expect((await type("list", "--team", "x")).stdout).toBe("Nothing is remembered.\n");
  });

  it("says who is refused, and what the administrator does about it", async () => {
    const { server, name, user, json } = await makeTeam();
    await json("store", "k", "v");
    await administer(server, "CREATE ROLE zoe LOGIN");
    onTestFinished(() => administer(server, "DROP ROLE zoe"));
    const words = ["memory", "list", "--url", server.url(name, "zoe")];
    const { code, stderr } = await user.type(words);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/the user zoe .* is not in the team everyone.*add_member\('everyone', 'zoe'\)/s),
    ]);
  });

  it.each([
    [["--url", "postgres://x/y", "--db-path", "z"], "--db-path is not for the database of a team"],
    [["--url", "postgres://x/y", "--backend", "sqlite"], "--url is not for --backend sqlite"],
    [["--team", "x"], "--team is for the database of a team"],
    [["--url", "mysql://x/y"], "it must begin with postgres://"],
    [["--url", "postgres://ann:secret@x/y"], "it holds a password"],
    [["--url", "postgres://x/y", "--team", ""], "--team must name a team"],
    [["--url", "postgres://x/y", "--team", "a\u001b[2J"], "--team must name a team"],
    [["--url", "postgres://x/y", "--team", "t".repeat(90_000)], "--team must name a team"],
    [["--url", "postgres://ann:12/secret@x/y"], "an @ or a # after its host"],
  ])("refuses %j", async (options, message) => {
    const { code, stderr } = await newUserInside().type(["memory", "list", ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain("secret");
  });

  it("says at once that nobody answers", async () => {
    const user = newUserInside();
    const server = createServer();
    const port = await new Promise<number>(resolve =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
    await new Promise(resolve => server.close(resolve));
    const words = ["memory", "list", "--url", `postgres://ann@127.0.0.1:${port}/x`, "--format", "json"];
    const { code, stdout } = await user.type(words);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        error: expect.objectContaining({
          kind: "offline",
          message: expect.stringContaining("does not answer"),
        }),
      },
    ]);
    expect(hasLocalFiles(user)).toBe(false);
  });
});

describe.skipIf(!hasPostgres)("amplihack memory move", () => {
  it("takes everything to the team and back, and deletes only when asked", async () => {
    const { user, type, json } = await makeTeam();
    for (const key of ["a", "b"]) await user.json("memory", "store", key, `value ${key}`, "--pin");
    const before = await user.json("memory", "list");
    const moved = { memories: 2, equal: 2, superseded: 0, different: 0 };
    expect(await json("move", "--to", "postgres")).toMatchObject({ ...moved, deleted: 0 });
    expect(await json("list")).toEqual(before);
    expect(await user.json("memory", "list")).toEqual(before);
    expect(await json("move", "--to", "postgres", "--delete-source")).toMatchObject({ ...moved, deleted: 2 });
    expect(await user.json("memory", "list")).toEqual([]);
    expect((await type("move", "--to", "sqlite")).stdout).toBe(
      "Moved 2 of 2; 0 with a later change there, 0 with something else there. Deleted 0 at the source.\n",
    );
    expect(await user.json("memory", "list")).toEqual(before);
    expect((await type("move")).code).toBe(2);
  });
});
