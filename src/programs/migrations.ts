import { type Operation, operation } from "./program.ts";

const RESET = "db.reset";
const DROP = "db.drop";

/** Commands of frameworks and clients that empty or drop a database; against a test database they may. */
export const databaseOperations: readonly Operation[] = [
  operation(DROP, "dropuser", "drop a database user", { safer: "psql -c '\\du'" }),
  operation(DROP, "mysqladmin|mariadb-admin …drop", "drop a database", { safer: "mysqlshow" }),
  operation(RESET, "prisma migrate reset", "empty the database", { safer: "prisma migrate status" }),
  operation(RESET, "prisma db push", "drop data that does not fit the schema", {
    needs: "force-reset accept-data-loss",
    safer: "prisma migrate diff",
  }),
  operation(
    RESET,
    "rails|rake|bin/rails db:drop|db:drop:*|db:reset|db:schema:load|db:structure:load|db:purge|db:purge:*|db:truncate_all|db:migrate:reset|db:seed:replant",
    "empty the database",
    { safer: "rails db:migrate:status" },
  ),
  operation(RESET, "artisan migrate:fresh|migrate:reset|migrate:refresh|db:wipe", "empty the database", {
    safer: "php artisan migrate:status",
  }),
  operation(RESET, "manage.py|django-admin flush|reset_db|sqlflush|reset_schema", "empty the database", {
    safer: "python manage.py showmigrations",
  }),
  operation(RESET, "manage.py|django-admin migrate * zero", "undo every migration", {
    safer: "python manage.py showmigrations",
  }),
  operation(RESET, "sequelize|sequelize-cli db:drop|db:migrate:undo:all", "empty the database", {
    safer: "sequelize db:migrate:status",
  }),
  operation(RESET, "knex migrate:rollback", "undo every migration", {
    needs: "all",
    safer: "knex migrate:list",
  }),
  operation(RESET, "alembic downgrade base", "undo every migration", { safer: "alembic history" }),
  operation(RESET, "flask db downgrade base", "undo every migration", { safer: "flask db history" }),
  operation(RESET, "supabase db reset", "empty the linked database", {
    needs: "linked db-url",
    safer: "supabase db diff",
  }),
  operation(RESET, "typeorm|typeorm-ts-node-commonjs|typeorm-ts-node-esm schema:drop", "empty the database", {
    safer: "typeorm migration:show",
  }),
  operation(RESET, "drizzle-kit drop", "drop migrations", { safer: "drizzle-kit check" }),
  operation(RESET, "drizzle-kit push", "drop data that does not fit the schema", {
    needs: "force",
    safer: "drizzle-kit generate",
  }),
  operation(RESET, "mix ecto.drop|ecto.reset", "empty the database", { safer: "mix ecto.migrations" }),
  operation(RESET, "flyway clean", "empty the database", { safer: "flyway info" }),
  operation(RESET, "liquibase dropAll|drop-all", "empty the database", { safer: "liquibase status" }),
  operation(RESET, "dotnet ef database drop", "drop the database", { safer: "dotnet ef migrations list" }),
  operation(RESET, "diesel database reset|drop", "drop the database", { safer: "diesel migration list" }),
  operation(RESET, "sqlx database drop|reset", "drop the database", { safer: "sqlx migrate info" }),
  operation(RESET, "goose …reset|down-to", "undo every migration", { safer: "goose status" }),
  operation(RESET, "dbmate drop", "drop the database", { safer: "dbmate status" }),
  operation(RESET, "atlas schema clean", "empty the database", { safer: "atlas schema inspect" }),
  operation(RESET, "migrate drop", "drop everything in the database"),
  operation(RESET, "console doctrine:database:drop|doctrine:schema:drop", "drop the database", {
    safer: "php bin/console doctrine:schema:validate",
  }),
  operation(RESET, "wp db reset|drop|clean", "empty the database", { safer: "wp db size" }),
  operation(RESET, "drush sql:drop|sql-drop", "empty the database", { safer: "drush status" }),
  operation(RESET, "mvn|mvnw …flyway:clean", "empty the database", { safer: "mvn flyway:info" }),
  operation(RESET, "gradle|gradlew flywayClean", "empty the database", { safer: "gradle flywayInfo" }),
  operation(DROP, "bq rm", "delete a dataset or table", { safer: "bq ls" }),
  operation(DROP, "influx delete", "delete measurements"),
  operation(DROP, "influx bucket delete", "delete a bucket"),
  operation(DROP, "pg_restore", "drop objects before they are restored", {
    needs: "c clean",
    safer: "pg_restore -l {rest}",
  }),
  operation(DROP, "mongorestore", "drop collections before they are restored", { needs: "drop" }),
  operation(RESET, "hasura migrate apply", "undo migrations", { needs: "down" }),
  operation(DROP, "cockroach|tidb …drop", "drop a database"),
].map(one => ({ ...one, isFreeInTests: true }));
