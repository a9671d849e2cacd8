/** Where everything of ours lies. */
export const SCHEMA = "amplihack";
/**
 * What members read: views of the same names over the tables, which they cannot read themselves. A table shows in its
 * plans and estimates what it leaves out, and with it whether other teams have a name; a view reads all rows of the
 * member's teams and nothing else, whatever is asked of it.
 */
export const VIEWS = `${SCHEMA}_views`;
/** Of functions. `pg_temp` stands last: a table that a user makes for the connection would else be read in place of ours. */
export const FIXED_PATH = `SET search_path = pg_catalog, ${SCHEMA}, pg_temp`;
/**
 * Who may read the tables finds them by their bare names, who may not finds the views. To be called on every connection.
 */
export const SET_PATH = `SELECT set_config('search_path', CASE
  WHEN to_regnamespace('${SCHEMA}') IS NULL THEN '${SCHEMA}, public, pg_temp'
  WHEN to_regclass('${VIEWS}.own') IS NULL OR has_table_privilege('${SCHEMA}.members', 'SELECT') THEN '${SCHEMA}, pg_temp'
  ELSE '${VIEWS}, ${SCHEMA}, pg_temp' END, false)`;
