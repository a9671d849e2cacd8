import type { Grammar } from "./generate.ts";

const LOSS = {
  sql: [
    "DROP TABLE «table»",
    "drop table if exists «table» cascade",
    "DROP DATABASE «base»",
    "DROP SCHEMA public CASCADE",
    "TRUNCATE «table»",
    "TRUNCATE TABLE «table» RESTART IDENTITY CASCADE",
    "DELETE FROM «table»",
    "delete from «table»;",
    "UPDATE «table» SET active = false",
    "ALTER TABLE «table» DROP COLUMN email",
    "BEGIN; DELETE FROM «table»; COMMIT",
  ],
  table: "users orders invoices accounts sessions public.events",
  base: "app shop analytics",
};

const URLS = {
  pg: "postgresql://app@db.internal/app postgres://u@10.0.0.5:5432/shop dbname=app",
  my: "mysql://root@db.internal/app mysql+pymysql://u@10.0.0.5/shop",
  file: "app.db data/shop.sqlite3 db.sqlite3 /srv/app/prod.db",
};

/** Code of drivers; `«sql»` is the statement. */
const DRIVERS = {
  py: [
    'import sqlite3; sqlite3.connect("«file»").execute("«sql»")',
    'import sqlite3\nc = sqlite3.connect("«file»")\nc.executescript("«sql»")\nc.commit()',
    'import sqlite3\nwith sqlite3.connect("«file»") as db:\n    cur = db.cursor()\n    cur.execute("""«sql»""")',
    'import psycopg2; c = psycopg2.connect("«pg»"); c.cursor().execute("«sql»"); c.commit()',
    'import psycopg\nwith psycopg.connect("«pg»", autocommit=True) as conn:\n    with conn.cursor() as cur:\n        cur.execute("«sql»")',
    'import pymysql; pymysql.connect(host="db.internal", user="root").cursor().execute("«sql»")',
    'import mysql.connector as m\ncn = m.connect(host="db.internal")\ncn.cursor().execute("«sql»")',
    'import asyncio, asyncpg\nasync def main():\n    conn = await asyncpg.connect("«pg»")\n    await conn.execute("«sql»")\nasyncio.run(main())',
    'from sqlalchemy import create_engine, text\nwith create_engine("«pg»").begin() as c:\n    c.execute(text("«sql»"))',
    'from sqlalchemy import *\ne = create_engine("«my»")\ne.execute("«sql»")',
    'import os, psycopg2\nconn = psycopg2.connect(os.environ["DATABASE_URL"])\ncur = conn.cursor()\nq = "«sql»"\ncur.execute(q)',
    'import duckdb; duckdb.connect("«file»").sql("«sql»")',
  ],
  js: [
    'const { Client } = require("pg"); const c = new Client("«pg»"); c.connect().then(() => c.query("«sql»"))',
    'const { Pool } = require("pg"); new Pool({ connectionString: "«pg»" }).query(`«sql»`)',
    'const db = require("better-sqlite3")("«file»"); db.exec("«sql»")',
    'const D = require("better-sqlite3"); new D("«file»").prepare("«sql»").run()',
    'require("mysql2").createConnection("«my»").query("«sql»")',
    'const mysql = require("mysql2/promise"); mysql.createConnection(process.env.DATABASE_URL).then(c => c.execute("«sql»"))',
    'const { PrismaClient } = require("@prisma/client"); new PrismaClient().$executeRawUnsafe("«sql»")',
    'const { PrismaClient } = require("@prisma/client"); const prisma = new PrismaClient(); prisma.$executeRaw`«sql»`.then(console.log)',
    'const knex = require("knex")({ client: "pg", connection: "«pg»" }); knex.raw("«sql»").then(() => process.exit())',
    'const { Sequelize } = require("sequelize"); new Sequelize("«pg»").query("«sql»")',
    'const s3 = require("sqlite3"); new s3.Database("«file»").run("«sql»")',
    'const { DatabaseSync } = require("node:sqlite"); new DatabaseSync("«file»").exec("«sql»")',
    'const postgres = require("postgres"); const sql = postgres("«pg»"); sql.unsafe("«sql»")',
  ],
  rb: [
    'require "pg"; PG.connect("«pg»").exec("«sql»")',
    'require "sqlite3"; SQLite3::Database.new("«file»").execute("«sql»")',
    'require "sequel"; Sequel.connect("«pg»").run("«sql»")',
    'require "mysql2"; Mysql2::Client.new(host: "db.internal").query("«sql»")',
    'require "active_record"; ActiveRecord::Base.establish_connection("«pg»"); ActiveRecord::Base.connection.execute("«sql»")',
  ],
  ph: [
    '(new PDO("sqlite:«file»"))->exec("«sql»");',
    '$p = new PDO("mysql:host=db.internal;dbname=app", "root"); $p->query("«sql»");',
    '$m = new mysqli("db.internal", "root", "", "app"); $m->query("«sql»");',
    'mysqli_query(mysqli_connect("db.internal"), "«sql»");',
    'pg_query(pg_connect("«pg»"), "«sql»");',
  ],
  pl: [
    'use DBI; DBI->connect("dbi:Pg:dbname=app")->do("«sql»")',
    'use DBI; my $d = DBI->connect("dbi:SQLite:«file»"); $d->do(q{«sql»});',
  ],
};

const STARTED = {
  python: ["python3 -c '«py»'", "python3 - <<'EOF'\n«py»\nEOF", "poetry run python -c '«py»'"],
  node: ["node -e '«js»'", "node <<'EOF'\n«js»\nEOF", "npx tsx -e '«js»'", "bun -e '«js»'"],
  ruby: ["ruby -e '«rb»'", "bundle exec ruby -e '«rb»'", "ruby <<'EOF'\n«rb»\nEOF"],
  php: ["php -r '«ph»'"],
  perl: ["perl -e '«pl»'"],
};

