import { expect, it } from "vitest";
import type { Database, SqlValue } from "../../../src/postgres/database.ts";
import { Interruption } from "../../../src/recipes/run/interruption.ts";
import type { Dbos } from "../../../src/recipes/workers/dbos.ts";
import { Journal } from "../../../src/recipes/workers/journal.ts";
import { runSubmitted } from "../../../src/recipes/workers/run-submitted.ts";
import { systemIn } from "../../install/sandbox.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

it("keeps the worker's way into the database from its steps", async () => {
  const folder = temporaryDirectory();
  const system = systemIn(folder, {
    HOME: folder,
    PATH: process.env["PATH"] ?? "",
    AMPLIHACK_DATABASE_URL: "postgres://ci:sesame@db.example/agents",
    PGPASSWORD: "sesame",
    PGUSER: "ci",
  });
  const written: SqlValue[] = [];
  const database = {
    run: async (_: string, values: readonly SqlValue[] = []) => {
      written.push(...values);
      return [];
    },
  } as unknown as Database;
  const dbos = { DBOS: { runStep: (step: () => Promise<unknown>) => step() } } as unknown as Dbos;
  const steps = [{ id: "look", command: "env; printenv PGUSER > user" }];
  const input = {
    files: [{ name: "r.yaml", text: JSON.stringify({ name: "r", steps }) }],
    context: {},
  };
  const result = await runSubmitted(
    { system, database, worker: "w", workingDir: folder, logsOutput: true, launcher: ["true"] },
    { runId: "5f0c", input, interruption: new Interruption() },
    await Journal.open(dbos, [], () => {}),
  );
  expect(result).toMatchObject({ exit_code: 0 });
  const all = JSON.stringify([result, written]);
  expect(all).toContain("PGUSER=ci");
  expect(all).not.toMatch(/sesame|PGPASSWORD|AMPLIHACK_DATABASE_URL/);
});
