import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Memory } from "../../src/memory/memory.ts";
import { openTeamDatabase } from "../../src/memory/open-postgres-store.ts";
import { openStore } from "../../src/memory/sqlite-store.ts";
import type { Database, Row } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { AMPLIHACK } from "../commands/run-command.ts";
import { NODE_PROGRAM, type Ran, runProgram } from "../hooks/executable.ts";
import { ADMINISTRATOR, startPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Machine, NETWORK, openNetwork } from "./network.ts";

export const TEAM = "crew";
export const PROJECT = "github.com/acme/pay";
const system = createNodeSystem();

/** One person's machine: a home, a checkout of the project, and a way to the server that can be cut. */
export interface Member {
  readonly machine: Machine;
  readonly home: string;
  readonly url: string;
  type(...words: readonly string[]): Promise<Ran>;
  /** as `type`, and goes on beside the test */
  start(...words: readonly string[]): {
    said(): string;
    isOver(): boolean;
    readonly ended: Promise<void>;
  };
  hook(name: string, input: object): Promise<Ran>;
  list(): Promise<readonly Memory[]>;
}

export interface TeamNetwork {
  /** of the server */
  readonly address: string;
  /** for the administrator, over the network */
  readonly keeperUrl: string;
  /** over the server's socket, which no cut reaches */
  readonly database: Database;
  readonly members: readonly Member[];
  /** what the team's database holds, by name */
  memories(): Promise<readonly Row[]>;
}

/** A server with a team, and a machine for each of these members, all on one network. */
export async function openTeamNetwork(...names: readonly string[]): Promise<TeamNetwork> {
  const { server: place, machines } = await openNetwork(names.length);
  const server = await startPostgres({ network: { ...place, from: NETWORK } });
  onTestFinished(() => server.stop());
  const database = await openTeamDatabase({ address: readDatabaseUrl(server.url(), "option"), team: TEAM });
  onTestFinished(() => database.close());
  for (const name of names) {
    await database.run(`CREATE ROLE ${name} LOGIN`);
    await database.run("SELECT amplihack.add_member($1, $2)", [TEAM, name]);
  }
  const urlOf = (user: string): string => `postgres://${user}@${place.address}/postgres?sslmode=disable`;
  const members = machines.map((machine, index) => openMember(machine, urlOf(names[index] ?? "")));
  const memories = () => database.run("SELECT * FROM amplihack.memories ORDER BY agent, session, key");
  return { address: place.address, keeperUrl: urlOf(ADMINISTRATOR), database, members, memories };
}

function openMember(machine: Machine, url: string): Member {
  const home = temporaryDirectory();
  const cwd = join(home, "project");
  const stateHome = join(home, ".amplihack");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  mkdirSync(stateHome);
  writeFileSync(join(stateHome, "config.jsonc"), JSON.stringify({ memory: { url, team: TEAM } }));
  const env = { AMPLIHACK_PROJECT_ID: PROJECT, LC_ALL: "C.UTF-8" };
  const run = (program: readonly string[], words: readonly string[], input = ""): Promise<Ran> =>
    runProgram([...machine.enter, ...program], words, { home, cwd, input, env });
  return {
    machine,
    home,
    url,
    type: (...words) => run(AMPLIHACK, words),
    start(...words) {
      const [program, ...before] = machine.enter;
      const child = spawn(program, [...before, ...AMPLIHACK, ...words], {
        cwd,
        env: { PATH: process.env["PATH"], HOME: home, ...env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.on("data", chunk => {
        said += String(chunk);
      });
      const ended = new Promise<void>(resolve => child.once("close", () => resolve()));
      return { said: () => said, isOver: () => child.exitCode !== null, ended };
    },
    hook: (name, input) => run(NODE_PROGRAM, [name], JSON.stringify({ cwd, ...input })),
    async list() {
      const store = await openStore(system, join(stateHome, "memory.db"));
      const memories = await store.list({}, "name");
      store.close();
      return memories;
    },
  };
}
