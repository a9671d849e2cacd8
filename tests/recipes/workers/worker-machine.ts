import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Database, type Row } from "../../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { openConnection, prepareTables } from "../../../src/recipes/workers/connection.ts";
import { DBOS_SCHEMA } from "../../../src/recipes/workers/dbos.ts";
import { enqueueRun, packRun } from "../../../src/recipes/workers/submit.ts";
import { AMPLIHACK, newUserInside, type User } from "../../commands/run-command.ts";
import { systemIn } from "../../install/sandbox.ts";
import { ADMINISTRATOR, freshDatabase, type PostgresServer } from "../../postgres-server.ts";

/** A machine may be busy with other things: conditions are waited for, times are not measured. */
const PATIENCE = { timeout: 200_000, interval: 50 } as const;

export interface RunRow {
  readonly run_id: string;
  readonly state: string;
  readonly worker: string | null;
  readonly attempts: number;
  readonly exit_code: number | null;
  readonly steps: readonly { readonly path: string; readonly status: string }[];
}

export interface WorkerProcess {
  readonly name: string;
  readonly process: ChildProcess;
  /** all it has said */
  said(): string;
  /** as the kernel does, at once */
  kill(): void;
  /** asks it to stop; gives its exit code */
  stop(): Promise<number | null>;
  ended(): Promise<number | null>;
}

export interface WorkerDatabase {
  readonly server: PostgresServer;
  readonly name: string;
  readonly url: string;
}

/** A database of its own, a person who submits, and any number of workers, which are processes of the built program. */
export interface WorkerMachine {
  readonly user: User;
  readonly server: PostgresServer;
  readonly database: Database;
  readonly databaseName: string;
  write(name: string, content: string): void;
  submit(...words: readonly string[]): Promise<string>;
  /** the same recipe many times, with the variable `n` from 0 on */
  submitMany(count: number, recipe: string): Promise<readonly string[]>;
  type(...words: readonly string[]): ReturnType<User["type"]>;
  runs(): Promise<readonly RunRow[]>;
  run(id: string): Promise<RunRow>;
  startWorker(name: string, ...words: readonly string[]): Promise<WorkerProcess>;
  /** a worker that reaches the server over a line that can fall silent */
  startBehind(line: Line, name: string): Promise<WorkerProcess>;
  /** a worker on a network of its own */
  startIn(
    enter: readonly string[],
    url: string,
    name: string,
    ...words: readonly string[]
  ): Promise<WorkerProcess>;
  /** lines that steps have written to a file of the project */
  lines(file: string): readonly string[];
  /** names of the records of a run, in order */
  records(id: string): Promise<readonly string[]>;
  until<T>(look: () => T | Promise<T>, wanted: (value: T) => boolean): Promise<T>;
  /** as `startWorker`, when it has said something like this */
  startUntil(name: string, said: RegExp, ...words: readonly string[]): Promise<WorkerProcess>;
}

