import { countFiles, formatAge } from "../../history/index.ts";
import { heldAsChange } from "../../sandbox/index.ts";
import type { System } from "../../system/index.ts";
import type { HeldTries } from "../held.ts";
import { diffView } from "./calls.ts";
import { html, line, type Markup, NOTHING, type Site } from "./layout.ts";
import { command } from "./words.ts";

const MAX_SHOWN = 20;

/** What waits for the person's word, each with its diff and both answers; nothing where nothing is held. */
export async function heldView(site: Site, system: System, tries: HeldTries | undefined): Promise<Markup> {
  if (tries === undefined || site.isReport) return NOTHING;
  const held = await tries.list();
  if (held.length === 0) return NOTHING;
  const items: Markup[] = [];
  for (const { record, changes } of held.slice(0, MAX_SHOWN)) {
    const { id, reason } = record;
    const diff = await diffView(
      site,
      system,
      changes,
      heldAsChange(record, changes),
      `amplihack try show ${id}`,
    );
    const button = (answer: "apply" | "discard", text: string) =>
      html`<button type="button" data-held="${id}" data-answer="${answer}" data-name="${line(record.command.join(" "), 200)}">${text}</button>`;
    items.push(html`<li id="held-${id}">${command(record.command.join(" "))}
<p>${countFiles(changes.files)} in <code>${line(record.project, 200)}</code>, ${formatAge(site.nowMs, record.timeMs)}${reason === undefined ? NOTHING : html`. Held: ${line(reason, 400)}`}</p>
<details class="diff"><summary>Diff</summary>${diff}</details>
<p>${site.whyReadOnly === undefined ? html`${button("apply", "Apply …")} ${button("discard", "Discard …")}` : html`<code class="command">amplihack try apply ${id}</code>`}</p></li>`);
  }
  return html`<section class="card" aria-labelledby="held"><h2 id="held">Changes that wait for your word</h2><ul class="held">${items}</ul></section>`;
}
