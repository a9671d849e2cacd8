import { html, type Markup } from "../dashboard/index.ts";
import { type Database, type RunSql, SCHEMA } from "../postgres/index.ts";
import { HttpError } from "./http.ts";
import { type Change, hiddenFields, noteChange, type PageVisitor } from "./own-page.ts";

/** What the admins of a team decided for all of it. */
export interface TeamSettings {
  /** nobody answers a question of their own session */
  readonly fourEyes: boolean;
  /** records that are older are dropped by the month; undefined keeps them */
  readonly keepMonths: number | undefined;
  /** a machine that says nothing for longer is told of */
  readonly silentHours: number;
}

const DEFAULT_SILENT_HOURS = 24;

export async function readSettings(run: RunSql): Promise<TeamSettings> {
  const [row] = await run(`SELECT four_eyes, keep_months, silent_hours FROM ${SCHEMA}.server_settings`);
  const months = row?.["keep_months"];
  return {
    fourEyes: row?.["four_eyes"] === true,
    keepMonths: typeof months === "number" ? months : undefined,
    silentHours: Number(row?.["silent_hours"] ?? DEFAULT_SILENT_HOURS),
  };
}

export async function changeSettings({ database, team, person, form }: Change): Promise<undefined> {
  const [fourEyes, months, hours] = [
    form.get("four_eyes") === "yes",
    readWhole(form.get("keep_months") ?? "", 600),
    readWhole(form.get("silent_hours") ?? "", 10_000) ?? DEFAULT_SILENT_HOURS,
  ];
  await database.transaction(async run => {
    await run(
      `INSERT INTO ${SCHEMA}.server_settings (team, four_eyes, keep_months, silent_hours) VALUES ($1, $2, $3, $4)
       ON CONFLICT (team) DO UPDATE SET four_eyes = $2, keep_months = $3, silent_hours = $4`,
      [team, fourEyes, months ?? null, hours],
    );
    const told = `four eyes: ${fourEyes ? "yes" : "no"}; kept: ${months === undefined ? "everything" : `${months} months`}; silent after ${hours} hours`;
    await noteChange(run, team, person, "changed the settings", told);
  });
  return undefined;
}

function readWhole(text: string, most: number): number | undefined {
  if (text.trim() === "") return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new HttpError(400, `expected a whole number between 1 and ${most}`);
  return value;
}

export async function settingsForm(visitor: PageVisitor, { run }: Database): Promise<Markup> {
  const { fourEyes, keepMonths, silentHours } = await readSettings(run);
  return html`<section class="card"><h2>The team</h2><form action="/settings" method="post">${hiddenFields(visitor)}
<p><label><input type="checkbox" name="four_eyes" value="yes"${fourEyes ? html` checked` : ""}> Nobody answers questions of their own session</label></p>
<p><label>Keep records for <input type="number" name="keep_months" min="1" max="600" value="${keepMonths ?? ""}"> months; empty: for ever</label></p>
<p><label>A machine is silent after <input type="number" name="silent_hours" min="1" max="10000" value="${silentHours}"> hours</label></p>
<button type="submit">Save</button></form></section>`;
}
