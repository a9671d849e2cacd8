import type { OperationTables } from "./program.ts";

/** Commands of frameworks and clients that empty or drop a database; against a test database they may. */
export const databaseOperations: OperationTables = {
  "db.drop": `
    dropuser | drop a database user | safer psql -c '\\du'
    mysqladmin|mariadb-admin …drop | drop a database | safer mysqlshow
    bq rm | delete a dataset or table | safer bq ls
    influx delete | delete measurements
    influx bucket delete | delete a bucket
    pg_restore | drop objects before they are restored | needs c clean | safer pg_restore -l {rest}
    mongorestore | drop collections before they are restored | needs drop
    cockroach|tidb …drop | drop a database
  `,
  "db.reset": `
    prisma migrate reset | empty the database | safer prisma migrate status
    prisma db push | drop data that does not fit the schema | needs force-reset accept-data-loss | safer prisma
        migrate diff
    rails|rake|bin/rails db:drop|db:drop:*|db:reset|db:schema:load|db:structure:load|db:purge|db:purge:*|
        db:truncate_all|db:migrate:reset|db:seed:replant | empty the database | safer rails db:migrate:status
    artisan migrate:fresh|migrate:reset|migrate:refresh|db:wipe | empty the database | safer php artisan
        migrate:status
    manage.py|django-admin flush|reset_db|sqlflush|reset_schema | empty the database | safer python manage.py
        showmigrations
    manage.py|django-admin migrate * zero | undo every migration | safer python manage.py showmigrations
    sequelize|sequelize-cli db:drop|db:migrate:undo:all | empty the database | safer sequelize db:migrate:status
    knex migrate:rollback | undo every migration | needs all | safer knex migrate:list
    alembic downgrade base | undo every migration | safer alembic history
    flask db downgrade base | undo every migration | safer flask db history
    supabase db reset | empty the linked database | needs linked db-url | safer supabase db diff
    typeorm|typeorm-ts-node-commonjs|typeorm-ts-node-esm schema:drop | empty the database | safer typeorm
        migration:show
    drizzle-kit drop | drop migrations | safer drizzle-kit check
    drizzle-kit push | drop data that does not fit the schema | needs force | safer drizzle-kit generate
    mix ecto.drop|ecto.reset | empty the database | safer mix ecto.migrations
    flyway clean | empty the database | safer flyway info
    liquibase dropAll|drop-all | empty the database | safer liquibase status
    dotnet ef database drop | drop the database | safer dotnet ef migrations list
    diesel database reset|drop | drop the database | safer diesel migration list
    sqlx database drop|reset | drop the database | safer sqlx migrate info
    goose …reset|down-to | undo every migration | safer goose status
    dbmate drop | drop the database | safer dbmate status
    atlas schema clean | empty the database | safer atlas schema inspect
    migrate drop | drop everything in the database
    console doctrine:database:drop|doctrine:schema:drop | drop the database | safer php bin/console
        doctrine:schema:validate
    wp db reset|drop|clean | empty the database | safer wp db size
    drush sql:drop|sql-drop | empty the database | safer drush status
    mvn|mvnw …flyway:clean | empty the database | safer mvn flyway:info
    gradle|gradlew flywayClean | empty the database | safer gradle flywayInfo
    hasura migrate apply | undo migrations | needs down
  `,
};