/** On a fresh database unless one is given. */
export async function workerMachine(given?: WorkerDatabase): Promise<WorkerMachine> {
  const { server, url, name: databaseName } = given ?? (await freshDatabase());
  const user = newUserInside();
  const env = { AMPLIHACK_DATABASE_URL: url };
  const database = await Database.open(readDatabaseUrl(url, "option"));
  onTestFinished(() => database.close());
  const type: WorkerMachine["type"] = (...words) => user.type(words, { env });
  const json = async <T>(...words: readonly string[]): Promise<T> => {
    const ran = await type(...words, "--json");
    expect(ran).toMatchObject({ code: 0 });
    return JSON.parse(ran.stdout) as T;
  };
  return {
    user,
    server,
    database,
    databaseName,
    type,
    write: (name, content) => writeFileSync(join(user.project, name), content),
    async submit(...words) {
      const { run_id } = await json<{ run_id: string }>("recipe", "submit", ...words, "--url");
      return run_id;
    },
    async submitMany(count, recipe) {
      const address = readDatabaseUrl(url, "option");
      const connection = await openConnection(address);
      const system = systemIn(user.project, { HOME: user.home });
      try {
        await prepareTables(connection);
        const ids: string[] = [];
        for (let n = 0; n < count; n++) {
          const packed = packRun(system, { recipe, context: { n } });
          ids.push(await enqueueRun(connection, "default", packed));
        }
        return ids;
      } finally {
        await connection.close();
      }
    },
    runs: () => json("recipe", "runs", "--limit", "1000", "--url"),
    run: id => json("recipe", "runs", id, "--url"),
    startWorker: (name, ...words) => startWorker(user, url, name, words),
    startUntil: (name, said, ...words) => startWorker(user, url, name, words, [], said),
    startBehind: (line, name) => startWorker(user, line.url(databaseName), name, []),
    startIn: (enter, address, name, ...words) => startWorker(user, address, name, words, enter),
    lines(file) {
      const path = join(user.project, file);
      return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
    },
    async records(id) {
      const rows = await database.run(
        `SELECT function_name FROM ${DBOS_SCHEMA}.operation_outputs WHERE workflow_uuid = $1 ORDER BY function_id`,
        [id],
      );
      return rows.map(({ function_name: name }) => String(name));
    },
    until,
  };
}

async function until<T>(look: () => T | Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  let last: T | undefined;
  await expect
    .poll(async () => {
      last = await look();
      return wanted(last);
    }, PATIENCE)
    .toBe(true);
  return last as T;
}

async function startWorker(
  user: User,
  url: string,
  name: string,
  words: readonly string[],
  enter: readonly string[] = [],
  begun = /waits for runs/,
): Promise<WorkerProcess> {
  const [program = "", ...first] = [...enter, ...AMPLIHACK];
  const own = ["recipe", "worker", "--url", "--name", name, "--take-over-after", "1", ...words];
  // A home of its own, as on a machine of its own.
  const home = join(user.home, `home-of-${name}`);
  mkdirSync(home, { recursive: true });
  const worker = spawn(program, [...first, ...own], {
    cwd: user.project,
    env: { PATH: process.env["PATH"], HOME: home, AMPLIHACK_DATABASE_URL: url, LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  worker.stderr?.on("data", chunk => {
    text += String(chunk);
  });
  let isClosed = false;
  const exit = new Promise<number | null>(resolve =>
    worker.once("close", code => {
      isClosed = true;
      resolve(code);
    }),
  );
  onTestFinished(async () => {
    worker.kill("SIGKILL");
    await exit;
  });
  await until(
    () => text,
    said => {
      if (begun.test(said)) return true;
      if (isClosed) throw new Error(`the worker ended: ${said}`);
      return false;
    },
  );
  return {
    name,
    process: worker,
    said: () => text,
    kill: () => void worker.kill("SIGKILL"),
    async stop() {
      worker.kill("SIGTERM");
      return exit;
    },
    ended: () => exit,
  };
}

export interface Line {
  url(database: string): string;
  /** Nothing comes through any more, and nobody is told. */
  silence(): void;
  /** The server learns that the other side is gone. */
  cut(): void;
}

/** Between a worker and the server's socket. */
export async function openLine({ folder }: PostgresServer): Promise<Line> {
  const pairs: (readonly [Socket, Socket])[] = [];
  const entry = createServer(near => {
    const far = connect(join(folder, ".s.PGSQL.5432"));
    pairs.push([near, far]);
    for (const end of [near, far]) end.on("error", () => {});
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>(resolve => {
    entry.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const end of pairs.flat()) end.destroy();
    entry.close();
  });
  const { port } = entry.address() as AddressInfo;
  return {
    url: database => `postgres://${ADMINISTRATOR}@127.0.0.1:${port}/${database}`,
    silence() {
      for (const end of pairs.flat()) end.unpipe().pause();
    },
    cut() {
      for (const [, far] of pairs) far.destroy();
    },
  };
}

/** Ends the connections of a worker from the server's side, as a network that breaks would. */
export async function cutOff(database: Database, worker: string): Promise<readonly Row[]> {
  return database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`, [
    `amplihack worker ${worker}`,
  ]);
}
