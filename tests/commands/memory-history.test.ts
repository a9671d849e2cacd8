import { describe, expect, it, onTestFinished } from "vitest";
import { splitWords } from "../../src/system/processes.ts";
import { administer, freshDatabase, hasPostgres } from "../postgres-server.ts";
import { newUserInside, type User } from "./run-command.ts";

interface Told {
  readonly value: string;
  readonly project: string | null;
  readonly author: string;
  readonly earlier: readonly {
    readonly value: string;
    readonly author: string;
    readonly updated_at: string;
    readonly replaced_at: string;
    readonly restore: string;
  }[];
}

/** Types a command line as a shell would read it, with variables in front. */
async function typeLine(user: User, commandLine: string, given: Readonly<Record<string, string>> = {}) {
  const words = [...splitWords(commandLine)];
  const env = { ...given };
  while (/^[A-Z_]+=/.test(words[0] ?? "")) {
    const [name = "", ...value] = words.shift()?.split("=") ?? [];
    env[name] = value.join("=");
  }
  expect(words.shift()).toBe("amplihack");
  expect(await user.type(words, { env })).toMatchObject({ code: 0 });
}

describe.skipIf(!hasPostgres)("amplihack memory history", () => {
  it("tells who wrote what and when, the newest first, with the command that brings it back", async () => {
    const { server, name, url } = await freshDatabase();
    const user = newUserInside();
    const store = async (who: string, value: string, ...words: readonly string[]) => {
      const target = ["--url", server.url(name, who), "--", "style", value];
      expect((await user.type(["memory", "store", ...words, ...target])).code).toBe(0);
    };
    await store("keeper", "Two spaces.");
    expect((await user.type(["memory", "history", "style", "--url", url])).stdout).toContain(
      "Nothing took the place of an earlier text.",
    );
    await administer(server, "CREATE ROLE ann LOGIN");
    onTestFinished(() => administer(server, "DROP ROLE ann"));
    await administer(server, "SELECT amplihack.add_member('everyone', 'ann')", name);
    const odd = "- tabs, 'quoted'\n  and $HOME";
    await store("ann", odd, "--category", "decision");
    await store("keeper", "Four spaces.");

    const history = () => user.json<Told>("memory", "history", "style", "--url", url);
    const told = await history();
    expect(told).toMatchObject({
      value: "Four spaces.",
      author: "keeper",
      earlier: [
        { value: odd, author: "ann", category: "decision" },
        { value: "Two spaces.", author: "keeper", category: "context" },
      ],
    });
    const [newest, oldest] = told.earlier;
    expect(Date.parse(newest?.replaced_at ?? "")).toBeGreaterThanOrEqual(
      Date.parse(newest?.updated_at ?? ""),
    );
    const { stdout } = await user.type(["memory", "history", "style", "--url", url]);
    expect(stdout).toMatch(/^now: keeper, 2\S+Z\n {4}Four spaces\.\n\nreplaced 2\S+Z: ann, 2\S+Z\n/);
    expect(stdout).toContain(`    bring it back: ${newest?.restore}\n`);
    await typeLine(user, newest?.restore ?? "");
    expect(await user.json("memory", "get", "style", "--url", url)).toMatchObject({
      value: odd,
      category: "decision",
      project: null,
    });
    await typeLine(user, oldest?.restore ?? "");
    expect((await history()).earlier.map(({ value }) => value)).toEqual([
      odd,
      "Four spaces.",
      odd,
      "Two spaces.",
    ]);
    await user.json("memory", "delete", "style", "--url", url);
    expect((await user.type(["memory", "history", "style", "--url", url])).code).toBe(1);
  });

  it("keeps a memory in its project, and finds the database as other commands do", async () => {
    const { url } = await freshDatabase();
    const user = newUserInside();
    const env = { AMPLIHACK_DATABASE_URL: url };
    const put = (value: string, project: string) =>
      user.type(["memory", "store", "till", value, "--backend", "postgres"], {
        env: { ...env, AMPLIHACK_PROJECT_ID: project },
      });
    for (const value of ["Closes at six.", "Closes at \u001b[31mseven."])
      await put(value, "github.com/acme/shop");
    await put("Closes at eight.", "github.com/acme/shop");
    const { stdout } = await user.type(["memory", "history", "till"], { env });
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("its text has control characters: see --format json");
    const read = async () =>
      JSON.parse((await user.type(["memory", "history", "till", "--json"], { env })).stdout) as Told;
    const restore = (await read()).earlier[1]?.restore ?? "";
    expect(restore).toMatch(/^AMPLIHACK_PROJECT_ID=\S+ amplihack memory store --backend postgres till /);
    await typeLine(user, restore, env);
    expect(await read()).toMatchObject({ value: "Closes at six.", project: "github.com/acme/shop" });
  });

  it("says that the file of this machine has none", async () => {
    const user = newUserInside();
    await user.json("memory", "store", "style", "Two spaces.");
    const { code, stderr } = await user.type(["memory", "history", "style"]);
    expect(code).toBe(2);
    expect(stderr).toContain("earlier texts are kept only in a team's database, and none is named");
  });
});
