import { FIXED_PATH, IS_VISIBLE, type Migration, SCHEMA } from "../postgres/index.ts";
import { MEMORIES, ofProject, USES, WRITTEN_COLUMNS } from "./postgres-rows.ts";

/**
 * Everybody has `rights` on single columns, never on a whole table: whoever may delete from a table, or change any column
 * of it, may lock it, and all others wait. They leave out what the server alone fills: numbers that all teams share,
 * authors and revisions.
 */
function separate(table: string, rights: string, condition = IS_VISIBLE): Migration {
  const name = `${SCHEMA}.${table}`;
  return [
    `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`,
    `DROP POLICY IF EXISTS own_team ON ${name}`,
    `CREATE POLICY own_team ON ${name} USING (${condition})`,
    `REVOKE ALL ON ${name} FROM PUBLIC`,
    `GRANT SELECT, ${rights} ON ${name} TO PUBLIC`,
  ];
}

const hasMemory = (condition = "true"): string => `EXISTS (
  SELECT FROM ${MEMORIES}
  WHERE memories.number = memory_uses.number AND memories.team = memory_uses.team AND ${condition}
)`;

const POLICIES: Migration = [
  ...separate("memories", `INSERT (team, ${WRITTEN_COLUMNS}), UPDATE (${WRITTEN_COLUMNS})`),
  // Copies go by the name alone: who could add one would remove memories of projects that they may not see.
  ...separate("memory_removals", "UPDATE (removed_ms)"),
  ...separate(
    "earlier_values",
    "INSERT (team, project, agent, session, key, id, value, type, category, updated_ms, replaced_ms)",
  ),
  // The memory is looked for with the rights of the user, so that only what is visible has visible uses.
  ...separate(
    "memory_uses",
    "INSERT (team, number, project, session, occasion, used_ms), UPDATE (occasion, used_ms)",
    `${IS_VISIBLE} AND ${hasMemory()}`,
  ),
  `ALTER TABLE ${SCHEMA}.memory_terms ENABLE ROW LEVEL SECURITY`,
  // Policies of the first version asked it.
  `DROP FUNCTION IF EXISTS ${SCHEMA}.whole_teams()`,
];

/** With the rights of the owner, to whom no policy applies: rows are chosen here as the policies choose them. */
const DEFINED = `RETURNS SETOF bigint LANGUAGE sql SECURITY DEFINER ${FIXED_PATH}`;
const IS_OWNER = "pg_has_role(session_user, current_user, 'USAGE')";

/** In place of a right to delete. They give the numbers of what was removed. */
const REMOVING: Migration = [
  `CREATE FUNCTION ${SCHEMA}.remove_memories(numbers bigint[]) ${DEFINED}
   AS $$
     DELETE FROM ${MEMORIES} WHERE number = ANY (numbers) AND (${IS_VISIBLE} OR ${IS_OWNER}) RETURNING number
   $$`,
  `CREATE FUNCTION ${SCHEMA}.remove_memory_uses(of_team text, of_project text, before_ms bigint) ${DEFINED}
   AS $$
     DELETE FROM ${USES}
     WHERE team = of_team AND ${ofProject("of_project")} AND used_ms < before_ms
       AND (${IS_VISIBLE} AND ${hasMemory(IS_VISIBLE)} OR ${IS_OWNER})
     RETURNING number
   $$`,
];

export const RIGHTS: Migration = [...POLICIES, ...REMOVING];
