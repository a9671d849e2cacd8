import { describe, expect, it } from "vitest";
import {
  describeAddress,
  findDatabaseUrl,
  readDatabaseUrl,
  unencryptedNotice,
} from "../../src/postgres/url.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

describe("the address of a database", () => {
  it.each([
    ["postgres://", { host: undefined, database: undefined, user: undefined, tls: "disable" }],
    ["postgres:///notes", { host: undefined, database: "notes", tls: "disable" }],
    [
      "postgres://ann@/notes?host=/run/pg",
      { host: "/run/pg", user: "ann", database: "notes", tls: "disable" },
    ],
    ["postgresql://ann@localhost:5433/notes", { host: "localhost", port: 5433, tls: "disable" }],
    ["postgres://ann@[::1]/notes", { host: "::1", tls: "disable" }],
    ["postgres://ann@db.example/notes", { host: "db.example", tls: "verify-full", port: undefined }],
    [
      "postgres://db.example/n?sslmode=require&sslrootcert=/ca.pem",
      { tls: "require", rootCertificate: "/ca.pem" },
    ],
    ["postgres://a%40b@db.example/n%20m", { user: "a@b", database: "n m" }],
  ])("is read from %s", (text, expected) => {
    expect(readDatabaseUrl(text, "option")).toMatchObject(expected);
  });

  it.each([
    ["mysql://db/notes", /must begin with postgres/],
    ["db/notes", /must begin with postgres/],
    ["postgres://db:x/notes", /not a URL/],
    ["postgres://db/notes?sslmode=maybe", /sslmode must be one of/],
    ["postgres://db/notes?options=-c", /parameter options/],
    ["postgres:///notes?port=70000", /port/],
    ["postgres://db/%zz", /hexadecimal/],
    ["postgres://db/notes?=x", /another parameter; known are/],
    ["postgres://ann:12?hunter2@db.example/notes", /an @ or a # after its host/],
    ["postgres://ann:12/hunter2@db.example/notes", /an @ or a # after its host/],
    ["postgres://ann:12#hunter2@db.example/notes", /an @ or a # after its host/],
    ["postgres://ann:h#unter2@db.example/notes", /not a URL/],
  ])("is refused as %s", (text, why) => {
    expect(() => readDatabaseUrl(text, "option")).toThrow(why);
    expect(() => readDatabaseUrl(text, "option")).not.toThrow(/hunter|unter2/);
  });

  it("that leads elsewhere without encryption is told of", () => {
    const notice = (text: string) => unencryptedNotice(readDatabaseUrl(text, "option"));
    for (const query of ["", "?sslmode=require"])
      expect(notice(`postgres://db.example/x${query}`)).toBe(undefined);
    for (const host of ["", "localhost", "127.0.0.1"])
      expect(notice(`postgres://${host}/x?sslmode=disable`)).toBe(undefined);
    for (const url of [
      "postgres://db.example/x?sslmode=disable",
      "postgres://127.0.0.1.db.example/x?sslmode=disable",
      "postgres:///x?host=db.example&sslmode=disable",
    ])
      expect(notice(url)).toContain("db.example is reached without encryption");
  });

  it("holds a password only where others do not read it, and is never quoted with it", () => {
    const text = "postgres://ann:hunter2@db.example/notes";
    for (const origin of ["option", "configuration"] as const) {
      expect(() => readDatabaseUrl(text, origin)).toThrow(/holds a password/);
      expect(() => readDatabaseUrl(text, origin)).not.toThrow(/hunter2/);
    }
    const address = readDatabaseUrl(text, "environment");
    expect(address.password).toBe("hunter2");
    expect(describeAddress(address)).toBe("notes on db.example");
  });

  it("comes from the option, else the configuration, else the environment", () => {
    const system = createMemorySystem({ env: { AMPLIHACK_DATABASE_URL: "postgres:///third" } });
    const nobody = createMemorySystem({ env: {} });
    const option = "--url URL";
    const memory = { url: "postgres:///second" };
    expect(findDatabaseUrl(system, { option, given: "postgres:///first", memory }).database).toBe("first");
    expect(findDatabaseUrl(system, { option, given: "", memory }).database).toBe("second");
    expect(findDatabaseUrl(system, { option, given: undefined }).database).toBe("third");
    expect(() => findDatabaseUrl(nobody, { option, given: undefined })).toThrow(
      expect.objectContaining({
        message: "no database is named",
        exitCode: 2,
        fix: expect.stringMatching(/^give --url URL, .* or set AMPLIHACK_DATABASE_URL$/),
      }),
    );
    expect(() => findDatabaseUrl(nobody, { option, given: "", memory: { url: undefined } })).toThrow(
      expect.objectContaining({ fix: expect.stringContaining("memory.url or AMPLIHACK_DATABASE_URL") }),
    );
  });

  it("is called the same with and without the usual port", () => {
    const place = (url: string) => describeAddress(readDatabaseUrl(url, "option"));
    expect(place("postgres://db.example:5432/agents")).toBe(place("postgres://ann@db.example/agents"));
    expect(place("postgres://db.example:5433/agents")).toBe("agents on db.example:5433");
    expect(place("postgres:///a%0a%1b[2J?host=/run/pg")).toBe("a\\n\\u001b[2J on /run/pg");
  });
});
