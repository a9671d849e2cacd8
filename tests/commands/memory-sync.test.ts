import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkTeamMemory } from "../../src/install/doctor/machine.ts";
import { Database } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { requireDirectories } from "../../src/state/directories.ts";
import { systemIn } from "../install/sandbox.ts";
import { freshDatabase, hasPostgres } from "../postgres-server.ts";
import { newUser, newUserInside, type User } from "./run-command.ts";

function configure(user: User, url: string): void {
  execFileSync("mkdir", ["-p", join(user.home, ".amplihack")]);
  writeFileSync(
    join(user.home, ".amplihack", "config.jsonc"),
    JSON.stringify({ memory: { url, team: "crew" } }),
  );
}

function clone(user: User, remote = "git@github.com:acme/pay.git"): void {
  execFileSync("git", ["init", "-q", user.project]);
  execFileSync("git", ["-C", user.project, "remote", "add", "origin", remote]);
}

type Shown = readonly { readonly key: string; readonly value: string; readonly project: string | null }[];
const stateOf = ({ home }: User) =>
  JSON.parse(readFileSync(join(home, ".amplihack", "memory-sync.json"), "utf8")) as Record<string, unknown>;

/** The process in the background writes into the home, which must not be gone by then. */
async function untilEnded(user: User): Promise<void> {
  const isUnderWay = () => Number(stateOf(user)["finishedMs"]) < Number(stateOf(user)["attemptMs"]);
  while (isUnderWay() || existsSync(join(user.home, ".amplihack", "memory-sync.lock")))
    await new Promise(resolve => setTimeout(resolve, 20));
}

