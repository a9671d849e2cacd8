import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freshDatabase, hasPostgres } from "../postgres-server.ts";
import { logsIn, writeLines } from "../ship/logs.ts";
import { answer, startReceiver } from "../ship/receiver.ts";
import { newUserInside, type User } from "./run-command.ts";

function userWith(lines: number): User {
  const user = newUserInside();
  writeLines(join(user.home, ".amplihack"), lines);
  return user;
}

describe("amplihack ship --once", () => {
  it("sends what is new, with the headers and attributes of the environment, and ends", async () => {
    const user = userWith(2);
    const receiver = await startReceiver();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc",
      OTEL_RESOURCE_ATTRIBUTES: "team=blue,user.name=eve",
    };
    const { code, stdout } = await user.type(["ship", "--once"], { env });
    expect([code, stdout]).toEqual([0, "4 lines sent\n"]);
    expect(receiver.received[0]).toMatchObject({
      path: "/base/v1/logs",
      headers: { authorization: "Bearer abc" },
    });
    expect(JSON.stringify(receiver.received[0]?.document)).toMatch(
      /"key":"team","value":\{"stringValue":"blue"\}/,
    );
    const again = await user.type(["ship", "--once", "--json"], { env });
    expect(JSON.parse(again.stdout)).toEqual({ success: true, sent: 0 });
  });

  it("appends documents of the Elastic Common Schema for a SIEM, with rules, once and never behind half a line", async () => {
    const user = userWith(2);
    const file = join(user.home, "siem.ndjson");
    const ship = () => user.type(["ship", "--once", "--to", `ecs=${file}`]);
    writeFileSync(file, '{"half":');
    expect(await ship()).toMatchObject({ code: 0, stdout: "4 lines sent\n" });
    expect(await ship()).toMatchObject({ code: 0, stdout: "0 lines sent\n" });
    const [half, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(half).toBe('{"half":');
    const documents = lines.map(line => JSON.parse(line));
    expect(new Set(documents.map(({ event }) => event.id)).size).toBe(4);
    expect(documents.map(({ event }) => event.action).toSorted()).toEqual([
      "guard.verdict",
      "guard.verdict",
      "hook.run",
      "hook.run",
    ]);
    const verdict = documents.find(({ event }) => event.action === "guard.verdict");
    const [audit = ""] = readFileSync(logsIn(join(user.home, ".amplihack")).audit, "utf8").split("\n");
    expect(verdict).toMatchObject({
      "@timestamp": JSON.parse(audit).ts,
      ecs: { version: "8.11.0" },
      event: { kind: "event", provider: "amplihack" },
      rule: { name: JSON.parse(audit).rules },
    });
    expect(verdict.rule.name).not.toEqual([]);
    expect(JSON.stringify(documents)).not.toContain(user.home);
    expect((await user.type(["ship", "--once", "--to", "ecs=/proc/none/x"])).code).toBe(1);
  });

  it("fails with 1 when the receiver refuses", async () => {
    const user = userWith(1);
    const receiver = await startReceiver();
    receiver.answers.push(answer(401));
    const { code, stderr } = await user.type(["ship", "--once", "--to", `otlp=${receiver.url}`]);
    expect(code).toBe(1);
    expect(stderr).toContain("answered 401");
    expect(logsIn(join(user.home, ".amplihack")).audit).toContain(user.home);
  });

  it.each([
    [[], "say where to"],
    [["--to", "http://x"], "must be otlp=URL"],
    [["--to", "otlp=ftp://x"], "must be otlp=URL"],
    [["--to", "otlp=http://me:secret@x"], "no password"],
    [["--to", "otlp=http://localhost:1", "--team", "acme"], "--team is for --to postgres=URL"],
    [["--to", "ecs=siem.ndjson"], "by its whole path"],
    [["--to", "postgres"], "no database is named"],
    [["--to", "postgres="], "no database is named"],
    [["--to", "postgres=http://x"], "must begin with postgres://"],
    [["--to", "postgres=postgres://me:secret@x/y"], "it holds a password"],
    [["--to", "postgres=postgres://me:12/secret@x/y"], "an @ or a # after its host"],
    [["--to", "postgres=postgres:///x", "--team", ""], "--team must name a team"],
    [["--to", "postgres=postgres:///x", "--team", "a\n"], "--team must name a team"],
    [["--to", "postgres=postgres:///x", "--team", "a b"], "--team must name a team"],
    [
      ["--to", "postgres=postgres:///x", "--timeout", "99999999"],
      "--timeout must be a number from 1 to 86400",
    ],
    [["--to", "otlp=http://localhost:1", "--interval", "9999999"], "--interval must be a number from 1 to"],
  ])("refuses %j", async (words, message) => {
    const { code, stderr } = await userWith(0).type(["ship", "--once", ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
  });
});

describe.skipIf(!hasPostgres)("amplihack ship --once --to postgres", () => {
  it("takes the database of the environment", async () => {
    const user = userWith(2);
    const { url } = await freshDatabase();
    const env = { AMPLIHACK_DATABASE_URL: url };
    const words = ["ship", "--once", "--to", "postgres", "--team", "acme"];
    expect(await user.type(words, { env })).toMatchObject({ code: 0, stdout: "4 lines sent\n" });
    const again = await user.type([...words, "--json"], { env });
    expect(JSON.parse(again.stdout)).toEqual({ success: true, sent: 0 });
  });
});
