import type { RuleTable, RuleText } from "../rule.ts";

const rule = (title: string, when: string, safer: string): RuleText => ({
  title,
  verdict: "ask",
  when: `${when} A name that means production makes it a denial.`,
  lost: "It would {what}, and the data is gone: {target}.",
  person: "Only a backup of the database can bring it back.",
  model: "Look at what is there first, and limit it to the rows or objects that are meant.",
  safer,
});

export const DATABASES = {
  "db.drop": rule(
    "drops database objects",
    "DROP of a database, schema, table or user, dropdb, mysqladmin drop, dropDatabase.",
    "mongosh --eval 'db.stats()'",
  ),
  "db.delete": rule("deletes all rows", "TRUNCATE, or DELETE or UPDATE without WHERE.", "psql -c '\\dt'"),
  "db.alter": rule("drops a column", "ALTER … DROP COLUMN.", "{tool} --help"),
  "db.flush": rule(
    "empties a store",
    "FLUSHALL, FLUSHDB or DEBUG of Redis and programs like it.",
    "redis-cli DBSIZE",
  ),
  "db.index": rule(
    "deletes an index",
    "A DELETE on an index of Elasticsearch or OpenSearch.",
    "curl -s {target}/_count",
  ),
  "db.reset": rule("empties a database", "Resets and rollbacks of migration tools.", "{tool} --help"),
} satisfies RuleTable;
