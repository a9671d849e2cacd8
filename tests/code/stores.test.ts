import { describe, expect, it } from "vitest";
import { readMongo } from "../../src/code/languages/mongo.ts";
import { readRedis } from "../../src/code/languages/redis.ts";
import { text } from "../../src/shell/value.ts";

describe("mongosh code", () => {
  const lossesOf = (code: string): string[] =>
    readMongo(text(code)).losses.map(({ kind, target }) => `${kind} ${target}`);

  it.each<[string, string[]]>([
    ["db.dropDatabase()", ["database db"]],
    ["db.users.drop()", ["collection db.users"]],
    ["db.getCollection('x').drop()", ["collection db.getCollection()"]],
    ["db['x'].remove({})", ["documents db.x"]],
    ["db.users.deleteMany({})", ["documents db.users"]],
    ["db.users.deleteMany()", ["documents db.users"]],
    ["const c = db.users; c.drop()", ["collection db.users"]],
    ["db.getSiblingDB('p').dropDatabase()", ["database db.getSiblingDB()"]],
    ["db.runCommand({ dropDatabase: 1 })", ["database db"]],
    ["['a', 'b'].forEach(n => db[n].drop())", ["collection db.a", "collection db.b"]],
    ["const f = {}; db.users.remove(f)", ["documents db.users"]],
    ["eval('db.users.drop()'); db.a.drop()", ["collection db.a"]],
  ])("%j destroys", (code, losses) => {
    expect(lossesOf(code)).toEqual(losses);
  });

  it.each([
    "db.users.find({})",
    "db.users.deleteMany({ a: 1 })",
    "db.users.remove({ _id: 1 })",
    "print('db.dropDatabase()')",
    "// db.dropDatabase()\ndb.users.find()",
    "[1].remove({})",
    "const filter = { a: 1 }; db.users.deleteMany(filter)",
    "db.users.countDocuments({})",
    "db.runCommand({ ping: 1 })",
    "db.log.insertOne({ cmd: 'db.users.drop()' })",
  ])("%j destroys nothing", code => {
    expect(lossesOf(code)).toEqual([]);
  });
});

describe("redis commands", () => {
  const namesOf = (code: string): string[] => readRedis(text(code)).commands.map(({ name }) => name);

  it("are read line by line, whatever the case", () => {
    expect(namesOf("flushall\nget a\n\nFlushDB async")).toEqual(["FLUSHALL", "GET", "FLUSHDB"]);
  });

  it("keep quoted words together", () => {
    expect(readRedis(text('SET a "flushall \\"x\\"" \'b c\'')).commands[0]?.arguments).toEqual([
      "a",
      'flushall "x"',
      "b c",
    ]);
  });

  it("are found in scripts", () => {
    expect(namesOf("EVAL \"return redis.call('flushall')\" 0")).toEqual(["EVAL", "FLUSHALL"]);
    expect(namesOf("EVAL \"return 'flushall'\" 0")).toEqual(["EVAL"]);
  });
});
