import { html, type Markup, NOTHING } from "./markup.ts";
import type { PageName, Site } from "./site.ts";

export interface Page {
  readonly name: PageName;
  readonly title: string;
  readonly body: Markup;
  /** what the search field shows */
  readonly sought?: string;
}

const TABS: readonly { readonly page: PageName; readonly title: string; readonly of: readonly PageName[] }[] =
  [
    { page: "", title: "Overview", of: [""] },
    { page: "sessions", title: "Sessions", of: ["sessions", "session"] },
    { page: "calls", title: "Calls", of: ["calls", "change"] },
    { page: "recipes", title: "Recipes", of: ["recipes", "recipe"] },
    { page: "memory", title: "Memory", of: ["memory"] },
  ];

/** A team has runs of recipes where some were submitted to its database. */
function tabsOf({ team }: Site): typeof TABS {
  return team?.hasRecipes !== false ? TABS : TABS.filter(({ page }) => page !== "recipes");
}

/** What stands around every page. */
export function header(site: Site, { name, sought = "" }: Pick<Page, "name" | "sought">): Markup {
  const tabs = tabsOf(site).map(({ page, title, of }) => {
    const isHere = of.includes(name);
    return html`<li><a href="${site.to(page)}"${isHere ? html` aria-current="page"` : NOTHING} data-tab="${page}">${title}</a></li>`;
  });
  return html`<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${site.to("")}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2 3.5 5.5v6c0 5 3.6 8.6 8.5 10.5 4.9-1.9 8.5-5.5 8.5-10.5v-6z"/><path class="mark" d="m8 12 3 3 5-6"/></svg>amplihack</a>
<nav aria-label="Pages"><ul>${tabs}</ul></nav>
${searchForm(site, sought)}
<p id="state" role="status"><span class="dot"></span><span class="text">${site.isReport ? "Report" : "Connecting …"}</span></p>
</header>`;
}

/** What of a team is looked at stays when something is sought. */
export function scopeFields({ team }: Site): readonly Markup[] {
  return Object.entries(team?.scope ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

function searchForm(site: Site, sought: string): Markup {
  return html`<search class="find"><form action="/search" method="get" role="search" data-search>
<label for="q" class="unseen">Search commands, paths, rules, sessions</label>
<input id="q" name="q" type="search" maxlength="200" autocomplete="off" placeholder="Search commands, paths, rules …" value="${sought}">
<kbd aria-hidden="true">/</kbd>
${scopeFields(site)}
${site.token === undefined ? NOTHING : html`<input type="hidden" name="token" value="${site.token}">`}
</form></search>`;
}

function keysOf(site: Site): readonly (readonly [string, string])[] {
  const tabs = tabsOf(site).map(({ title }) => title.toLowerCase());
  return [
    ["j", "next"],
    ["k", "previous"],
    ["Enter", site.team === undefined ? "open it: its diff, its session" : "open it"],
    ...(site.team === undefined ? [["u", "undo it: shows what would happen and asks"] as const] : []),
    ["/", "search"],
    [`1 … ${tabs.length}`, tabs.join(", ")],
    ["?", "this list"],
    ["Esc", "close"],
  ];
}

/** Dialogs are there from the start; the script fills them. */
export function footer(site: Site): Markup {
  const keys = keysOf(site).map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`);
  const keysDialog = html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keyboard</h2>
<dl class="keys">${keys}</dl><form method="dialog"><button>Close</button></form></dialog>`;
  const actions = site.isReport
    ? NOTHING
    : html`<dialog id="action" aria-labelledby="action-title"><h2 id="action-title"></h2>
<div class="content"></div><p class="outcome" role="status"></p>
<div class="buttons"><button type="button" class="cancel">Cancel</button><button type="button" class="force danger" hidden>Overwrite what is there now</button><button type="button" class="confirm primary" hidden>Take this back</button></div></dialog>`;
  const note = site.isReport ? "" : "Only this machine can see this page. ";
  return html`<footer class="bottom"><p>${note}<button type="button" class="plain" data-open="keys">Keyboard: <kbd>?</kbd></button></p></footer>
<p id="announcer" class="unseen" role="log" aria-live="polite" aria-label="Just stopped"></p>
${keysDialog}${actions}`;
}
