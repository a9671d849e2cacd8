import type { Rule } from "../rule.ts";
import type { Pack } from "../rule-context.ts";
import { reportOperation } from "./operations.ts";

const rule = (id: string, title: string, when: string, safer: string): Rule => ({
  id,
  title,
  verdict: "ask",
  when: `${when} A name that means production makes it a denial.`,
  lost: "It would {what}, and the data is gone: {target}.",
  safer,
});

const RULES: readonly Rule[] = [
  rule(
    "db.drop",
    "drops database objects",
    "DROP of a database, schema, table or user, dropdb, mysqladmin drop, dropDatabase.",
    "mongosh --eval 'db.stats()'",
  ),
  rule("db.delete", "deletes all rows", "TRUNCATE, or DELETE or UPDATE without WHERE.", "psql -c '\\dt'"),
  rule("db.alter", "drops a column", "ALTER … DROP COLUMN.", "{tool} --help"),
  rule("db.flush", "empties a store", "FLUSHALL, FLUSHDB, DEBUG of redis and its kin.", "redis-cli DBSIZE"),
  rule(
    "db.index",
    "deletes an index",
    "A DELETE on an index of Elasticsearch or OpenSearch.",
    "curl -s {target}/_count",
  ),
  rule("db.reset", "empties a database", "Resets and rollbacks of migration tools.", "{tool} --help"),
];

export const databases: Pack = {
  name: "databases",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "operation" && effect.rule.startsWith("db.")) reportOperation(effect, context, true);
  },
};