describe.skipIf(!hasPostgres)("amplihack memory sync", () => {
  it("says of one that goes on that it goes on, and that it sends what waits here as well", async () => {
    const { url } = await freshDatabase();
    const user = newUser();
    clone(user);
    configure(user, url);
    expect((await user.type(["memory", "sync"])).code).toBe(0);
    const other = await Database.open(readDatabaseUrl(url, "option"));
    onTestFinished(() => other.close());
    await other.transaction(async run => {
      // Whoever writes waits for the row of the team.
      await run("SELECT FROM amplihack.teams FOR UPDATE");
      // The command starts a sync in the background.
      await user.json("memory", "store", "ports", "web has 8080", "--share");
      const lock = join(user.home, ".amplihack", "memory-sync.lock");
      await expect.poll(() => existsSync(lock), { timeout: 30_000 }).toBe(true);
      expect(await user.type(["memory", "sync", "--timeout", "1"])).toMatchObject({
        code: 1,
        stdout: "",
        stderr:
          "Error: another sync is under way, and sends what waits here as well\n  fix: amplihack memory sync, when it is done\n",
      });
    });
    await untilEnded(user);
    // Nothing of it was lost, and nothing is left to send.
    expect((await user.type(["memory", "sync"])).stdout).toBe("0 sent, 0 fetched, 0 waiting\n");
  });

  it("says what was sent, fetched and left, and what stays here from before", async () => {
    const { url } = await freshDatabase();
    const [ann, bob] = [newUserInside(), newUserInside()];
    for (const user of [ann, bob]) clone(user);
    await ann.json("memory", "store", "private", "mine alone");
    const learnt = JSON.stringify({
      version: 1,
      action: "store",
      session_id: "s",
      transcript_path: null,
      content: "The payment tests need a sandbox to run.",
    });
    await ann.type(["bridge", "store"], { input: learnt });
    for (const user of [ann, bob]) configure(user, url);
    await bob.json("memory", "store", "ports", "web has 8080", "--share");
    expect((await bob.type(["memory", "sync"])).stdout).toBe("1 sent, 0 fetched, 0 waiting\n");
    expect((await ann.type(["memory", "sync"])).stdout).toBe(
      "0 sent, 1 fetched, 0 waiting\n1 memory from before the team stays on this machine; amplihack memory sync --earlier shares it.\n",
    );
    expect((await ann.type(["memory", "sync", "--earlier"])).stdout).toBe("1 sent, 0 fetched, 0 waiting\n");
    expect(await bob.json("memory", "sync")).toMatchObject({
      sent: 0,
      fetched: 1,
      waiting: 0,
      complete: true,
      earlier: 0,
      shared_with: expect.stringContaining("team crew of "),
    });
    const shared = await bob.json<Shown>("memory", "list");
    expect(shared.map(({ project }) => project)).toEqual(["github.com/acme/pay", "github.com/acme/pay"]);
    expect(shared.map(({ value }) => value)).toContain("The payment tests need a sandbox to run.");
    const moved = await bob.type(["memory", "move", "--to", "sqlite", "--delete-source"]);
    expect(moved).toMatchObject({ code: 1, stderr: expect.stringContaining("copy of a team's memories") });
    // In another clone the session gets it.
    const asked = JSON.stringify({
      version: 1,
      action: "get_context",
      session_id: "t",
      project_path: bob.project,
    });
    const context = (await bob.type(["bridge", "get_context"], { input: asked })).stdout;
    expect(JSON.parse(context).context).toContain("payment tests need a sandbox");
  });

  it("tells why it cannot, and what waits is seen by status, statusline and doctor", async () => {
    const user = newUserInside();
    expect(await user.type(["memory", "sync"])).toMatchObject({ code: 1 });
    expect(await user.type(["memory", "store", "a", "b", "--share"])).toMatchObject({ code: 1 });
    configure(user, "postgres://ann@127.0.0.1:1/agents");
    expect((await user.type(["memory", "store", "a", "b", "--share"])).stderr).toContain(
      "AMPLIHACK_PROJECT_ID",
    );
    clone(user);
    await user.json("memory", "store", "a", "b", "--share");
    const { code, stderr } = await user.type(["memory", "sync"]);
    expect(code).toBe(1);
    expect(stderr).toContain("does not answer");
    expect(stderr).toContain("kept and sent later");
    const waits = "1 change waits for the team's database; not synced yet";
    expect((await user.type(["status"])).stdout).toContain(waits);
    expect(await user.json("status")).toMatchObject({ memory: expect.stringContaining(waits) });
    expect((await user.type(["statusline"])).stdout).toContain("1 wait for the team");
    const places = requireDirectories(systemIn(user.project, { HOME: user.home }));
    const check = () => checkTeamMemory(systemIn(user.project, { HOME: user.home }), places);
    expect(check()).toMatchObject([{ status: "warn", message: expect.stringContaining(waits) }]);
    expect((await user.type(["memory", "sync", "--background"])).code).toBe(0);
    expect(stateOf(user)).toMatchObject({ failures: 2, waiting: 1 });
    writeFileSync(join(user.home, ".amplihack", "memory-sync.json"), "{}");
    expect(check()).toMatchObject([{ status: "pass" }]);
    configure(user, "postgres://ann:secret@127.0.0.1:1/agents");
    expect(check()).toMatchObject([{ status: "fail" }]);
    writeFileSync(join(user.home, ".amplihack", "config.jsonc"), "{}");
    expect(check()).toEqual([]);
  });

  it("is started by the command that stores, and by the hook's bridge, and sends in the background", async () => {
    const { url } = await freshDatabase();
    const user = newUser();
    configure(user, url);
    clone(user);
    await user.json("memory", "store", "a", "shared", "--share");
    const other = newUserInside();
    configure(other, url);
    const isThere = async (): Promise<boolean> => {
      await other.json("memory", "sync");
      return (await other.json<Shown>("memory", "list")).some(({ key }) => key === "a");
    };
    while (!(await isThere())) await new Promise(resolve => setTimeout(resolve, 50));
    await untilEnded(user);
    expect(stateOf(user)).toMatchObject({ failures: 0 });
  });

  it("never keeps the bridge of a hook from answering", async () => {
    const open = new Set<Socket>();
    const silent = createServer(socket => open.add(socket.on("error", () => {})));
    const port = await new Promise<number>(resolve =>
      silent.listen(0, "127.0.0.1", () => resolve((silent.address() as { port: number }).port)),
    );
    const user = newUser();
    configure(user, `postgres://ann@127.0.0.1:${port}/agents`);
    clone(user);
    const input = JSON.stringify({
      version: 1,
      action: "store",
      session_id: "s",
      transcript_path: null,
      content: "The payment tests need a sandbox to run.",
    });
    const answer = await user.type(["bridge", "store"], { input });
    expect(JSON.parse(answer.stdout)).toMatchObject({ stored: true });
    expect(stateOf(user)["attemptMs"]).toBeGreaterThan(0);
    while (open.size === 0) await new Promise(resolve => setTimeout(resolve, 20));
    silent.close();
    for (const socket of open) socket.destroy();
    await untilEnded(user);
    expect(stateOf(user)).toMatchObject({ failures: 1, waiting: 1 });
    expect(readFileSync(join(user.home, ".amplihack", "logs", "memory-sync.log"), "utf8")).toContain(
      "does not answer",
    );
  });
});
