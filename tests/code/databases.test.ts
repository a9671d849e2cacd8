import { describe, expect, it } from "vitest";
import type { Language } from "../../src/shell/facts.ts";
import { effectsOf } from "./reading.ts";

type Case = readonly [language: Language, code: string, calls: readonly string[]];

const STATEMENTS: readonly Case[] = [
  ["javascript", "db.exec('DELETE FROM t')", ["sql DELETE FROM t"]],
  [
    "javascript",
    "require('better-sqlite3')('a.db').prepare('DROP TABLE t').run()",
    ["sql DROP TABLE t (in a.db)"],
  ],
  ["javascript", "require('better-sqlite3')(':memory:').exec('DROP TABLE t')", []],
  ["javascript", "prisma.$executeRaw`TRUNCATE t`", ["sql TRUNCATE t"]],
  [
    "python",
    "import sqlite3\nsqlite3.connect('a.db').cursor().execute('DROP TABLE t')",
    ["sql DROP TABLE t (in a.db)"],
  ],
  ["python", "conn.execute(text('SELECT 1'))", ["sql SELECT 1"]],
  ["python", "conn.execute(query)", []],
  ["ruby", "PG.connect.exec('TRUNCATE t')", ["sql TRUNCATE t"]],
  ["php", "$db = new PDO('sqlite:a.db'); $db->exec('DROP TABLE t');", ["sql DROP TABLE t (in a.db)"]],
  ["php", "mysqli_query($link, 'DELETE FROM t');", ["sql DELETE FROM t"]],
  ["perl", "DBI->connect('dbi:Pg:')->do('DELETE FROM t')", ["sql DELETE FROM t"]],
];

const MAPPERS: readonly Case[] = [
  ["python", "User.objects.all().delete()", ["db.delete User.objects.all().delete"]],
  ["python", "User.objects.filter().delete()", ["db.delete User.objects.delete"]],
  ["python", "User.objects.filter(id=7).delete()", []],
  ["python", "db.users.delete_many({})", ["db.delete db.users.delete_many"]],
  ["python", "db.users.delete_many({'id': 7})", []],
  ["python", "db.users.drop()", ["db.drop db.users.drop"]],
  ["python", "frame.drop(columns=['a'])", []],
  ["javascript", "prisma.user.deleteMany()", ["db.delete prisma.user.deleteMany"]],
  ["javascript", "prisma.user.deleteMany({ where: { id: 7 } })", []],
  ["javascript", "sequelize.sync({ force: true })", ["db.drop sequelize.sync"]],
  ["javascript", "sequelize.sync()", []],
  ["ruby", "User.delete_all", ["db.delete User.delete_all"]],
  ["ruby", "User.where(id: 7).delete_all", []],
  ["ruby", "Post.find_each { |post| post.destroy! }", ["db.delete Post[].destroy!"]],
  ["php", "User::truncate();", ["db.delete user.truncate"]],
];

const ENDLESS: readonly Case[] = [
  ["python", "import os\nwhile True: os.fork()", ["sys.forkbomb os.fork"]],
  ["python", "import os\nwhile True:\n    os.fork()\n    os.wait()", []],
  ["python", "import os\nif ready: os.fork()", []],
  ["perl", "fork while fork", ["sys.forkbomb fork"]],
  ["perl", "my $pid = fork; waitpid($pid, 0)", []],
  ["ruby", "loop { fork { sleep } }", ["sys.forkbomb fork"]],
  ["ruby", "loop { fork { work }; sleep 1 }", []],
  ["php", "while (1) pcntl_fork();", ["sys.forkbomb pcntl_fork"]],
];

describe("code that speaks to a database", () => {
  it.each(STATEMENTS)("%s %j", (language, code, calls) => {
    expect(effectsOf(language, code)).toEqual(calls);
  });
});

describe("object mappers", () => {
  it.each(MAPPERS)("%s %j", (language, code, calls) => {
    expect(effectsOf(language, code)).toEqual(calls);
  });
});

describe("loops without end that start processes", () => {
  it.each(ENDLESS)("%s %j", (language, code, calls) => {
    expect(effectsOf(language, code)).toEqual(calls);
  });
});