/** What drivers and object mappers do without SQL. */
const MAPPERS = [
  'python3 -c \'from pymongo import MongoClient; MongoClient("mongodb://db.internal").drop_database("«base»")\'',
  'python3 -c \'from pymongo import MongoClient; MongoClient("mongodb://db.internal")["«base»"].«table0».delete_many({})\'',
  "python3 -c 'from pymongo import MongoClient; MongoClient().«base».«table0».drop()'",
  "python3 -c 'import redis; redis.Redis(host=\"cache.internal\").flushall()'",
  "python3 -c 'import redis; r = redis.from_url(\"redis://cache.internal\"); r.flushdb()'",
  "python3 -c 'from app.models import Base, engine; Base.metadata.drop_all(engine)'",
  "python3 -c 'from app import db; db.drop_all()'",
  'node -e \'const m = require("mongoose"); m.connect("mongodb://db.internal/«base»").then(() => m.connection.dropDatabase())\'',
  'node -e \'const { MongoClient } = require("mongodb"); new MongoClient("mongodb://db.internal").db("«base»").collection("«table0»").deleteMany({})\'',
  "node -e 'const { PrismaClient } = require(\"@prisma/client\"); new PrismaClient().«model».deleteMany()'",
  "node -e 'const { PrismaClient } = require(\"@prisma/client\"); const p = new PrismaClient(); p.«model».deleteMany({}).then(console.log)'",
  'node -e \'const R = require("ioredis"); new R("redis://cache.internal").flushall()\'',
  'node -e \'const knex = require("knex")(require("./knexfile")); knex.schema.dropTableIfExists("«table0»")\'',
  "node -e 'require(\"./models\").sequelize.drop()'",
  "node -e 'require(\"./models\").sequelize.sync({ force: true })'",
  "ruby -e 'require \"./config/environment\"; «Model».delete_all'",
  "ruby -e 'require \"./config/environment\"; «Model».destroy_all'",
];

export const dangerousSql: Grammar = {
  form: ["«python»", "«node»", "«ruby»", "«php»", "«perl»", "«python»", "«node»", "«mapper»"],
  ...LOSS,
  ...URLS,
  ...DRIVERS,
  ...STARTED,
  mapper: MAPPERS,
  table0: "users orders invoices events",
  model: "user order invoice account",
  Model: "User Order Invoice Account",
};

export const ordinarySql: Grammar = {
  form: ["«python»", "«node»", "«ruby»", "«php»", "«perl»", "«python»", "«node»", "«other»"],
  ...URLS,
  ...DRIVERS,
  ...STARTED,
  table: LOSS.table,
  sql: [
    "SELECT * FROM «table» LIMIT «n»",
    "select count(*) from «table»",
    "SELECT name FROM sqlite_master WHERE name = «n»",
    "INSERT INTO «table» (id) VALUES («n»)",
    "UPDATE «table» SET active = false WHERE id = «n»",
    "DELETE FROM «table» WHERE id = «n»",
    "CREATE TABLE IF NOT EXISTS «table» (id int)",
    "CREATE INDEX ix_«n» ON «table» (id)",
    "ALTER TABLE «table» ADD COLUMN c«n» text",
    "EXPLAIN SELECT * FROM «table»",
    "BEGIN; UPDATE «table» SET n = n + 1 WHERE id = «n»; COMMIT",
    "SELECT id AS deleted, truncated FROM «table»",
  ],
  n: "1 2 7 10 42",
  other: [
    'python3 -c \'import sqlite3; c = sqlite3.connect(":memory:"); c.execute("CREATE TABLE t (a)"); c.execute("DROP TABLE t")\'',
    'python3 -c \'import sqlite3; sqlite3.connect("/tmp/«n».db").execute("DELETE FROM «table0»")\'',
    'node -e \'const db = require("better-sqlite3")(":memory:"); db.exec("CREATE TABLE «table0» (a); DROP TABLE «table0»")\'',
    "python3 -c 'print(\"DROP TABLE «table»\")'",
    "node -e 'console.log(\"TRUNCATE «table»\".toLowerCase())'",
    "python3 -c 'from pymongo import MongoClient; print(MongoClient().app.«table0».count_documents({}))'",
    "python3 -c 'from pymongo import MongoClient; MongoClient().app.«table0».delete_many({\"id\": «n»})'",
    "python3 -c 'import redis; print(redis.Redis().get(\"key:«n»\"))'",
    "python3 -c 'import redis; redis.Redis().delete(\"key:«n»\")'",
    "node -e 'const { PrismaClient } = require(\"@prisma/client\"); new PrismaClient().«model».findMany().then(console.log)'",
    "node -e 'const { PrismaClient } = require(\"@prisma/client\"); new PrismaClient().«model».deleteMany({ where: { id: «n» } })'",
    "ruby -e 'require \"./config/environment\"; puts «Model».count'",
    "ruby -e 'require \"./config/environment\"; «Model».where(id: «n»).delete_all'",
    "python3 -c 'from app.models import Base, engine; Base.metadata.create_all(engine)'",
    "node -e 'require(\"./models\").sequelize.sync()'",
    "node -e 'new Map([[«n», 1]]).delete(«n»); new Set([1]).clear()'",
    'python3 -c \'import pandas as pd; df = pd.read_csv("d.csv"); df.drop(columns=["c«n»"]); print(df.drop_duplicates())\'',
  ],
  table0: "users orders invoices events",
  model: "user order invoice account",
  Model: "User Order Invoice Account",
};
