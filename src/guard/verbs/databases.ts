import type { OperationRule } from "../effects.ts";
import { words } from "../words.ts";
import type { Verb, VerbTable } from "./verb.ts";

const RESET = "db.reset";
const DROP = "db.drop";

const verb = (
  rule: OperationRule,
  command: string,
  what: string,
  more: Omit<Verb, "rule" | "command" | "what"> = {},
): Verb => ({ rule, command, what, ...more });

const VERBS: readonly Verb[] = [
  verb(DROP, "dropuser", "drop a database user", { safer: "psql -c '\\du'" }),
  verb(DROP, "mysqladmin|mariadb-admin …drop", "drop a database", { safer: "mysqlshow" }),
  verb(RESET, "prisma migrate reset", "empty the database", { safer: "prisma migrate status" }),
  verb(RESET, "prisma db push", "drop data that does not fit the schema", {
    needs: "force-reset accept-data-loss",
    safer: "prisma migrate diff",
  }),
  verb(
    RESET,
    "rails|rake|bin/rails db:drop|db:drop:*|db:reset|db:schema:load|db:structure:load|db:purge|db:purge:*|db:truncate_all|db:migrate:reset|db:seed:replant",
    "empty the database",
    { safer: "rails db:migrate:status" },
  ),
  verb(RESET, "artisan migrate:fresh|migrate:reset|migrate:refresh|db:wipe", "empty the database", {
    safer: "php artisan migrate:status",
  }),
  verb(RESET, "manage.py|django-admin flush|reset_db|sqlflush|reset_schema", "empty the database", {
    safer: "python manage.py showmigrations",
  }),
  verb(RESET, "manage.py|django-admin migrate * zero", "undo every migration", {
    safer: "python manage.py showmigrations",
  }),
  verb(RESET, "sequelize|sequelize-cli db:drop|db:migrate:undo:all", "empty the database", {
    safer: "sequelize db:migrate:status",
  }),
  verb(RESET, "knex migrate:rollback", "undo every migration", { needs: "all", safer: "knex migrate:list" }),
  verb(RESET, "alembic downgrade base", "undo every migration", { safer: "alembic history" }),
  verb(RESET, "flask db downgrade base", "undo every migration", { safer: "flask db history" }),
  verb(RESET, "supabase db reset", "empty the linked database", {
    needs: "linked db-url",
    safer: "supabase db diff",
  }),
  verb(RESET, "typeorm|typeorm-ts-node-commonjs|typeorm-ts-node-esm schema:drop", "empty the database", {
    safer: "typeorm migration:show",
  }),
  verb(RESET, "drizzle-kit drop", "drop migrations", { safer: "drizzle-kit check" }),
  verb(RESET, "drizzle-kit push", "drop data that does not fit the schema", {
    needs: "force",
    safer: "drizzle-kit generate",
  }),
  verb(RESET, "mix ecto.drop|ecto.reset", "empty the database", { safer: "mix ecto.migrations" }),
  verb(RESET, "flyway clean", "empty the database", { safer: "flyway info" }),
  verb(RESET, "liquibase dropAll|drop-all", "empty the database", { safer: "liquibase status" }),
  verb(RESET, "dotnet ef database drop", "drop the database", { safer: "dotnet ef migrations list" }),
  verb(RESET, "diesel database reset|drop", "drop the database", { safer: "diesel migration list" }),
  verb(RESET, "sqlx database drop|reset", "drop the database", { safer: "sqlx migrate info" }),
  verb(RESET, "goose …reset|down-to", "undo every migration", { safer: "goose status" }),
  verb(RESET, "dbmate drop", "drop the database", { safer: "dbmate status" }),
  verb(RESET, "atlas schema clean", "empty the database", { safer: "atlas schema inspect" }),
  verb(RESET, "migrate drop", "drop everything in the database"),
  verb(RESET, "console doctrine:database:drop|doctrine:schema:drop", "drop the database", {
    safer: "php bin/console doctrine:schema:validate",
  }),
  verb(RESET, "wp db reset|drop|clean", "empty the database", { safer: "wp db size" }),
  verb(RESET, "drush sql:drop|sql-drop", "empty the database", { safer: "drush status" }),
  verb(RESET, "mvn|mvnw …flyway:clean", "empty the database", { safer: "mvn flyway:info" }),
  verb(RESET, "gradle|gradlew flywayClean", "empty the database", { safer: "gradle flywayInfo" }),
  verb(DROP, "bq rm", "delete a dataset or table", { safer: "bq ls" }),
  verb(DROP, "influx delete", "delete measurements"),
  verb(DROP, "influx bucket delete", "delete a bucket"),
  verb(DROP, "pg_restore", "drop objects before they are restored", {
    needs: "c clean",
    safer: "pg_restore -l {rest}",
  }),
  verb(DROP, "mongorestore", "drop collections before they are restored", { needs: "drop" }),
  verb(RESET, "hasura migrate apply", "undo migrations", { needs: "down" }),
  verb(DROP, "cockroach|tidb …drop", "drop a database"),
];

export const databaseVerbs: VerbTable = {
  isFreeInTests: true,
  verbs: VERBS,
  options: {
    mysqladmin: {
      values: words("h host u user P port"),
      optional: ["p", "password"],
      flags: words("f force"),
      abbreviates: false,
    },
    pg_restore: {
      values: words("d dbname h host p port U username f file j jobs n schema t table L use-list F format"),
      flags: words("c clean if-exists C create l list a s v w W x O 1"),
      abbreviates: true,
    },
    knex: { values: words("env knexfile cwd"), flags: ["all"], abbreviates: false },
  },
};
